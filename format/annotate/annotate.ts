// Annotated bytes: hex and meaning, line by line, for golden files and `svc-tools`. A change of a
// format then shows as a change of text that a reviewer can read.
import { crc32 } from 'node:zlib'
import { assert } from '../errors.ts'

/** The meaning of bytes [from, to). Notes are in order and do not overlap. */
export type Note = { readonly from: number; readonly to: number; readonly text: string }

const BYTES_PER_LINE = 16
const BYTES_SHOWN_MAX = 64

/**
 * Writes one line per note: the range, the bytes in hex, the meaning. Bytes between notes get a
 * separate line marked `?`, so no byte is omitted silently. A long run shows its first bytes, its
 * length and a checksum of the others.
 */
export function annotate(bytes: Uint8Array, notes: readonly Note[]): string {
  const lines: string[] = []
  const width = String(bytes.length).length
  let at = 0
  for (const note of notes) {
    assert(note.from >= at && note.to >= note.from, 'notes are in order and do not overlap')
    assert(note.to <= bytes.length, 'a note lies inside the bytes')
    assert(!note.text.includes('\n'), 'a note is one line')
    if (note.from > at) lines.push(...lineOf(bytes, at, note.from, '?', width))
    lines.push(...lineOf(bytes, note.from, note.to, note.text, width))
    at = note.to
  }
  if (at < bytes.length) lines.push(...lineOf(bytes, at, bytes.length, '?', width))
  return `${lines.join('\n')}\n`
}

function lineOf(
  bytes: Uint8Array,
  from: number,
  to: number,
  text: string,
  width: number,
): string[] {
  const shown = Math.min(to, from + BYTES_SHOWN_MAX)
  const lines: string[] = []
  for (let at = from; at < shown || at === from; at += BYTES_PER_LINE) {
    const end = Math.min(at + BYTES_PER_LINE, shown)
    const hex = [...bytes.subarray(at, end)].map((b) => b.toString(16).padStart(2, '0')).join(' ')
    const range = `${String(at).padStart(width)}-${String(end).padStart(width)}`
    const meaning = at === from ? text : ''
    lines.push(`${range}  ${hex.padEnd(BYTES_PER_LINE * 3 - 1)}  ${meaning}`.trimEnd())
  }
  if (shown < to) {
    const checksum = crc32(bytes.subarray(shown, to)).toString(16).padStart(8, '0')
    const rest = `… ${to - shown} more bytes, checksum ${checksum}`
    lines.push(`${' '.repeat(width * 2 + 1)}  ${rest}`)
  }
  return lines
}

/** Reads annotated text back to its bytes; returns null if a long run omits bytes. */
export function bytesOfAnnotated(text: string): Uint8Array | null {
  const bytes: number[] = []
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    if (/^ +… \d+ more bytes, checksum [0-9a-f]{8}$/.test(line)) return null
    const match = /^ *\d+- *\d+ {2}((?:[0-9a-f]{2} ?)*)/.exec(line)
    if (match === null) continue
    for (const pair of match[1]!.trim().split(' ')) if (pair) bytes.push(Number.parseInt(pair, 16))
  }
  return Uint8Array.from(bytes)
}
