// Merges segments by writing their live documents in order of ids · ./DOCUMENTS.md "Merging"
import { assert } from '../errors.ts'
import type { IdSet } from '../idset/index.ts'
import type { DocumentsCursor, DocumentsReader } from './reader-v1.ts'
import type { DocumentsWriter } from './writer-v1.ts'

/** A segment to merge, and the ids of its dead documents. */
export type DocumentsOperand = { readonly reader: DocumentsReader; readonly dead: IdSet }

/**
 * Adds the live documents of all inputs to `writer`. An id may be live in one input only. @throws
 * CorruptionError
 */
export function mergeDocuments(inputs: readonly DocumentsOperand[], writer: DocumentsWriter): void {
  const cursors: DocumentsCursor[] = []
  const dead: IdSet[] = []
  for (const input of inputs) {
    const cursor = input.reader.cursor()
    if (!cursor.nextLive(input.dead)) continue
    cursors.push(cursor)
    dead.push(input.dead)
  }
  while (cursors.length > 0) {
    const first = smallest(cursors, -1)
    const second = smallest(cursors, first)
    const cursor = cursors[first]!
    const limit = second < 0 ? Infinity : cursors[second]!.id
    assert(cursor.id < limit, 'a document is live in one segment only')
    if (!copyBelow(cursor, dead[first]!, limit, writer)) {
      cursors.splice(first, 1)
      dead.splice(first, 1)
    }
  }
}

/** Copies live documents with ids below `limit`; returns false at the end of the cursor. */
function copyBelow(
  cursor: DocumentsCursor,
  dead: IdSet,
  limit: number,
  writer: DocumentsWriter,
): boolean {
  do {
    writer.add(cursor.id, cursor.externalId, cursor.record)
    if (!cursor.nextLive(dead)) return false
  } while (cursor.id < limit)
  return true
}

/** Returns the index of the cursor with the smallest id, ignoring the one at `except`, or -1. */
function smallest(cursors: readonly DocumentsCursor[], except: number): number {
  let best = -1
  for (let i = 0; i < cursors.length; i++) {
    if (i !== except && (best < 0 || cursors[i]!.id < cursors[best]!.id)) best = i
  }
  return best
}
