// How vectors come into a batch that no document has brought: a batch asks for them document by
// document, and takes them all together before a chunk is built, so that many texts share a call.
//
//   document ─► request ─► ticket ─┐
//   document ─► request ─► ticket ─┼─► make ─► rows by ticket ─► chunk ─► segments
//   document ─► request ─► null    ┘   (nothing new is needed)
import type { VectorEntry } from '../../../format/vectors/index.ts'
import type { EmbedderSpec, IndexSettings } from '../../settings/index.ts'
import type { FieldNames } from '../../store/layers/index.ts'

/** A document that is added or changed. The bytes are views, valid during the call. */
export type ChangedDocument = {
  readonly externalId: Uint8Array
  /** The record as stored; null: the document is new to the embedder. */
  readonly before: Uint8Array | null
  /** The record as it will be stored: without `_vectors` of known embedders. */
  readonly after: Uint8Array
  /** Its field ids as the body has them; empty: the record's order. */
  readonly order: readonly number[]
  /** The vectors that it has. */
  readonly stored: readonly VectorEntry[]
}

/** What an embedder made of a document: one vector, or one of each fragment that it has. */
export type MadeVectors = {
  readonly rows: readonly Float32Array[]
  /** By row: the place of its fragment among those of the embedder; null: no fragments. */
  readonly fragments: readonly number[] | null
}

/** Vectors that a document brings, and that are to be made anew once it changes. */
export type BroughtVectors = {
  /** The document as it will be stored. The bytes are a view, valid during the call. */
  readonly record: Uint8Array
  /** How many. */
  readonly rows: number
}

export interface VectorMaker {
  /** Bytes, about, of what was asked for since the last `make`, and of what that will give. */
  readonly awaitedBytes: number
  /**
   * Asks for the vectors of a document. `always`: even where its text has not changed. Returns a
   * number that is known until the next `make`, or null where the document keeps what it has.
   * @throws EngineFault for a document of which no text can be made
   */
  request(spec: EmbedderSpec, document: ChangedDocument, always: boolean): number | null
  /** Makes what was asked for; blocks. By number. @throws EngineFault, Canceled */
  make(): ReadonlyMap<number, MadeVectors>
  /**
   * The fragments that the embedder made such vectors of, by row; null: they count as vectors that
   * the document has of its own.
   */
  fragmentsOf(spec: EmbedderSpec, brought: BroughtVectors): readonly number[] | null
}

/** What a maker knows of its batch. */
export type MakerContext = {
  /** Grows. */
  readonly names: FieldNames
  /** Under which the vectors that documents have were made. */
  readonly before: IndexSettings
  readonly after: IndexSettings
}

/** Where nothing can make vectors: documents keep what they have. */
export const NO_VECTOR_MAKER: VectorMaker = {
  awaitedBytes: 0,
  request: () => null,
  make: () => new Map(),
  fragmentsOf: () => null,
}
