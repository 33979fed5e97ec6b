// Opens the segments of a view and reads its documents. A thread has one cache of open segments: a
// segment never changes, so views with different tombstones share it.
import { BlockCache, type DocumentsReader } from '../../../format/documents/index.ts'
import { assert, CorruptionError, VersionError } from '../../../format/errors.ts'
import { Frame, type LazyBytes } from '../../../format/frame/index.ts'
import type { DocId, FieldId, SegmentNo } from '../../../format/ids.ts'
import { IdSet, idSetOfData } from '../../../format/idset/index.ts'
import { StorageError } from '../../model/index.ts'
import { mapped } from '../../runtime/index.ts'
import { segmentPath } from '../../store/catalog/index.ts'
import {
  columnsLayer,
  documentsLayer,
  type SegmentLayer,
  textLayer,
} from '../../store/layers/index.ts'
import { type DroppedFile, type FileSystem, releasePages } from '../../store/storage/index.ts'
import type { SegmentRef, ViewRef } from '../../store/views/index.ts'
import { type CachedWordSets, dropResultsOf, TextIndex, uniteLive } from '../segment-text/index.ts'
import { Expiry } from './expiry.ts'

/** A segment of one layer with the tombstones of a view. */
export type LayerSegment<Reader> = {
  readonly ref: SegmentRef
  readonly reader: Reader
  /** Ids whose copy in this segment is dead; may be empty. */
  readonly dead: IdSet
}

type Opened = { readonly layer: SegmentLayer; readonly reader: unknown }

/** A memory-mapped file. */
type Mapped = DroppedFile & { readonly path: string }

/** A closed segment, and its file, which is released after garbage collection. */
type Loaded = { readonly segments: readonly SegmentNo[]; readonly files: readonly DroppedFile[] }

/** The open segments of a thread, by number. */
export class SegmentCache {
  readonly #fs: FileSystem
  readonly #open = new Map<SegmentNo, Opened>()
  /** The memory-mapped files of open segments. */
  readonly #mapped = new Map<SegmentNo, Mapped>()
  /** The bytes of open segments whose files cannot be mapped. */
  readonly #loaded = new Map<SegmentNo, LazyBytes>()
  readonly #blocks: BlockCache
  readonly #isShared: boolean

  /**
   * `blockBytesMax`: bytes of decompressed document blocks to cache, for all segments together.
   * `isShared`: other threads have the same segments open and share data computed from them.
   * `recycles`: the owner calls `recycle`.
   */
  constructor(fs: FileSystem, blockBytesMax: number, isShared = false, recycles = false) {
    this.#fs = fs
    this.#isShared = isShared
    this.#blocks = new BlockCache(blockBytesMax, recycles)
  }

  /** Bytes of cached blocks of documents. */
  get blockBytes(): number {
    return this.#blocks.bytes
  }

  /**
   * Lets blocks of documents overwrite evicted ones. Call it when no record that was read before is
   * in use.
   */
  recycle(): void {
    this.#blocks.recycle()
  }

  /**
   * Returns the reader of a segment of the layer.
   * @throws StorageError that names the file: `missing`, `short_file`, `corrupt`, `version`
   */
  open<Reader>(layer: SegmentLayer<Reader>, ref: SegmentRef): Reader {
    assert(ref.layer === layer.name, 'a segment is opened by its layer')
    const cached = this.#open.get(ref.segment)
    // The only cast: a number is always opened by the same layer.
    if (cached !== undefined) return cached.reader as Reader
    const path = segmentPath(ref.segment, ref.layer)
    const { location, bytes } = ref
    const source =
      location.kind === 'inline' ? lasting(location.frame) : this.#fs.mapFrame(path, ref.bytes)
    const memory = source instanceof Uint8Array ? source : source.bytes
    const blocks = this.#blocks
    const resources = this.#isShared ? { blocks, sharedAs: ref.segment } : { blocks }
    const reader = inFile(path, () => layer.open(Frame.open(source, layer.kind, path), resources))
    this.#open.set(ref.segment, { layer, reader })
    if (location.kind === 'file') {
      this.#mapped.set(ref.segment, { path, bytes, memory: new WeakRef(memory.buffer) })
    }
    if (!(source instanceof Uint8Array)) this.#loaded.set(ref.segment, source)
    return reader
  }

