// The interface of a layer. An index is a set of layers, each a set of immutable segments; all
// layers use the same document ids. A layer is a module with these members and a line in each list
// of `registry.ts`; building, opening, merging, settings changes, upgrades and the tools work on
// every registered layer through this interface. The profile is separate from the work, so the main
// thread, which reads and writes no segments, does not load the work.
//
//   documents ─► builder ─► frame ─► open ─► reader ─┬─► search threads, by `view.layer(layer)`
//                  merge ◄─ readers of some segments ┘
//
// The frames of a layer and their readers are in its folder of `format`.

import type { BlockCache, StoredDocument } from '../../../format/documents/index.ts'
import type { ByteSink, Frame, Tag } from '../../../format/frame/index.ts'
import type { DocId, SegmentNo } from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import type { Layer } from '../../../format/manifest/index.ts'
import type { IndexSettings } from '../../settings/index.ts'
import type { File } from '../storage/index.ts'
import type { LayerDescription, LayerTable } from './description.ts'
import type { FieldNames } from './field-names.ts'
import type { FieldUse } from './field-plan.ts'

type OpenEnvironment = {
  /** Cache of decompressed blocks for all segments that a thread has open. */
  readonly blocks?: BlockCache
  /** Number of the segment, if threads share memory for it. */
  readonly sharedAs?: SegmentNo
}

export type BuildEnvironment = {
  readonly settings: IndexSettings
  /** All names that occur in the documents. */
  readonly names: FieldNames
}

type MergeEnvironment = {
  /** Called with the work done and the total, in a unit of the layer. @throws Canceled */
  readonly progress: (done: number, total: number) => void
  /** The names of the index by field id, at least those in the inputs. */
  readonly names: readonly string[]
  /** Opens an empty file for bytes that the merge needs until it ends; absent for small merges. */
  readonly openScratch?: () => Pick<File, 'read' | 'write'>
}

type CheckEnvironment = {
  /** Called from time to time with the number of bytes of the frame that were checked. */
  readonly progress: (bytes: number) => void
  /** Called with every stored document, by the layer that stores them. */
  readonly visit: (document: StoredDocument) => void
}

/** A segment to merge, and the ids whose copy in it is dead. */
type MergeInput<Reader> = { readonly reader: Reader; readonly dead: IdSet }

/** Number and range of the ids of a written segment. */
export type Written = {
  readonly documents: number
  readonly idMin: number
  readonly idMax: number
}

/** Collects documents for one segment. */
export interface LayerBuilder {
  /**
   * Adds the next document, whose id must be above the one before. `vectors`: entries as
   * `format/vectors` encodes them. The bytes are views that must not be kept.
   */
  add(id: DocId, externalId: Uint8Array, record: Uint8Array, vectors?: Uint8Array): void
  /**
   * Completes the frame. Returns null and writes nothing if the layer holds nothing of the
   * documents.
   */
  finish(): Written | null
}

/**
 * The effect of a settings change: `no` leaves the segments as they are, `rebuild` builds them
 * again from the documents.
 */
type Effect = 'no' | 'rebuild'

type Analysis = {
  /** The version of this build; an upgrade rebuilds segments of older ones. */
  readonly version: number
  /**
   * Returns the version that a segment counts as, 0 if it records none. `names`: those of the index
   * by field id. @throws CorruptionError, VersionError
   */
  readonly of: (frame: Frame, names: readonly string[]) => number
}

/** The properties of a layer that the main thread needs; it loads nothing else of a layer. */
export interface LayerProfile {
  /** How much a further segment costs a search, compared with one of texts. */
  readonly segmentCost: number
  /** Name in the manifest, in batches and in reports: small letters; must never change. */
  readonly name: Layer
  /** Kind of its frames: four capital letters. */
  readonly kind: Tag
  /** Extension of its files, without the dot. */
  readonly extension: string
  /** True if the layer can be built from the stored documents. */
  readonly isDerived: boolean
  /** By section tag of its frames, the content in a word or two. */
  readonly sections: Readonly<Record<Tag, string>>
  /** The analysis of texts or values that the layer depends on, or null if it depends on none. */
  readonly analysis: Analysis | null

  /**
   * Returns the fields whose values it holds: a document in which only other fields changed needs
   * no new copy in this layer. Returns null if a change of any field affects the layer.
   */
  use(settings: IndexSettings): FieldUse | null
  /**
   * Returns the effect of a settings change. `fields`: those that the change may affect, see
   * `affectedFields`.
   */
  affectedBy(before: IndexSettings, after: IndexSettings, fields: readonly string[]): Effect
}

/** Building, reading, merging and checking the segments of a layer. */
export interface LayerWork<Reader> {
  /** Opens a reader that reads the frame in place. @throws CorruptionError, VersionError */
  open(frame: Frame, env: OpenEnvironment): Reader
  /** Releases what `open` acquired from its environment. */
  close(reader: Reader): void
  /** Returns all ids with which the segment was written. */
  ids(reader: Reader): IdSet

  /**
   * Returns a builder. `sink` receives the frame at any time until `finish` returns, so layers with
   * large segments can stream. @throws EngineFault for a document that cannot be in the layer
   */
  builder(env: BuildEnvironment, sink: ByteSink): LayerBuilder
  /**
   * Returns whether one segment can hold the documents of all inputs; absent if the limits of bytes
   * and documents suffice for that.
   */
  fits?(readers: readonly Reader[]): boolean
  /**
   * Writes the live documents of the inputs, which must be distinct, as one segment. Returns null
   * and writes nothing if no document is live. @throws CorruptionError
   */
  merge(
    inputs: readonly MergeInput<Reader>[],
    sink: ByteSink,
    env: MergeEnvironment,
  ): Written | null

  /** Checks every byte of a segment. @throws CorruptionError, VersionError */
  check(frame: Frame, env: CheckEnvironment): { readonly fieldMax: number }
  /** Describes the content. Reads the whole segment. `names`: by field id, or null if unknown. */
  describe(frame: Frame, names: readonly string[] | null): LayerDescription
  /** Returns the tables inside its sections. */
  tables(frame: Frame, names: readonly string[] | null): readonly LayerTable[]
}

export interface SegmentLayer<Reader = unknown> extends LayerProfile, LayerWork<Reader> {}

/**
 * Joins the two parts of a layer. Calls are annotated as pure, so a bundle that does not use the
 * result omits the work; otherwise the server's script would be 230 KB longer.
 */
export const layerOf = <Reader>(
  profile: LayerProfile,
  work: LayerWork<Reader>,
): SegmentLayer<Reader> => ({ ...profile, ...work })
