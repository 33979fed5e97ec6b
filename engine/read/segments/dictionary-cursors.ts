// Cursors over the dictionaries of several segments, walked side by side in byte order.

import { compareBytes } from '../../../format/bytes/index.ts'
import type { TermOrdinal } from '../../../format/ids.ts'

/** What walks a segment's dictionary: every key, those of a prefix, or those near a word. */
export type DictionaryCursor = {
  next(): boolean
  readonly bytes: Uint8Array
  readonly length: number
  readonly ordinal: TermOrdinal
}

/** Whether the cursor stands on exactly these bytes. */
export function standsOn(cursor: DictionaryCursor, bytes: Uint8Array): boolean {
  if (cursor.length !== bytes.length) return false
  for (let i = 0; i < bytes.length; i++) if (cursor.bytes[i] !== bytes[i]) return false
  return true
}

/** The first of the open cursors that stands on the least key; -1: none is open. */
export function leastCursor(
  cursors: readonly DictionaryCursor[],
  open: readonly boolean[],
): number {
  let least = -1
  for (let s = 0; s < cursors.length; s++) {
    if (!open[s]) continue
    if (least < 0 || isBefore(cursors[s]!, cursors[least]!)) least = s
  }
  return least
}

function isBefore(a: DictionaryCursor, b: DictionaryCursor): boolean {
  return compareBytes(a.bytes.subarray(0, a.length), b.bytes.subarray(0, b.length)) < 0
}
