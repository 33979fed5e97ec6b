// What a layer is to the rest of the engine. An index is a set of layers, each a set of immutable
// segments of its own; all speak of the same document ids. A layer is a module with these members
// and a line in each list of `registry.ts`; building, opening, merging, settings changes, upgrades
// and the tools work on every registered layer through this interface. Its profile is apart from
// its work, so that the main thread, which reads and writes no segments, does not load the work.
//
//   documents ─► builder ─► frame ─► open ─► reader ─┬─► search threads, by `view.layer(layer)`
//                  merge ◄─ readers of some segments ┘
//
// The frames of a layer, and how they are read, are in its folder of `format`.

import type { BlockCache, StoredDocument } from '../../../format/documents/index.ts'
import type { ByteSink, Frame, Tag } from '../../../format/frame/index.ts'
import type { DocId } from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import type { Layer } from '../../../format/manifest/index.ts'
import type { IndexSettings } from '../../settings/index.ts'
import type { LayerDescription, LayerTable } from './description.ts'
import type { FieldNames } from './field-names.ts'
import type { FieldUse } from './field-plan.ts'

type OpenEnvironment = {
  /** Decompressed blocks of all segments that a thread has open. */
  readonly blocks?: BlockCache
  /** The number of the segment, where threads share what they hold of it. */
  readonly sharedAs?: number
}

export type BuildEnvironment = {
  readonly settings: IndexSettings
  /** All names that occur in the documents are there. */
  readonly names: FieldNames
}

type MergeEnvironment = {
  /** Called with work done and to do, in a unit of the layer. @throws Canceled */
  readonly progress: (done: number, total: number) => void
  /** What a merge may hold in memory beside its inputs, which are mapped. */
  readonly memoryBytesMax: number
}

type CheckEnvironment = {
  /** Called now and then with how many bytes of the frame were looked at. */
  readonly progress: (bytes: number) => void
  /** Called with every stored document, by the layer that stores them. */
  readonly visit: (document: StoredDocument) => void
}

/** A segment to merge, and the ids of it whose copy there is dead. */
type MergeInput<Reader> = { readonly reader: Reader; readonly dead: IdSet }

/** Which ids a segment was written with. */
export type Written = {
  readonly documents: number
  readonly idMin: number
  readonly idMax: number
}

/** Collects documents for one segment. */
export interface LayerBuilder {
  /**
   * The next document, its id above the one before. `vectors`: entries as `format/vectors` encodes
   * them. The bytes are views: nothing keeps them.
   */
  add(id: DocId, externalId: Uint8Array, record: Uint8Array, vectors?: Uint8Array): void
  /** The frame is complete; null, nothing written: the layer holds nothing of the documents. */
  finish(): Written | null
}

/**
 * `no`: the segments are what they would be under the settings after the change.
 * `rebuild`: they are built again from the documents.
 */
type Effect = 'no' | 'rebuild'

/**
 * What the engine needs to know of a layer without reading or writing its segments: all that the
 * main thread loads of it.
 */
export interface LayerProfile {
  /** In the manifest, in batches and in reports: small letters, never changed. */
  readonly name: Layer
  /** Of its frames: four capital letters. */
  readonly kind: Tag
  /** Of its files. */
  readonly extension: string
  /** Whether it can be built again from the stored documents. */
  readonly isDerived: boolean
  /** Sections of its frames → what they hold, in a word. */
  readonly sections: Readonly<Record<Tag, string>>
  /**
   * The number of the text analysis that a segment was built with, 0: not noted; an upgrade builds
   * segments of older ones again. null: the layer does not depend on it.
   * @throws CorruptionError, VersionError
   */
  readonly analysis: ((frame: Frame) => number) | null

  /**
   * Which fields it takes values from: a document whose fields of these did not change needs no new
   * copy here. null: of any field, as a change of any concerns it.
   */
  use(settings: IndexSettings): FieldUse | null
  /** `fields`: those that the two settings may treat differently, see `fieldsConcerned`. */
  affectedBy(before: IndexSettings, after: IndexSettings, fields: readonly string[]): Effect
}

/** How segments of a layer are built, read, merged and checked. */
export interface LayerWork<Reader> {
  /** The reader reads the frame in place. @throws CorruptionError, VersionError */
  open(frame: Frame, env: OpenEnvironment): Reader
  /** Gives back what `open` took from its environment. */
  close(reader: Reader): void
  /** All ids it was written with. */
  ids(reader: Reader): IdSet

  /**
   * `sink` takes the frame, at any time until `finish` returns: a layer whose segments are large
   * streams. @throws EngineFault for a document that cannot be in the layer
   */
  builder(env: BuildEnvironment, sink: ByteSink): LayerBuilder
  /**
   * Writes the live documents of the inputs, of which no two share one, as one segment. null,
   * nothing written: none is alive. @throws CorruptionError
   */
  merge(
    inputs: readonly MergeInput<Reader>[],
    sink: ByteSink,
    env: MergeEnvironment,
  ): Written | null

  /** Whether every byte means something. Reads all. @throws CorruptionError, VersionError */
  check(frame: Frame, env: CheckEnvironment): { readonly fieldMax: number }
  /** What is in it, counted. Reads all. `names`: by field id, where known. */
  describe(frame: Frame, names: readonly string[] | null): LayerDescription
  /** The tables inside its sections. */
  tables(frame: Frame, names: readonly string[] | null): readonly LayerTable[]
}

export interface SegmentLayer<Reader = unknown> extends LayerProfile, LayerWork<Reader> {}

/**
 * A layer from its two parts. Calls are annotated as pure, so that a bundle in which nothing uses
 * the result leaves the work out: with it the server's script was 230 KB longer.
 */
export const layerOf = <Reader>(
  profile: LayerProfile,
  work: LayerWork<Reader>,
): SegmentLayer<Reader> => ({ ...profile, ...work })
