// Reads one segment of the documents layer in place · layout: ./DOCUMENTS.md
import { assert, refuse } from '../errors.ts'
import { Frame } from '../frame/index.ts'
import type { DocId } from '../ids.ts'
import type { IdSet } from '../idset/index.ts'
import { BlockCache, type CachedBlocks } from './block-cache.ts'
import { BlockRecords, Blocks, type Decompress } from './blocks-v1.ts'
import { ExternalIds } from './external-ids-v1.ts'
import { OWN_CACHE_BYTES } from './limits.ts'
import { RecordFields } from './record-v1.ts'
import { Runs } from './runs-v1.ts'
import { DOCUMENTS_KIND } from './writer-v1.ts'

export class DocumentsReader {
  readonly count: number
  readonly #frame: Frame
  readonly #decompress: Decompress
  readonly #externalIds: ExternalIds
  readonly #cache: BlockCache
  readonly #cached: CachedBlocks = new Map()
  readonly #fields = new RecordFields()
  readonly #records = new BlockRecords()
  #runs: Runs | null = null
  #blocks: Blocks | null = null

  private constructor(frame: Frame, decompress: Decompress, cache: BlockCache) {
    this.#frame = frame
    this.#decompress = decompress
    this.#cache = cache
    this.#externalIds = new ExternalIds(
      frame.section('XIDS'),
      frame.section('XEND'),
      frame.section('XHSH'),
    )
    this.count = this.#externalIds.count
    for (const tag of ['BLKS', 'BIDX', 'RUNS']) frame.section(tag)
  }

  /**
   * Opens a segment; reads only section lengths. Without a shared cache the reader has its own of
   * 256 KiB.
   * @throws CorruptionError, VersionError
   */
  static open(frame: Frame, decompress: Decompress, cache?: BlockCache): DocumentsReader {
    if (frame.kind !== DOCUMENTS_KIND) {
      refuse(frame.kind, 4, 'bad_magic', DOCUMENTS_KIND, frame.kind)
    }
    return new DocumentsReader(frame, decompress, cache ?? new BlockCache(OWN_CACHE_BYTES))
  }

  /** Opens a frame's bytes, see `open`. */
  static ofBytes(bytes: Uint8Array, decompress: Decompress, cache?: BlockCache): DocumentsReader {
    return DocumentsReader.open(Frame.open(bytes, DOCUMENTS_KIND), decompress, cache)
  }

  /** Releases cached blocks. The reader must not be used afterwards. */
  close(): void {
    this.#cache.forget(this.#cached)
  }

  /** Checks the whole frame, and reads everything, for tests. @throws CorruptionError */
  verifyAll(): void {
    this.#frame.verifyAll()
    const cursor = this.cursor()
    while (cursor.next()) {
      this.#fields.read(cursor.record)
      const found = this.#externalIds.positionOf(cursor.externalId)
      if (found !== cursor.position) refuse('XHSH', 0, 'bad_value', cursor.position, found)
    }
  }

  get runs(): Runs {
    this.#runs ??= new Runs(this.#frame.section('RUNS'), this.count)
    return this.#runs
  }

  get blocks(): Blocks {
    this.#blocks ??= new Blocks(
      this.#frame.section('BIDX'),
      this.#frame.section('BLKS'),
      this.count,
      this.#decompress,
    )
    return this.#blocks
  }

  /** Returns the ids of the segment, dead ones included. */
  idSet(): IdSet {
    return this.runs.idSet()
  }

  has(id: DocId): boolean {
    return this.runs.positionOf(id) >= 0
  }

  /**
   * Returns the record of a document, or null if the segment does not have the id. The bytes are a
   * view of the frame, or of memory that is overwritten at the earliest when the cache is recycled.
   * @throws CorruptionError
   */
  record(id: DocId): Uint8Array | null {
    const position = this.runs.positionOf(id)
    if (position < 0) return null
    const blocks = this.blocks
    const block = blocks.blockOf(position)
    const bytes = this.#block(block)
    const first = blocks.firstPosition(block)
    this.#records.read(bytes, blocks.firstPosition(block + 1) - first)
    const { starts } = this.#records
    return bytes.subarray(starts[position - first]!, starts[position - first + 1]!)
  }

  /**
   * Returns the field ids of a document, ascending, or null if the segment does not have the id.
   * @throws CorruptionError
   */
  fieldsOf(id: DocId): Uint16Array | null {
    const record = this.record(id)
    if (record === null) return null
    this.#fields.read(record)
    return this.#fields.ids.slice(0, this.#fields.count)
  }

  /**
   * Returns the external id of a document as a view, or null if the segment does not have the id.
   * @throws CorruptionError
   */
  externalId(id: DocId): Uint8Array | null {
    const position = this.runs.positionOf(id)
    return position < 0 ? null : this.#externalIds.at(position)
  }

  /**
   * Returns the document with this external id, which may be dead, or -1. @throws CorruptionError
   */
  idOf(externalId: Uint8Array): number {
    const position = this.#externalIds.positionOf(externalId)
    return position < 0 ? -1 : this.runs.idAt(position)
  }

  /**
   * Returns a cursor over the documents at positions [from, to), in order of ids; by default all
   * documents.
   */
  cursor(from = 0, to = this.count): DocumentsCursor {
    return new DocumentsCursor(this.runs, this.blocks, this.#externalIds, from, to)
  }

  #block(block: number): Uint8Array {
    const cached = this.#cache.get(this.#cached, block)
    if (cached !== null) return cached
    const bytes = this.blocks.read(block, this.#cache)
    if (bytes.buffer !== this.#frame.bytes.buffer) this.#cache.put(this.#cached, block, bytes)
    return bytes
  }
}

/** Walks over documents. Decompresses only blocks from which a record is read, each once. */
export class DocumentsCursor {
  readonly #runs: Runs
  readonly #blocks: Blocks
  readonly #externalIds: ExternalIds
  readonly #end: number
  readonly #records = new BlockRecords()
  #bytes: Uint8Array = new Uint8Array(0)
  #blockFirst = 0
  #blockEnd = 0
  position: number
  id = -1

  constructor(runs: Runs, blocks: Blocks, externalIds: ExternalIds, from: number, to: number) {
    this.#runs = runs
    this.#blocks = blocks
    this.#externalIds = externalIds
    this.#end = to
    this.position = from - 1
  }

  /** Moves to the next document; returns false at the end. */
  next(): boolean {
    if (this.position + 1 >= this.#end) return false
    this.id = this.#runs.idAt(++this.position)
    return true
  }

  /** Moves to the next document that is not in `dead`; returns false at the end. */
  nextLive(dead: IdSet): boolean {
    while (this.next()) if (!dead.has(this.id)) return true
    return false
  }

  /**
   * The record of the current document: a view, valid until the cursor reads another block. @throws
   * CorruptionError
   */
  get record(): Uint8Array {
    assert(this.id >= 0, 'a cursor is moved before it is read')
    if (this.position >= this.#blockEnd) this.#load()
    const i = this.position - this.#blockFirst
    return this.#bytes.subarray(this.#records.starts[i]!, this.#records.starts[i + 1]!)
  }

  /** The external id of the current document: a view. @throws CorruptionError */
  get externalId(): Uint8Array {
    return this.#externalIds.at(this.position)
  }

  #load(): void {
    const block = this.#blocks.blockOf(this.position)
    this.#blockFirst = this.#blocks.firstPosition(block)
    this.#blockEnd = this.#blocks.firstPosition(block + 1)
    this.#bytes = this.#blocks.read(block)
    this.#records.read(this.#bytes, this.#blockEnd - this.#blockFirst)
  }
}
