// Annotated bytes: hex and meaning, line by line, for golden files. A change of a format then shows
// as a change of text that a reviewer can read.
import { assert } from '../errors.ts'

/** The meaning of bytes [from, to). Notes follow one another without gaps. */
export type Note = { readonly from: number; readonly to: number; readonly text: string }

const BYTES_PER_LINE = 16
/** Shorter repetitions, four lines, are written in full. */
const REPEATED_BYTES_MIN = 64

/**
 * Writes one line per note: the range, the bytes in hex, the meaning. More bytes than a line holds
 * continue below; a line `49 92 24 × 2500` stands for 2,500 times these three bytes. So the text
 * holds all bytes, and each of them has a meaning.
 */
export function annotate(bytes: Uint8Array, notes: readonly Note[]): string {
  const lines: string[] = []
  const width = String(bytes.length).length
  let at = 0
  for (const note of notes) {
    assert(note.from === at && note.to >= at, 'notes follow one another without gaps')
    assert(note.to <= bytes.length, 'a note lies inside the bytes')
    assert(!note.text.includes('\n'), 'a note is one line')
    lines.push(...linesOf(bytes, note, width))
    at = note.to
  }
  assert(at === bytes.length, 'the notes explain all bytes')
  return `${lines.join('\n')}\n`
}

function linesOf(bytes: Uint8Array, { from, to, text }: Note, width: number): string[] {
  const lines: string[] = []
  let at = from
  do {
    const period = periodAt(bytes, at, to)
    const times = period === 0 ? 1 : Math.floor(repeatedBytes(bytes, at, to, period) / period)
    const shown = period === 0 ? Math.min(BYTES_PER_LINE, to - at) : period
    const end = at + shown * times
    const hex = [...bytes.subarray(at, at + shown)].map((b) => b.toString(16).padStart(2, '0'))
    const column = times === 1 ? hex.join(' ') : `${hex.join(' ')} × ${times}`
    const range = `${String(at).padStart(width)}-${String(end).padStart(width)}`
    const meaning = at === from ? text : ''
    lines.push(`${range}  ${column.padEnd(BYTES_PER_LINE * 3 - 1)}  ${meaning}`.trimEnd())
    at = end
  } while (at < to)
  return lines
}

/** Returns the number of bytes that repeat from `at` on long enough to be written once, or 0. */
function periodAt(bytes: Uint8Array, at: number, to: number): number {
  for (let period = 1; period < BYTES_PER_LINE; period++) {
    if (repeatedBytes(bytes, at, to, period) >= REPEATED_BYTES_MIN) return period
  }
  return 0
}

/** Returns for how many bytes from `at` on each is equal to the one `period` before it. */
function repeatedBytes(bytes: Uint8Array, at: number, to: number, period: number): number {
  let end = at + period
  while (end < to && bytes[end] === bytes[end - period]) end++
  return Math.min(end, to) - at
}

/** Reads annotated text back to its bytes. */
export function bytesOfAnnotated(text: string): Uint8Array {
  const bytes: number[] = []
  for (const line of text.split('\n')) {
    const match = /^ *\d+- *\d+ {2}((?:[0-9a-f]{2} ?)+)(?:× (\d+))?/.exec(line)
    if (match === null) continue
    const shown = match[1]!.trim().split(' ')
    for (let times = Number(match[2] ?? 1); times > 0; times--) {
      for (const pair of shown) bytes.push(Number.parseInt(pair, 16))
    }
  }
  return Uint8Array.from(bytes)
}
