// UUIDs in the usual spellings: hyphenated, 32 digits, in braces, as a URN; in either case.
import { asUuid, type Uuid } from '../../../format/ids.ts'

/** The UUID in lower case with hyphens, or a description of the problem. */
export type UuidRead = { readonly uid: Uuid } | { readonly uid: null; readonly problem: string }

const DIGITS = /^[0-9a-f]{32}$/i
const HYPHENATED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const URN = 'urn:uuid:'
/** Offsets of the five groups. */
const GROUP_STARTS = [0, 9, 14, 19, 24] as const
const GROUP_LENGTHS = [8, 4, 4, 4, 12] as const

export function readUuid(text: string): UuidRead {
  if (DIGITS.test(text)) return { uid: asUuid(hyphenated(text.toLowerCase())) }
  const { inner } = unwrapped(text)
  if (HYPHENATED.test(inner)) return { uid: asUuid(inner.toLowerCase()) }
  return { uid: null, problem: problemOf(text) }
}

/** Returns the UUID in lower case with hyphens, or null for other texts. */
export const uuidOf = (text: string): Uuid | null => readUuid(text).uid

const hyphenated = (digits: string): string =>
  GROUP_STARTS.map((start, i) => {
    const from = start - i
    return digits.slice(from, from + GROUP_LENGTHS[i]!)
  }).join('-')

function unwrapped(text: string): { readonly inner: string; readonly offset: number } {
  if (text.startsWith('{') && text.endsWith('}') && text.length > 1) {
    return { inner: text.slice(1, -1), offset: 1 }
  }
  if (text.startsWith(URN)) return { inner: text.slice(URN.length), offset: URN.length }
  return { inner: text, offset: 0 }
}

function problemOf(text: string): string {
  const { inner, offset } = unwrapped(text)
  let at = 0
  const hyphens: number[] = []
  for (const character of inner) {
    if (character === '-') hyphens.push(at)
    else if (!/[0-9a-f]/i.test(character)) {
      return `invalid character: found \`${character}\` at ${at + offset}`
    }
    at += character.length
  }
  if (hyphens.length === 0 && offset === 0) return `invalid length: found ${text.length}`
  if (hyphens.length !== GROUP_STARTS.length - 1) {
    return `invalid group count: expected 5, found ${hyphens.length + 1}`
  }
  for (let i = 0; i < hyphens.length; i++) {
    const length = hyphens[i]! - GROUP_STARTS[i]!
    if (length !== GROUP_LENGTHS[i]) return groupProblem(i, length)
  }
  return groupProblem(4, text.length - GROUP_STARTS[4])
}

const groupProblem = (group: number, length: number): string =>
  `invalid group length in group ${group}: expected ${GROUP_LENGTHS[group]}, found ${length}`