  /**
   * Closes segments whose files have become shorter, and returns their numbers: reading a mapping
   * beyond the end of its file ends the process (SIGBUS). Opening them again reports the damage.
   * Costs a system call for each open file.
   */
  dropShortened(): readonly SegmentNo[] {
    const shortened: SegmentNo[] = []
    for (const [segment, { path, bytes }] of this.#mapped) {
      if (this.#isShorter(path, bytes)) shortened.push(segment)
    }
    this.drop(shortened)
    return shortened
  }

  /**
   * Closes all segments whose files cannot be mapped if more than `bytesMax` of them are loaded:
   * opened again, they load what is used then.
   */
  dropLoaded(bytesMax: number): Loaded {
    let bytes = 0
    for (const { loadedBytes } of this.#loaded.values()) bytes += loadedBytes()
    const segments = bytes <= bytesMax ? [] : [...this.#loaded.keys()]
    return { segments, files: this.drop(segments) }
  }

  /**
   * Removes the pages of mapped files from this thread's mappings, in microseconds a megabyte: for
   * a job that reads large segments from start to end. What is read again is mapped again.
   */
  releasePages(): void {
    for (const { memory } of this.#mapped.values()) {
      const held = memory.deref()
      if (held !== undefined) releasePages(held)
    }
  }

  #isShorter(path: string, bytes: number): boolean {
    try {
      return this.#fs.size(path) < bytes
    } catch (error) {
      // A deleted file stays complete while it is mapped.
      if (error instanceof StorageError && error.code === 'missing') return false
      throw error
    }
  }

  /**
   * Closes these segments; returns their memory-mapped files, which are unmapped after garbage
   * collection.
   */
  drop(segments: Iterable<SegmentNo>): readonly DroppedFile[] {
    const dropped: DroppedFile[] = []
    const readers: object[] = []
    for (const segment of segments) {
      const opened = this.#open.get(segment)
      if (opened === undefined) continue
      opened.layer.close(opened.reader)
      this.#open.delete(segment)
      this.#loaded.get(segment)?.close()
      this.#loaded.delete(segment)
      readers.push(opened.reader as object)
      const mapped = this.#mapped.get(segment)
      if (mapped === undefined) continue
      this.#mapped.delete(segment)
      dropped.push(mapped)
    }
    dropResultsOf(readers)
    return dropped
  }
}

/**
 * Returns a frame that does not change. Frames of a view are in shared memory; others are copied.
 */
const lasting = (frame: Uint8Array): Uint8Array =>
  frame.buffer instanceof SharedArrayBuffer ? frame : frame.slice()

/** Runs `work` on a file's bytes; errors about the bytes get the name of the file. */
export function inFile<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof CorruptionError) {
      throw new StorageError('corrupt', path, `\`${path}\` is damaged: ${error.message}`, {
        cause: error,
      })
    }
    if (error instanceof VersionError) {
      throw new StorageError('version', path, `\`${path}\` cannot be read: ${error.message}`, {
        cause: error,
      })
    }
    throw error
  }
}

/** The field whose moments say until when documents are found, and the present one in milliseconds. */
export type ExpiresAt = { readonly field: FieldId; readonly now: () => number }

/** One view of one index; layers are opened when they are first needed. */
export class OpenView {
  readonly ref: ViewRef
  readonly #cache: SegmentCache
  readonly #layers = new Map<SegmentLayer, readonly LayerSegment<unknown>[]>()
  #textIndex: TextIndex | null = null
  #stored: IdSet | null = null
  /** Null if no document expires. */
  readonly #expiry: Expiry | null

  /** `expiresAt`: null to read documents whether they have expired or not. */
  constructor(ref: ViewRef, cache: SegmentCache, expiresAt: ExpiresAt | null = null) {
    this.ref = ref
    this.#cache = cache
    this.#expiry =
      expiresAt === null
        ? null
        : new Expiry(() => this.layer(columnsLayer), expiresAt.field, expiresAt.now)
  }

  /** The segments of a layer. */
  layer<Reader>(layer: SegmentLayer<Reader>): readonly LayerSegment<Reader>[] {
    const cached = this.#layers.get(layer)
    // The only cast: the entry of a layer was opened by it.
    if (cached !== undefined) return cached as readonly LayerSegment<Reader>[]
    const segments: LayerSegment<Reader>[] = []
    for (const ref of this.ref.segments) {
      if (ref.layer !== layer.name) continue
      const reader = this.#cache.open(layer, ref)
      segments.push({ ref, reader, dead: ref.dead === null ? IdSet.empty : idSetOfData(ref.dead) })
    }
    this.#layers.set(layer, segments)
    return segments
  }

  /** The sets that are cached with words; null before the first search for words. */
  get wordSets(): CachedWordSets | null {
    return this.#textIndex?.wordSets ?? null
  }

  get textIndex(): TextIndex {
    this.#textIndex ??= new TextIndex(
      mapped(this.layer(textLayer), ({ reader, dead }) => ({
        reader,
        dead: dead.isEmpty ? null : dead,
      })),
    )
    return this.#textIndex
  }

  /**
   * All live documents that have not expired. The same object each time until one expires, and that
   * of `stored` while none has.
   */
  live(): IdSet {
    const stored = this.stored()
    return this.#expiry === null ? stored : this.#expiry.lasting(stored)
  }

  /** All live documents, those included that have expired and are not deleted yet. */
  stored(): IdSet {
    this.#stored ??= uniteLive(
      mapped(this.layer(documentsLayer), ({ reader, dead }) => ({ set: reader.idSet(), dead })),
    )
    return this.#stored
  }

  /** Returns the live document with this external id, or -1; also -1 if it has expired. */
  idOf(externalId: Uint8Array): number {
    for (const { reader, dead } of this.layer(documentsLayer)) {
      const id = reader.idOf(externalId)
      if (id < 0 || dead.has(id)) continue
      return this.#expiry === null || this.live().has(id) ? id : -1
    }
    return -1
  }

  /**
   * Returns the stored record of a live document as a read-only view, or null if the document does
   * not exist.
   */
  record(id: DocId): Uint8Array | null {
    return this.#holder(id)?.reader.record(id) ?? null
  }

  externalId(id: DocId): Uint8Array | null {
    return this.#holder(id)?.reader.externalId(id) ?? null
  }

  #holder(id: DocId): LayerSegment<DocumentsReader> | null {
    for (const segment of this.layer(documentsLayer)) {
      if (segment.reader.has(id) && !segment.dead.has(id)) return segment
    }
    return null
  }
}
