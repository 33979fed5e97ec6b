// A chunk: the documents from which one segment of each layer is built, as records with their ids.
// Chunks are cut by size only, see `chunk-size.ts`. They are plain memory, so they can be sent to
// another thread.
import { lengthened } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'
import type { DocId } from '../../../format/ids.ts'
import { NO_ENTRIES } from '../../../format/vectors/index.ts'

export type Chunk = {
  readonly count: number
  /** Ascending. */
  readonly ids: Uint32Array
  /** The layers that each document goes into, as bits; see `layerBit`. */
  readonly into: Uint32Array
  /**
   * End offsets of external ids and of records in their arenas, where they are consecutive from 0.
   */
  readonly externalEnds: Uint32Array
  readonly externals: Uint8Array
  readonly recordEnds: Uint32Array
  readonly records: Uint8Array
  /** Vectors as entries encoded by `format/vectors`. Empty if no document has vectors. */
  readonly vectorEnds: Float64Array
  readonly vectors: Uint8Array
}

const NO_BYTES = new Uint8Array(0)
const RECORD_BYTES_MIN = 1 << 12
/** Room for records that are a little larger than expected, and for the last one of a chunk. */
const RECORD_BYTES_MORE = 1 << 16

/** Collects documents in id order into a chunk. */
export class ChunkBuilder {
  readonly #recordBytesExpected: number
  #count = 0
  #ids = new Uint32Array(256)
  #into = new Uint32Array(256)
  #externalEnds = new Uint32Array(256)
  #recordEnds = new Uint32Array(256)
  #externals = new Uint8Array(1 << 12)
  #externalBytes = 0
  #records: Uint8Array<ArrayBuffer> = NO_BYTES
  #recordBytes = 0

  /**
   * `recordBytesExpected`: of the records of a chunk. That many are allocated with the first
   * document: pages that are never written occupy no memory, while growing copies leave twice as
   * much garbage.
   */
  constructor(recordBytesExpected = 0) {
    this.#recordBytesExpected = recordBytesExpected
  }

  get count(): number {
    return this.#count
  }

  /** Bytes of records so far; the chunk is cut when these and its vectors reach the limit. */
  get bytes(): number {
    return this.#recordBytes
  }

  add(id: DocId, into: number, externalId: Uint8Array, record: Uint8Array): void {
    const n = this.#count
    assert(n === 0 || this.#ids[n - 1]! < id, 'documents of a chunk ascend')
    if (n === this.#ids.length) this.#grow()
    this.#externals = room(this.#externals, this.#externalBytes, externalId.length)
    this.#externals.set(externalId, this.#externalBytes)
    this.#externalBytes += externalId.length
    if (n === 0) this.#records = this.#newRecords()
    this.#records = room(this.#records, this.#recordBytes, record.length)
    this.#records.set(record, this.#recordBytes)
    this.#recordBytes += record.length
    this.#ids[n] = id
    this.#into[n] = into
    this.#externalEnds[n] = this.#externalBytes
    this.#recordEnds[n] = this.#recordBytes
    this.#count++
  }

  /**
   * Returns the documents so far as views of this builder's memory; the builder restarts with fresh
   * memory. `vectors`: the encoded entries of each document, or null if no document has vectors.
   */
  take(vectors: readonly Uint8Array[] | null = null): Chunk {
    const n = this.#count
    assert(vectors === null || vectors.length === n, 'each document has its vectors, or none has')
    const chunk: Chunk = {
      count: n,
      ids: this.#ids.subarray(0, n),
      into: this.#into.subarray(0, n),
      externalEnds: this.#externalEnds.subarray(0, n),
      externals: this.#externals.subarray(0, this.#externalBytes),
      recordEnds: this.#recordEnds.subarray(0, n),
      records: this.#takeRecords(),
      ...joined(vectors ?? []),
    }
    this.#ids = new Uint32Array(256)
    this.#into = new Uint32Array(256)
    this.#externalEnds = new Uint32Array(256)
    this.#recordEnds = new Uint32Array(256)
    this.#externals = new Uint8Array(1 << 12)
    this.#records = NO_BYTES
    this.#count = 0
    this.#externalBytes = 0
    this.#recordBytes = 0
    return chunk
  }

  #newRecords(): Uint8Array<ArrayBuffer> {
    const expected = this.#recordBytesExpected
    return new Uint8Array(
      Math.max(RECORD_BYTES_MIN, expected + Math.min(expected, RECORD_BYTES_MORE)),
    )
  }

  /** Returns the records; a copy if they fill little of their memory, which threads would copy. */
  #takeRecords(): Uint8Array {
    const length = this.#recordBytes
    if (length < this.#records.length / 2) return this.#records.slice(0, length)
    return this.#records.subarray(0, length)
  }

  #grow(): void {
    const size = this.#count * 2
    this.#ids = lengthened(this.#ids, size)
    this.#into = lengthened(this.#into, size)
    this.#externalEnds = lengthened(this.#externalEnds, size)
    this.#recordEnds = lengthened(this.#recordEnds, size)
  }
}

function room(
  bytes: Uint8Array<ArrayBuffer>,
  length: number,
  more: number,
): Uint8Array<ArrayBuffer> {
  if (length + more <= bytes.length) return bytes
  const grown = new Uint8Array(Math.max(length + more, bytes.length * 2))
  grown.set(bytes.subarray(0, length))
  return grown
}

/** Returns the external id of document `i` of a chunk: a view. */
export const externalIdAt = (chunk: Chunk, i: number): Uint8Array =>
  chunk.externals.subarray(i === 0 ? 0 : chunk.externalEnds[i - 1]!, chunk.externalEnds[i]!)

/** Returns the record of document `i` of a chunk: a view. */
export const recordAt = (chunk: Chunk, i: number): Uint8Array =>
  chunk.records.subarray(i === 0 ? 0 : chunk.recordEnds[i - 1]!, chunk.recordEnds[i]!)

function joined(parts: readonly Uint8Array[]): Pick<Chunk, 'vectors' | 'vectorEnds'> {
  const vectorEnds = new Float64Array(parts.length)
  let length = 0
  parts.forEach((part, i) => {
    length += part.length
    vectorEnds[i] = length
  })
  const vectors = new Uint8Array(length)
  parts.forEach((part, i) => {
    vectors.set(part, vectorEnds[i]! - part.length)
  })
  return { vectors, vectorEnds }
}

/** Returns the vectors of document `i` of a chunk: a view. */
export const vectorsAt = ({ vectors, vectorEnds }: Chunk, i: number): Uint8Array =>
  vectorEnds.length === 0
    ? NO_ENTRIES
    : vectors.subarray(i === 0 ? 0 : vectorEnds[i - 1]!, vectorEnds[i]!)
