// Encodes cells of typed CSV columns as JSON.
import { decoder } from '../../../format/bytes/index.ts'
import { floatText, type JsonBuffer } from '../../../format/json/index.ts'
import type { EngineFault } from '../../model/index.ts'
import { malformedCsv } from './faults.ts'

export type CellKind = 'string' | 'number' | 'boolean'

const INTEGER = /^[+-]?0*([0-9]{1,19})$/
const FLOAT = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?$/i
const NO_NUMBER = /^[+-]?(?:inf|infinity|nan)$/i
const BLANKS = /^\p{White_Space}+|\p{White_Space}+$/gu
const INTEGER_MIN = -(2n ** 63n)
const INTEGER_MAX = 2n ** 63n - 1n
const PLAIN_DIGITS_MAX = 15

/**
 * Writes the cell bytes[from, to) of data row `row` as a number: a signed 64-bit integer, else a
 * double; not-a-number and the infinities become null. @throws EngineFault
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
function numberOf(text: string): string | null {
  if (text === '') return 'null'
  const integer = INTEGER.exec(text)
  if (integer !== null) {
    const value = text.startsWith('-') ? -BigInt(integer[1]!) : BigInt(integer[1]!)
    if (value >= INTEGER_MIN && value <= INTEGER_MAX) return String(value)
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

const wrongCell = (kind: CellKind, cell: string, row: number, reason: string): EngineFault =>
  malformedCsv(`Error parsing ${kind} "${cell}" at line ${row}: ${reason}`)
