// Numbers in partial answers (../search/PARTIAL-ANSWERS.md): JSON numbers, which are doubles after
// parsing, and whole numbers that no double equals as `{"whole": "9007199254740993"}`.
import {
  type ExactNumber,
  exactText,
  isExactNumber,
  wholeNumber,
} from '../../../format/bytes/index.ts'
import { either, number, object, type Schema, text } from '../../../format/schema/index.ts'
import type { SortValue } from '../rank/index.ts'

type Whole = { readonly whole: string }
export type SentNumber = number | Whole

export const SENT_NUMBER: Schema<SentNumber> = either(number, object<Whole>({ whole: text }))

const DIGITS = /^-?\d{16,20}$/

export const sentNumber = (value: ExactNumber): SentNumber =>
  typeof value === 'bigint' ? { whole: String(value) } : value

/** Returns a sort value as other instances receive it. */
export const sentSort = (value: SortValue): string | SentNumber | null =>
  isExactNumber(value) ? sentNumber(value) : value

/** Returns null for a value that is not a sent number. */
export function receivedNumber(sent: unknown): ExactNumber | null {
  if (typeof sent === 'number') return sent
  const { whole } = (sent ?? {}) as Partial<Whole>
  return typeof whole === 'string' && DIGITS.test(whole) ? wholeNumber(whole) : null
}

/** Returns the text of a value of a field: numbers as facets show them. */
export function sentText(value: unknown): string {
  const exact = receivedNumber(value)
  return exact === null ? String(value) : exactText(exact)
}

/** Returns a text that is the same for equal values of one type only. */
export const sentKey = (value: unknown): string =>
  `${receivedNumber(value) === null ? typeof value : 'number'}:${sentText(value)}`
