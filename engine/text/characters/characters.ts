// Properties of single code points: script, separator, hard, nonspacing mark. One byte for each of
// the first 65,536, computed on first use (0.3 ms), and short range lists for the code points
// above.
import { NONSPACING_MARK_RANGES } from './marks.table.ts'
import { parseRanges } from './ranges.ts'
import { SCRIPT_RANGES } from './scripts.table.ts'
import { HARD_SEPARATOR_RANGES, IGNORABLE_RANGES, SEPARATOR_RANGES } from './separators.table.ts'

export type Script = 'Other' | keyof typeof SCRIPT_RANGES

/** Names by script id; id 0 is `Other`. */
export const SCRIPTS = ['Other', ...Object.keys(SCRIPT_RANGES)] as readonly Script[]

/** The id of a script, below 32: the low five bits of a character's byte. */
export const scriptId = (script: Script): number => SCRIPTS.indexOf(script)

export const OTHER = 0
export const LATIN = scriptId('Latin')
export const CJ = scriptId('Cj')
export const ARMENIAN = scriptId('Armenian')

export const SCRIPT_MASK = 31
export const SEPARATOR = 32
export const HARD = 64
export const MARK = 128

const BMP = 0x10000

let bmp: Uint8Array | null = null
/** Triples first, last, byte for code points above the first plane. */
const astral: number[] = []

/** The bytes of the first 65,536 code points. Shared: do not write. */
export function characters(): Uint8Array {
  if (bmp !== null) return bmp
  const table = new Uint8Array(BMP)
  const names = SCRIPTS.slice(1) as readonly (keyof typeof SCRIPT_RANGES)[]
  // The row filled last wins, so the rows are filled in reverse.
  for (let i = names.length - 1; i >= 0; i--) fill(table, SCRIPT_RANGES[names[i]!], i + 1)
  // Invisible characters do not begin a run.
  fill(table, IGNORABLE_RANGES, 0)
  mark(table, SEPARATOR_RANGES, SEPARATOR)
  mark(table, HARD_SEPARATOR_RANGES, HARD)
  mark(table, NONSPACING_MARK_RANGES, MARK)
  bmp = table
  return table
}

function fill(table: Uint8Array, ranges: string, byte: number): void {
  const pairs = parseRanges(ranges)
  for (let i = 0; i < pairs.length; i += 2) {
    if (pairs[i]! >= BMP) astral.push(pairs[i]!, pairs[i + 1]!, byte)
    else table.fill(byte, pairs[i]!, pairs[i + 1]! + 1)
  }
}

function mark(table: Uint8Array, ranges: string, bit: number): void {
  const pairs = parseRanges(ranges)
  for (let i = 0; i < pairs.length; i += 2) {
    const first = pairs[i]!
    const last = pairs[i + 1]!
    if (first >= BMP) astral.push(first, last, bit)
    else for (let point = first; point <= last; point++) table[point]! |= bit
  }
}

/** Returns the byte of any code point. */
export function character(point: number): number {
  const table = characters()
  if (point < BMP) return table[point]!
  if (point >= 0x1f000 && point < 0xe0000) return 0
  let bits = 0
  for (let i = 0; i < astral.length; i += 3) {
    if (point >= astral[i]! && point <= astral[i + 1]!) bits |= astral[i + 2]!
  }
  return bits
}

/** The default separators above the first plane, as pairs of first and last. */
export function astralSeparators(): readonly (readonly [number, number])[] {
  characters()
  const pairs: [number, number][] = []
  for (let i = 0; i < astral.length; i += 3) {
    if (astral[i + 2] === SEPARATOR) pairs.push([astral[i]!, astral[i + 1]!])
  }
  return pairs
}

export const isHiragana = (point: number): boolean => point >= 0x3040 && point <= 0x309f
/** Half-width forms included. */
export const isKatakana = (point: number): boolean =>
  (point >= 0x30a0 && point <= 0x30ff) || (point >= 0xff66 && point <= 0xff9d)

let ignorable: Uint32Array | null = null

/** Returns true for characters that are invisible and not part of a word. */
export function isIgnorable(point: number): boolean {
  ignorable ??= parseRanges(IGNORABLE_RANGES)
  for (let i = 0; i < ignorable.length; i += 2) {
    if (point < ignorable[i]!) return false
    if (point <= ignorable[i + 1]!) return true
  }
  return false
}

/**
 * Returns true if `point` is white space in Unicode; JavaScript's own definition has U+FEFF and
 * lacks U+0085.
 */
export function isWhitespace(point: number): boolean {
  if (point <= 0x20) return point === 0x20 || (point >= 0x09 && point <= 0x0d)
  if (point < 0x1680) return point === 0x85 || point === 0xa0
  if (point >= 0x2000 && point <= 0x200a) return true
  return (
    point === 0x1680 ||
    point === 0x2028 ||
    point === 0x2029 ||
    point === 0x202f ||
    point === 0x205f ||
    point === 0x3000
  )
}

/** Removes white space (in the sense of `isWhitespace`) from both ends. */
export function trimWhitespace(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && isWhitespace(text.charCodeAt(from))) from++
  while (to > from && isWhitespace(text.charCodeAt(to - 1))) to--
  return from === 0 && to === text.length ? text : text.slice(from, to)
}
