// The vectors of the documents of one chunk; some are computed only when the chunk is complete.
import { encodeEntries, storedRows, type VectorEntry } from '../../../format/vectors/index.ts'
import type { MadeVectors } from './vector-maker.ts'

/** An entry whose vectors are still to be computed. */
export type AwaitedEntry = Omit<VectorEntry, 'dimensions' | 'rows' | 'fragments' | 'stored'> & {
  readonly ticket: number
}

/** Number of vectors, and number of documents that have any. */
export type VectorCounts = { readonly vectors: number; readonly documents: number }

export const countsOf = (entries: readonly VectorEntry[]): VectorCounts => {
  const vectors = entries.reduce((sum, { rows }) => sum + rows, 0)
  return { vectors, documents: vectors > 0 ? 1 : 0 }
}

export class ChunkVectors {
  #documents: (readonly (VectorEntry | AwaitedEntry)[])[] = []
  /** Bytes of the vectors that are already known. */
  bytes = 0

  /** Adds the entries of the next document of the chunk; they are referenced until `take`. */
  add(entries: readonly (VectorEntry | AwaitedEntry)[]): void {
    this.#documents.push(entries)
    for (const entry of entries) if (!('ticket' in entry)) this.bytes += entry.stored.length
  }

  /** Removes the last document, which had no entries. */
  undo(): void {
    this.#documents.pop()
  }

  /**
   * Returns the encoded entries of each document, and clears the chunk. `complete` checks computed
   * vectors and returns their dimensions.
   */
  take(
    made: ReadonlyMap<number, MadeVectors>,
    complete: (embedder: string, rows: readonly Float32Array[]) => number,
  ): { readonly encoded: readonly Uint8Array[]; readonly counts: VectorCounts } {
    let vectors = 0
    let documents = 0
    const encoded = this.#documents.map((entries) => {
      const all = entries.map((entry) =>
        'ticket' in entry ? completed(entry, made.get(entry.ticket), complete) : entry,
      )
      const counts = countsOf(all)
      vectors += counts.vectors
      documents += counts.documents
      return encodeEntries(all)
    })
    this.#documents = []
    this.bytes = 0
    return { encoded, counts: { vectors, documents } }
  }
}

function completed(
  { ticket: _, ...entry }: AwaitedEntry,
  made: MadeVectors | undefined,
  complete: (embedder: string, rows: readonly Float32Array[]) => number,
): VectorEntry {
  const rows = made?.rows ?? []
  const dimensions = complete(entry.embedder, rows)
  return {
    ...entry,
    dimensions,
    rows: rows.length,
    fragments: made?.fragments == null ? null : Uint8Array.from(made.fragments),
    stored: storedRows(entry.form, dimensions, rows),
  }
}
