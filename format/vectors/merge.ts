// Merges segments by writing their live documents in order of ids · ./VECTORS.md "Merging"
import type { ByteSink } from '../frame/index.ts'
import type { DocId } from '../ids.ts'
import type { IdSet } from '../idset/index.ts'
import type { ListRule } from '../vector-codes/index.ts'
import { type VectorsSummary, VectorTables } from './builder.ts'
import type { VectorEntry } from './entry.ts'
import type { VectorsReader } from './vectors-v1.ts'

/** A segment to merge, and the ids of its dead documents. */
export type VectorsOperand = { readonly reader: VectorsReader; readonly dead: IdSet }

/** A live document of an input. */
type Live = { readonly id: DocId; readonly reader: VectorsReader; readonly place: number }

/** Called with the number of documents read and the total to read. It may throw to stop a merge. */
type MergeProgress = (done: number, total: number) => void

/**
 * Number of documents between two calls of the progress; copying their rows takes a few
 * milliseconds.
 */
const PROGRESS_DOCUMENTS = 256
/** Rows are read three times: to be copied, for the center, and for the codes. */
const ROW_PASSES = 3

/**
 * Writes the live documents of all inputs, which must be distinct. Rows are copied from file to
 * file; memory holds only some bytes per document (VECTORS.md "Merging"). Returns null and writes
 * nothing if no document is live. `rule`: see `writeVectors`. @throws CorruptionError
 */
export function mergeVectors(
  inputs: readonly VectorsOperand[],
  sink: ByteSink,
  progress: MergeProgress = () => undefined,
  rule?: ListRule,
): VectorsSummary | null {
  const tables = new VectorTables()
  const live = liveWithProgress(inputs, progress)
  for (const { id, reader, place } of live()) tables.add(id, entriesAt(reader, place))
  return tables.write((embedder) => rowsOf(embedder, live), sink, rule)
}

/**
 * Returns a generator of the live documents; its passes report the progress of all passes together.
 */
function liveWithProgress(inputs: readonly VectorsOperand[], progress: MergeProgress) {
  const embedders = new Set(inputs.flatMap(({ reader }) => [...reader.embedders].map(nameOf)))
  const documents = inputs.reduce((sum, { reader, dead }) => sum + reader.ids.andNot(dead).size, 0)
  const total = documents * (1 + ROW_PASSES * embedders.size)
  let done = 0
  return function* live(): Iterable<Live> {
    for (const one of liveDocuments(inputs)) {
      if (done++ % PROGRESS_DOCUMENTS === 0) progress(done, total)
      yield one
    }
  }
}

const nameOf = ({ name }: { readonly name: string }): string => name

/** Returns all entries of the document at a place. @throws CorruptionError */
export function entriesAt(reader: VectorsReader, place: number): readonly VectorEntry[] {
  const entries: VectorEntry[] = []
  for (const embedder of reader.embedders) {
    const entry = embedder.entryAt(place)
    if (entry !== null) entries.push(entry)
  }
  return entries
}

function* rowsOf(embedder: string, live: () => Iterable<Live>): Iterable<Uint8Array> {
  for (const { reader, place } of live()) {
    const entry = reader.embedder(embedder)?.entryAt(place)
    if (entry !== undefined && entry !== null && entry.rows > 0) yield entry.stored
  }
}

/** Yields the live documents of all inputs in order of ids. */
function* liveDocuments(inputs: readonly VectorsOperand[]): Iterable<Live> {
  const cursors = inputs.map(({ reader, dead }) => {
    return { reader, dead, ids: reader.ids.toArray(), place: -1 }
  })
  const next = (cursor: (typeof cursors)[number]): boolean => {
    const { ids, dead } = cursor
    cursor.place++
    while (cursor.place < ids.length && dead.has(ids[cursor.place]!)) cursor.place++
    return cursor.place < ids.length
  }
  const open = cursors.filter(next)
  while (open.length > 0) {
    let least = 0
    for (let i = 1; i < open.length; i++) {
      if (open[i]!.ids[open[i]!.place]! < open[least]!.ids[open[least]!.place]!) least = i
    }
    const cursor = open[least]!
    yield { id: cursor.ids[cursor.place]!, reader: cursor.reader, place: cursor.place }
    if (!next(cursor)) open.splice(least, 1)
  }
}
