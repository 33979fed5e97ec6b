// How vectors that documents do not contain are computed in a batch: the batch requests them
// document by document, and receives all of them before a chunk is built, so that many texts share
// a call.
//
//   document ─► request ─► ticket ─┐
//   document ─► request ─► ticket ─┼─► make ─► rows by ticket ─► chunk ─► segments
//   document ─► request ─► null    ┘   (nothing new is needed)
import type { VectorEntry } from '../../../format/vectors/index.ts'
import type { EmbedderSpec } from '../../settings/embedders/index.ts'
import type { IndexSettings } from '../../settings/index.ts'
import type { FieldNames } from '../../store/layers/index.ts'

/** A document that is added or changed. The bytes are views, valid during the call. */
export type ChangedDocument = {
  readonly externalId: Uint8Array
  /** The stored record, or null if the document is new to the embedder. */
  readonly before: Uint8Array | null
  /** The record that will be stored: without `_vectors` of known embedders. */
  readonly after: Uint8Array
  /** Its field ids in the order of the body; empty: the order of the record. */
  readonly order: readonly number[]
  /** Its present vectors. */
  readonly stored: readonly VectorEntry[]
}

/** The computed vectors of a document: one, or one for each of its fragments. */
export type MadeVectors = {
  readonly rows: readonly Float32Array[]
  /**
   * For each row the position of its fragment among those of the embedder; null without fragments.
   */
  readonly fragments: readonly number[] | null
}

/** Vectors contained in a document that must be computed again once it changes. */
export type BroughtVectors = {
  /** The document as it will be stored. The bytes are a view, valid during the call. */
  readonly record: Uint8Array
  /** Number of vectors. */
  readonly rows: number
}

export interface VectorMaker {
  /** Estimated bytes of the inputs requested since the last `make`, and of their vectors. */
  readonly awaitedBytes: number
  /**
   * Requests the vectors of a document. `always`: even if its text has not changed. Returns a
   * ticket that is valid until the next `make`, or null if the document keeps its vectors. @throws
   * EngineFault for a document that cannot be rendered
   */
  request(spec: EmbedderSpec, document: ChangedDocument, always: boolean): number | null
  /** Computes the requested vectors; blocks. Keyed by ticket. @throws EngineFault, Canceled */
  make(): ReadonlyMap<number, MadeVectors>
  /**
   * Returns the fragments from which the embedder computed these vectors, by row; null: they count
   * as the document's own vectors.
   */
  fragmentsOf(spec: EmbedderSpec, brought: BroughtVectors): readonly number[] | null
}

/** The batch of a maker. */
export type MakerContext = {
  /** Grows. */
  readonly names: FieldNames
  /** The settings under which the present vectors were computed. */
  readonly before: IndexSettings
  readonly after: IndexSettings
}

/** A maker without embedders: documents keep their present vectors. */
export const NO_VECTOR_MAKER: VectorMaker = {
  awaitedBytes: 0,
  request: () => null,
  make: () => new Map(),
  fragmentsOf: () => null,
}
