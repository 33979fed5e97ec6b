// Messages for refused bodies. Clients know these texts, so they must not change.
import { decoder, encoder } from '../../../format/bytes/index.ts'
import {
  EXPECTED_IDENT,
  EXPECTED_VALUE,
  faultText,
  INVALID_NUMBER,
  type JsonFault,
  TRAILING_CHARACTERS,
} from '../../../format/json/index.ts'
import { EngineFault } from '../../model/index.ts'

export type BodyKind = 'json' | 'ndjson' | 'csv'

const DETAIL_BYTES_MAX = 138
const DETAIL_HEAD_BYTES = 50
const DETAIL_TAIL_BYTES = 85

export const missingPayload = (kind: BodyKind): EngineFault =>
  new EngineFault('missing_payload', `A ${kind} payload is missing.`)

export const malformedJson = (kind: BodyKind, detail: string, remedy = ''): EngineFault =>
  new EngineFault(
    'malformed_payload',
    `The \`${kind}\` payload provided is malformed. ` +
      `\`Couldn't serialize document value: ${shortened(detail)}\`.${remedy}`,
  )

/** `byte`: the one that is wrong, if it is known. */
export const jsonFault = (kind: BodyKind, fault: JsonFault, byte = 0): EngineFault =>
  malformedJson(kind, faultText(fault), remedyFor(kind, fault, String.fromCharCode(byte)))

const NO_JSON_WORD =
  ' JSON has no `NaN`, `Infinity`, `undefined`, `None`, `True` or `False`: send `null`, `true` or ' +
  '`false`, or leave the field out.'
const SEVERAL_DOCUMENTS =
  ' Send one document per line with `Content-Type: application/x-ndjson`, or all of them in one array.'

/** First letters of words that other languages write in place of JSON's. */
const FOREIGN_WORD = /[FINTinu]/
const SECOND_LETTER_OF_NAN = /[aA]/

function remedyFor(kind: BodyKind, { problem, line }: JsonFault, character: string): string {
  const isForeign =
    problem === EXPECTED_IDENT
      ? SECOND_LETTER_OF_NAN.test(character)
      : (problem === EXPECTED_VALUE || problem === INVALID_NUMBER) && FOREIGN_WORD.test(character)
  if (isForeign) return NO_JSON_WORD
  const isFurther = character === '[' || character === ',' || (line > 1 && character === '{')
  const hasFurther = problem === TRAILING_CHARACTERS && isFurther
  return kind === 'json' && hasFurther ? SEVERAL_DOCUMENTS : ''
}

export const malformedCsv = (detail: string, hint = ''): EngineFault =>
  new EngineFault(
    'malformed_payload',
    `The \`csv\` payload provided is malformed: \`${detail}\`.${hint}`,
  )

const OTHER_DELIMITER = /[;\t|]|\\t/

/** Returns the advice for a CSV whose only column has this name, or '' if it needs none. */
export function csvDelimiterHint(column: string): string {
  const [found] = OTHER_DELIMITER.exec(column) ?? []
  if (found === undefined) return ''
  const delimiter = encodeURIComponent(found === '\\t' ? '\t' : found)
  return (
    ` The only field is \`${shortened(column)}\`: a CSV that is not separated by commas needs the query ` +
    `parameter \`csvDelimiter=${delimiter}\`.`
  )
}

/** Cuts the middle out of a detail of more than 138 bytes; characters stay whole. */
export function shortened(detail: string): string {
  const bytes = encoder.encode(detail)
  if (bytes.length <= DETAIL_BYTES_MAX) return detail
  let head = DETAIL_HEAD_BYTES
  while (isContinuation(bytes[head]!)) head--
  let tail = bytes.length - DETAIL_TAIL_BYTES
  while (isContinuation(bytes[tail]!)) tail++
  return `${decoder.decode(bytes.subarray(0, head))}...${decoder.decode(bytes.subarray(tail))}`
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80
