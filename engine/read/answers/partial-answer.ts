// The answer of one index to a request before merging. A plain search has one partial answer, a
// federated search one for each index; partial answers of other instances arrive as bytes. Merging
// (`merge.ts`) uses only the interfaces here.
import type { IndexUid } from '../../../format/ids.ts'
import type { JsonBuffer } from '../../../format/json/index.ts'
import type { MergeKey } from '../retrieval/index.ts'
import type { Facets } from './facets.ts'
import type { SentNumber } from './sent-number.ts'

type FieldValue = string | SentNumber | boolean | null
/** One value or several values for each field. */
export type FieldValues = { readonly [field: string]: FieldValue | readonly FieldValue[] }

/**
 * A sorted list of hits, addressed by position. Properties of a hit are computed on request: keys
 * when hits are merged, JSON when a hit is on the page.
 */
export interface HitList {
  readonly length: number
  /** The merge key of a hit. Requires that scores were computed. */
  keyAt(at: number): MergeKey
  /** A number that identifies the document within one partial answer. */
  documentAt(at: number): number
  /** The position of a pinned hit; null for ranked hits. */
  pinAt(at: number): number | null
  /** Returns true if the hit was ranked by a vector. */
  isSemanticAt(at: number): boolean
  /** Values of the distinct field; empty if the hit is never left out for another one. */
  distinctAt(at: number): readonly string[]
  /** The external id of the document. */
  externalIdAt(at: number): string
  /** The index of the hit. */
  indexUidAt(at: number): IndexUid
  /**
   * Values of the distinct field and of the counted facets, in the form that other instances
   * receive; null without such values.
   */
  valuesAt(at: number): FieldValues | null
  /**
   * Appends the hit as JSON; returns the offset in it of the value of `_federation`, or -1 without
   * one. @throws StorageError, EngineFault for an answer that is too large
   */
  write(at: number, out: JsonBuffer): number
}

export interface PartialAnswer {
  readonly indexUid: IndexUid
  /** Ranked hits, with each document and each distinct value once. */
  readonly hits: HitList
  /** Number of hits before the first of `hits`; 0 unless this part is the whole answer. */
  readonly skipped: number
  /** Hits that rules have pinned. */
  readonly pinned: HitList
  /** True if time ran out, so that documents after the last hit were not ranked. */
  readonly degraded: boolean
  /**
   * Number of documents counted as found. `rejected`: positions in `hits` that merging left out.
   */
  total(rejected: readonly number[]): number
  /**
   * Facets of the documents counted as found; null if no facets were requested. @throws EngineFault
   */
  facets(rejected: readonly number[]): Facets | null
}
