// Borders of matches and crops lie between characters as people see them, each of which may consist
// of several: a letter and its marks, an emoji and its skin tone.
import { exactDecoder } from '../../../format/bytes/index.ts'
import { leadBytes, pointAt } from '../../text/index.ts'

/**
 * Characters that may belong to the one before or behind them: marks, joiners, skin tones, tags,
 * flags, Korean letters, signs that change the Thai, Lao or kana before them. A function: V8 reads
 * the classes of Unicode at the first use, not at the start.
 */
const joining = (): RegExp =>
  /\p{M}|\p{Join_Control}|\p{Emoji_Modifier}|\p{Regional_Indicator}|[\u{e0020}-\u{e007f}\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7fb\u0e33\u0eb3\uff9e\uff9f]/u
/** Bytes read on either side of a border; longer sequences are cut anywhere. */
const BESIDE_MAX = 256

/** Loaded by the first border that needs it: 10 ms. */
let segmenter: Intl.Segmenter | null = null

/** Returns the border at `at`, or the beginning of the character around it, in UTF-8 bytes[from, to). */
export const graphemeStart = (bytes: Uint8Array, from: number, to: number, at: number): number =>
  around(bytes, from, to, at)?.start ?? at

/** Returns the border at `at`, or the end of the character around it. */
export const graphemeEnd = (bytes: Uint8Array, from: number, to: number, at: number): number =>
  around(bytes, from, to, at)?.end ?? at

/** Returns the character of which `at` is neither the beginning nor the end, or null. */
function around(
  bytes: Uint8Array,
  from: number,
  to: number,
  at: number,
): { readonly start: number; readonly end: number } | null {
  // No character goes on with ASCII.
  if (at <= from || at >= to || bytes[at]! < 0x80) return null
  const before = startOfPoint(bytes, from, at - 1)
  if (!mayJoin(bytes, before) && !mayJoin(bytes, at)) return null
  let first = before
  while (first > from && bytes[first]! >= 0x80 && at - first < BESIDE_MAX) {
    first = startOfPoint(bytes, from, first - 1)
  }
  let last = at
  while (last < to && bytes[last]! >= 0x80 && last - at < BESIDE_MAX)
    last += leadBytes(bytes[last]!)
  const text = exactDecoder.decode(bytes.subarray(first, last))
  const unit = exactDecoder.decode(bytes.subarray(first, at)).length
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  const { index, segment } = segmenter.segment(text).containing(unit)!
  if (index === unit) return null
  const start = first + Buffer.byteLength(text.slice(0, index))
  return { start, end: start + Buffer.byteLength(segment) }
}

const mayJoin = (bytes: Uint8Array, at: number): boolean =>
  bytes[at]! >= 0x80 && joining().test(String.fromCodePoint(pointAt(bytes, at)))

/** Returns where the code point begins that the byte at `at` belongs to. */
function startOfPoint(bytes: Uint8Array, from: number, at: number): number {
  while (at > from && (bytes[at]! & 0xc0) === 0x80) at--
  return at
}
