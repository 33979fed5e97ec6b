// Opens the segments a view names and answers for its documents. A thread has one cache of open
// segments: a segment never changes, so views share it, whatever their tombstones.
import { BlockCache, type DocumentsReader } from '../../../format/documents/index.ts'
import { assert, CorruptionError, VersionError } from '../../../format/errors.ts'
import { Frame } from '../../../format/frame/index.ts'
import { IdSet, idSetOfData } from '../../../format/idset/index.ts'
import { mapped, StorageError } from '../../model/index.ts'
import { segmentPath } from '../../store/catalog/index.ts'
import { documentsLayer, type SegmentLayer, textLayer } from '../../store/layers/index.ts'
import type { DroppedFile, FileSystem } from '../../store/storage/index.ts'
import type { SegmentRef, ViewRef } from '../../store/views/index.ts'
import { uniteLive } from './live-sets.ts'
import { dropSetsOf } from './set-cache.ts'
import { TextIndex } from './text-index.ts'

/** A segment of one layer with the tombstones of a view. */
export type LayerSegment<Reader> = {
  readonly ref: SegmentRef
  readonly reader: Reader
  /** Ids whose copy here is dead; may be empty. */
  readonly dead: IdSet
}

type Opened = { readonly layer: SegmentLayer; readonly reader: unknown }

/** A file in memory. */
type Mapped = DroppedFile & { readonly path: string }

/** Segments a thread has open, by number. */
export class SegmentCache {
  readonly #fs: FileSystem
  readonly #open = new Map<number, Opened>()
  /** Of those that are open: files in memory. */
  readonly #mapped = new Map<number, Mapped>()
  readonly #blocks: BlockCache
  readonly #isShared: boolean

  /**
   * `blockBytesMax`: decompressed blocks of stored documents kept, all segments together.
   * `isShared`: other threads have the same segments open, and share what they hold of them.
   */
  constructor(fs: FileSystem, blockBytesMax: number, isShared = false) {
    this.#fs = fs
    this.#isShared = isShared
    this.#blocks = new BlockCache(blockBytesMax)
  }

  /**
   * The reader of a segment of the layer.
   * @throws StorageError that names the file: `missing`, `short_file`, `corrupt`, `version`
   */
  open<Reader>(layer: SegmentLayer<Reader>, ref: SegmentRef): Reader {
    assert(ref.layer === layer.name, 'a segment is opened by its layer')
    const known = this.#open.get(ref.segment)
    // The only cast: what this layer opened under this number is what it gets back.
    if (known !== undefined) return known.reader as Reader
    const path = segmentPath(ref.segment, ref.layer)
    const { location, bytes } = ref
    const memory =
      location.kind === 'inline' ? lasting(location.frame) : this.#fs.map(path, ref.bytes)
    const blocks = this.#blocks
    const resources = this.#isShared ? { blocks, sharedAs: ref.segment } : { blocks }
    const reader = inFile(path, () => layer.open(Frame.open(memory, layer.kind, path), resources))
    this.#open.set(ref.segment, { layer, reader })
    if (location.kind === 'file') {
      this.#mapped.set(ref.segment, { path, bytes, memory: new WeakRef(memory.buffer) })
    }
    return reader
  }

  /**
   * Lets go of segments whose files are not as long as they were, and returns their numbers: a
   * mapping that is read behind the end of its file ends the process (SIGBUS). Opening them again
   * says what is wrong. Costs a look at every open file: 8 µs each.
   */
  dropShortened(): readonly number[] {
    const shortened: number[] = []
    for (const [segment, { path, bytes }] of this.#mapped) {
      if (this.#isShorter(path, bytes)) shortened.push(segment)
    }
    this.drop(shortened)
    return shortened
  }

  #isShorter(path: string, bytes: number): boolean {
    try {
      return this.#fs.size(path) < bytes
    } catch (error) {
      // A file without a name is whole as long as it is mapped.
      if (error instanceof StorageError && error.code === 'missing') return false
      throw error
    }
  }

  /**
   * Lets go of these segments; returns those files of them that were in memory, which are unmapped
   * when collected.
   */
  drop(segments: Iterable<number>): readonly DroppedFile[] {
    const dropped: DroppedFile[] = []
    const readers: object[] = []
    for (const segment of segments) {
      const opened = this.#open.get(segment)
      if (opened === undefined) continue
      opened.layer.close(opened.reader)
      this.#open.delete(segment)
      readers.push(opened.reader as object)
      const mapped = this.#mapped.get(segment)
      if (mapped === undefined) continue
      this.#mapped.delete(segment)
      dropped.push(mapped)
    }
    dropSetsOf(readers)
    return dropped
  }
}

/** A frame is never changed. Frames of a view lie in shared memory, other frames need not. */
const lasting = (frame: Uint8Array): Uint8Array =>
  frame.buffer instanceof SharedArrayBuffer ? frame : frame.slice()

/** Runs `work` on a file's bytes; what is wrong with them is told with the file's name. */
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

/** One view of one index, its layers opened when first asked for. */
export class OpenView {
  readonly ref: ViewRef
  readonly #cache: SegmentCache
  readonly #layers = new Map<SegmentLayer, readonly LayerSegment<unknown>[]>()
  #textIndex: TextIndex | null = null
  #live: IdSet | null = null

  constructor(ref: ViewRef, cache: SegmentCache) {
    this.ref = ref
    this.#cache = cache
  }

  /** The segments of a layer. */
  layer<Reader>(layer: SegmentLayer<Reader>): readonly LayerSegment<Reader>[] {
    const known = this.#layers.get(layer)
    // The only cast: what is kept under a layer was opened by it.
    if (known !== undefined) return known as readonly LayerSegment<Reader>[]
    const segments: LayerSegment<Reader>[] = []
    for (const ref of this.ref.segments) {
      if (ref.layer !== layer.name) continue
      const reader = this.#cache.open(layer, ref)
      segments.push({ ref, reader, dead: ref.dead === null ? IdSet.empty : idSetOfData(ref.dead) })
    }
    this.#layers.set(layer, segments)
    return segments
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

  /** All live documents. */
  live(): IdSet {
    this.#live ??= uniteLive(
      mapped(this.layer(documentsLayer), ({ reader, dead }) => ({ set: reader.idSet(), dead })),
    )
    return this.#live
  }

  /** The live document with this external id, or -1. */
  idOf(externalId: Uint8Array): number {
    for (const { reader, dead } of this.layer(documentsLayer)) {
      const id = reader.idOf(externalId)
      if (id >= 0 && !dead.has(id)) return id
    }
    return -1
  }

  /**
   * The stored record of a live document: a view that nobody writes to. null when it is not there.
   */
  record(id: number): Uint8Array | null {
    return this.#holder(id)?.reader.record(id) ?? null
  }

  externalId(id: number): Uint8Array | null {
    return this.#holder(id)?.reader.externalId(id) ?? null
  }

  #holder(id: number): LayerSegment<DocumentsReader> | null {
    for (const segment of this.layer(documentsLayer)) {
      if (segment.reader.has(id) && !segment.dead.has(id)) return segment
    }
    return null
  }
}
