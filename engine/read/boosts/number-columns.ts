// The largest numbers of a field by document, cached by the thread: rows are packed, and a boost reads
// those of nearly all documents that a query finds, in each search.
import { MiB } from '../../../format/bytes/index.ts'
import type { ColumnsReader } from '../../../format/columns/index.ts'
import { segmentKey } from '../segment-text/index.ts'
import { ThreadCache } from './thread-cache.ts'

/** Bytes of the columns of a thread: those of two fields in a million documents. */
const BYTES_MAX = 16 * MiB
/** Reading a few rows is quicker than making a column: the share of the documents, and its inverse. */
const READ_SHARE = 16
/** Ids in a column for each document: a segment of scattered ids has none. */
const IDS_SHARE = 4
/** The key of a document without numbers. */
const NONE = 0xffffffff

export class NumberColumn {
  /** The id of the first value. */
  readonly #first: number
  /** By id; NaN without a number. */
  readonly #values: Float64Array

  /** Reads all rows of a field that has numbers. @throws CorruptionError, StorageError */
  constructor(reader: ColumnsReader, fieldId: number) {
    this.#first = reader.firstId
    this.#values = new Float64Array(reader.lastId - reader.firstId + 1).fill(Number.NaN)
    const numbers = reader.field(fieldId)!.numbers!
    const ids = reader.docs().toArray()
    const ordinals = new Uint32Array(ids.length)
    numbers.rows.extremes(ids, 0, ids.length, true, NONE, ordinals)
    for (let i = 0; i < ids.length; i++) {
      const ordinal = ordinals[i]!
      if (ordinal !== NONE) this.#values[ids[i]! - this.#first] = numbers.doubleAt(ordinal)
    }
  }

  /** Returns the values of documents of the segment, as a list of its own. */
  of(ids: Uint32Array): Float64Array {
    const found = new Float64Array(ids.length)
    const values = this.#values
    const first = this.#first
    for (let i = 0; i < ids.length; i++) found[i] = values[ids[i]! - first]!
    return found
  }
}

const THREAD_COLUMNS = new ThreadCache<NumberColumn>(BYTES_MAX, true)

/** Returns the column of a field, or null if reading `count` rows is quicker than making it. */
export function numberColumn(
  reader: ColumnsReader,
  fieldId: number,
  count: number,
): NumberColumn | null {
  const key = `${segmentKey(reader)}${fieldId}`
  const known = THREAD_COLUMNS.get(key)
  if (known !== undefined) return known
  const ids = reader.lastId - reader.firstId + 1
  const bytes = ids * Float64Array.BYTES_PER_ELEMENT
  const isFew = count * READ_SHARE < reader.docCount || ids > reader.docCount * IDS_SHARE
  if (isFew || bytes > BYTES_MAX || (reader.field(fieldId)?.numbers ?? null) === null) return null
  const column = new NumberColumn(reader, fieldId)
  THREAD_COLUMNS.set(key, column, bytes)
  return column
}
