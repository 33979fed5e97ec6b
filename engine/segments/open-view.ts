// Opens the segments a view names and answers for its documents. A thread has one cache of open
// segments: a segment never changes, so views share it, whatever their tombstones.
import { COLUMNS_KIND, ColumnsReader } from '../../format/columns/index.ts'
import { BlockCache, DOCUMENTS_KIND, DocumentsReader } from '../../format/documents/index.ts'
import { CorruptionError, VersionError } from '../../format/errors.ts'
import { Frame } from '../../format/frame/index.ts'
import { IdSet, idSetOfData } from '../../format/idset/index.ts'
import type { Layer } from '../../format/manifest/index.ts'
import { TEXT_KIND, TextReader } from '../../format/postings/index.ts'
import { segmentPath } from '../catalog/index.ts'
import { StorageError } from '../errors.ts'
import { decompress, type FileSystem } from '../storage/index.ts'
import { TextIndex } from './text-index.ts'
import type { SegmentRef, ViewRef } from './view-ref.ts'

const KINDS: { readonly [layer in Layer]: string } = {
  documents: DOCUMENTS_KIND,
  text: TEXT_KIND,
  columns: COLUMNS_KIND,
}

type Readers = {
  readonly documents: DocumentsReader
  readonly text: TextReader
  readonly columns: ColumnsReader
}
type Opened = Readers[Layer]

/** A segment of one layer with the tombstones of a view. */
export type LayerSegment<L extends Layer> = {
  readonly ref: SegmentRef
  readonly reader: Readers[L]
  /** Ids whose copy here is dead; the empty set where none is. */
  readonly dead: IdSet
}

/** Segments a thread has open, by number. */
export class SegmentCache {
  readonly #fs: FileSystem
  readonly #open = new Map<number, Opened>()
  /** Of those that are open: files in memory, and how long they are. */
  readonly #mapped = new Map<number, { readonly path: string; readonly bytes: number }>()
  readonly #blocks: BlockCache

  /** `blockBytesMax`: decompressed blocks of stored documents kept, all segments together. */
  constructor(fs: FileSystem, blockBytesMax: number) {
    this.#fs = fs
    this.#blocks = new BlockCache(blockBytesMax)
  }

  /** @throws StorageError that names the file: `missing`, `short_file`, `corrupt`, `version` */
  open<L extends Layer>(ref: SegmentRef & { readonly layer: L }): Readers[L] {
    const known = this.#open.get(ref.segment)
    if (known !== undefined) return known as Readers[L]
    const path = segmentPath(ref.segment, ref.layer)
    const opened = inFile(path, () => this.#read(ref, path))
    this.#open.set(ref.segment, opened)
    if (ref.location.kind === 'file') this.#mapped.set(ref.segment, { path, bytes: ref.bytes })
    return opened as Readers[L]
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
   * Lets go of these segments; returns how many were open. Their files are unmapped when collected.
   */
  drop(segments: Iterable<number>): number {
    let dropped = 0
    for (const segment of segments) {
      const reader = this.#open.get(segment)
      if (reader === undefined) continue
      if (reader instanceof DocumentsReader) reader.close()
      this.#open.delete(segment)
      this.#mapped.delete(segment)
      dropped++
    }
    return dropped
  }

  #read(ref: SegmentRef, path: string): Opened {
    const bytes =
      ref.location.kind === 'inline' ? ref.location.frame.slice() : this.#fs.map(path, ref.bytes)
    const frame = Frame.open(bytes, KINDS[ref.layer], path)
    switch (ref.layer) {
      case 'documents':
        return DocumentsReader.open(frame, decompress, this.#blocks)
      case 'text':
        return TextReader.open(frame)
      case 'columns':
        return ColumnsReader.open(frame)
    }
  }
}

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
  #documents: readonly LayerSegment<'documents'>[] | null = null
  #columns: readonly LayerSegment<'columns'>[] | null = null
  #text: readonly LayerSegment<'text'>[] | null = null
  #textIndex: TextIndex | null = null
  #live: IdSet | null = null

  constructor(ref: ViewRef, cache: SegmentCache) {
    this.ref = ref
    this.#cache = cache
  }

  get documents(): readonly LayerSegment<'documents'>[] {
    this.#documents ??= this.#layer('documents')
    return this.#documents
  }

  get columns(): readonly LayerSegment<'columns'>[] {
    this.#columns ??= this.#layer('columns')
    return this.#columns
  }

  get text(): readonly LayerSegment<'text'>[] {
    this.#text ??= this.#layer('text')
    return this.#text
  }

  get textIndex(): TextIndex {
    this.#textIndex ??= new TextIndex(
      this.text.map(({ reader, dead }) => ({ reader, dead: dead.isEmpty ? null : dead })),
    )
    return this.#textIndex
  }

  /** All live documents. */
  live(): IdSet {
    if (this.#live === null) {
      let live = IdSet.empty
      for (const { reader, dead } of this.documents) live = live.or(reader.idSet().andNot(dead))
      this.#live = live
    }
    return this.#live
  }

  /** The live document with this external id, or -1. */
  idOf(externalId: Uint8Array): number {
    for (const { reader, dead } of this.documents) {
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

  #holder(id: number): LayerSegment<'documents'> | null {
    for (const segment of this.documents) {
      if (segment.reader.has(id) && !segment.dead.has(id)) return segment
    }
    return null
  }

  #layer<L extends Layer>(layer: L): LayerSegment<L>[] {
    const refs = this.ref.segments.filter(
      (ref): ref is SegmentRef & { readonly layer: L } => ref.layer === layer,
    )
    return refs.map((ref) => ({
      ref,
      reader: this.#cache.open<L>(ref),
      dead: ref.dead === null ? IdSet.empty : idSetOfData(ref.dead),
    }))
  }
}
