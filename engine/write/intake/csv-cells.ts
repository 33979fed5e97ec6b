// Encodes cells of typed CSV columns as JSON.
import { BRACKET, BRACKET_END, decoder } from '../../../format/bytes/index.ts'
import {
  Canonical,
  DEPTH_MAX,
  faultText,
  findFault,
  floatText,
  type JsonBuffer,
  type JsonFault,
  skipSpace,
} from '../../../format/json/index.ts'
import type { EngineFault } from '../../model/index.ts'
import { malformedCsv } from './faults.ts'

export type CellKind = 'string' | 'number' | 'boolean' | 'json'

/** No more digits than a double can have. */
const INTEGER = /^[+-]?0*([0-9]{1,300})$/
const FLOAT = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?$/i
const NO_NUMBER = /^[+-]?(?:inf|infinity|nan)$/i
const BLANKS = /^\p{White_Space}+|\p{White_Space}+$/gu
const PLAIN_DIGITS_MAX = 15

/**
 * Writes the cell bytes[from, to) of data row `row` as a number: an integer, else a double; not-a-number and the infinities become null. @throws EngineFault
 */
export function numberCell(
  bytes: Uint8Array,
  from: number,
  to: number,
  row: number,
  out: JsonBuffer,
): void {
  if (isPlain(bytes, from, to)) {
    out.append(bytes, from, to)
    return
  }
  const cell = decoder.decode(bytes.subarray(from, to))
  const text = cell.replace(BLANKS, '')
  const number = numberOf(text)
  if (number === null) throw wrongCell('number', cell, row, 'invalid float literal')
  out.ascii(number)
}

/** Returns whether the cell is a short integer already in JSON form. */
function isPlain(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from > PLAIN_DIGITS_MAX) return false
  for (let at = from; at < to; at++) if (bytes[at]! < 0x30 || bytes[at]! > 0x39) return false
  return bytes[from] !== 0x30 || to - from === 1
}

/** Returns the JSON of a number as cells may contain it, or null if the text is not a number. */
export function numberOf(text: string): string | null {
  if (text === '') return 'null'
  const integer = INTEGER.exec(text)
  if (integer !== null) {
    const [, digits] = integer
    return text.startsWith('-') && digits !== '0' ? `-${digits}` : digits!
  }
  if (NO_NUMBER.test(text)) return 'null'
  if (!FLOAT.test(text)) return null
  const value = Number(text)
  return Number.isFinite(value) ? floatText(value) : 'null'
}

/** Writes the cell bytes[from, to) of data row `row` as a boolean. @throws EngineFault */
export function booleanCell(
  bytes: Uint8Array,
  from: number,
  to: number,
  row: number,
  out: JsonBuffer,
): void {
  const cell = decoder.decode(bytes.subarray(from, to))
  const text = cell.replace(BLANKS, '')
  if (text === '') out.ascii('null')
  else if (text === 'true' || text === 'false') out.ascii(text)
  else throw wrongCell('boolean', cell, row, 'provided string was not `true` or `false`')
}

/** Writes the cell bytes[from, to) of data row `row`, which is JSON. @throws EngineFault */
export function jsonCell(
  bytes: Uint8Array,
  from: number,
  to: number,
  row: number,
  out: JsonBuffer,
): void {
  const cell = bytes.subarray(from, to)
  const fault = findFault(cell) ?? depthFault(cell)
  if (fault !== null) throw wrongCell('json', decoder.decode(cell), row, faultText(fault))
  CANONICAL.write(cell, skipSpace(cell, 0), out)
}

const CANONICAL = new Canonical(true)

/** The document is a bracket around the cell. */
const depthFault = (cell: Uint8Array): JsonFault | null =>
  cell.length < 2 * DEPTH_MAX ? null : findFault(Buffer.concat([OPEN, cell, CLOSE]))

const OPEN = Uint8Array.of(BRACKET)
const CLOSE = Uint8Array.of(BRACKET_END)

const wrongCell = (kind: CellKind, cell: string, row: number, reason: string): EngineFault =>
  malformedCsv(`Error parsing ${kind} "${cell}" at line ${row}: ${reason}`)
