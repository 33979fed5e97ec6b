// Writes one segment of the documents layer in one pass, ids ascending · layout: ./DOCUMENTS.md
//
// Blocks stream to the sink. Held in memory until the end: 16 bytes per block and, per document,
// its external id and about 8 bytes.
import { ByteWriter, VARINT_BYTES_MAX } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import { type ByteSink, FrameWriter } from '../frame/index.ts'
import type { DocId } from '../ids.ts'
import { ExternalIdsWriter } from './external-ids-v1.ts'
import {
  BLOCK_EXPANSION_MAX,
  BLOCK_RAW_BYTES_MAX,
  BLOCK_TARGET_BYTES,
  DOCUMENTS_PER_SEGMENT_MAX,
} from './limits.ts'
import { RunsWriter } from './runs-v1.ts'

export const DOCUMENTS_KIND = 'DOCS'

/**
 * Compresses a block. The argument is valid only during the call; the result must not be
 * overwritten before the next call.
 */
export type Compress = (bytes: Uint8Array) => Uint8Array

export class DocumentsWriter {
  readonly #frame: FrameWriter
  readonly #compress: Compress
  readonly #index = new ByteWriter(1 << 10)
  readonly #runs = new RunsWriter()
  readonly #externalIds = new ExternalIdsWriter()
  /** The records of the open block, and their lengths as varints. */
  readonly #records = new ByteWriter(BLOCK_TARGET_BYTES * 2)
  readonly #lengths = new ByteWriter(256)
  readonly #block = new ByteWriter(BLOCK_TARGET_BYTES * 2)
  #blockFirst = 0
  #count = 0
  #lastId = -1

  constructor(sink: ByteSink, compress: Compress) {
    this.#compress = compress
    this.#frame = new FrameWriter(DOCUMENTS_KIND, sink)
    this.#frame.begin('BLKS', 1)
  }

  /** Number of documents added so far. */
  get count(): number {
    return this.#count
  }

  /** Adds the next document, whose id must be above the one before. The arguments are copied. */
  add(id: DocId, externalId: Uint8Array, record: Uint8Array): void {
    assert(id > this.#lastId && id < 2 ** 32, 'document ids ascend')
    assert(this.#count < DOCUMENTS_PER_SEGMENT_MAX, 'a segment holds at most 2^24 - 1 documents')
    assert(record.length > 0, 'a record has bytes')
    assert(record.length < BLOCK_RAW_BYTES_MAX - VARINT_BYTES_MAX, 'a record is below 1 GiB')
    if (this.#records.length + record.length > BLOCK_TARGET_BYTES) this.#flush()
    this.#lengths.varint(record.length)
    this.#records.bytes(record)
    this.#runs.add(id)
    this.#externalIds.add(externalId)
    this.#lastId = id
    this.#count++
  }

  /** Writes the remaining block and sections; returns the length of the frame in bytes. */
  finish(): number {
    this.#flush()
    this.#entry(this.#count, 0)
    this.#frame.end()
    this.#frame.section('BIDX', 1, this.#index.view())
    this.#frame.section('RUNS', 1, this.#runs.finish())
    this.#externalIds.write(this.#frame)
    return this.#frame.finish()
  }

  #flush(): void {
    if (this.#records.length === 0) return
    const block = this.#block
    block.clear()
    block.bytes(this.#lengths.view())
    block.bytes(this.#records.view())
    this.#entry(this.#blockFirst, block.length)
    const raw = block.view()
    const packed = this.#compress(raw)
    const stored = packed.length < raw.length ? packed : raw
    assert(raw.length <= BLOCK_RAW_BYTES_MAX, 'a block is at most 1 GiB long')
    assert(raw.length <= stored.length * BLOCK_EXPANSION_MAX, 'a reader may decompress the block')
    this.#frame.write(stored)
    this.#lengths.clear()
    this.#records.clear()
    this.#blockFirst = this.#count
  }

  #entry(firstPosition: number, rawBytes: number): void {
    this.#index.u32(firstPosition)
    this.#index.u32(rawBytes)
    this.#index.u64(this.#frame.sectionBytes)
  }
}
