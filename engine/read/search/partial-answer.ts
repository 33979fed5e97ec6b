// What one index says to a request, before it is merged with what others say. A plain search is one
// partial answer; searches that are federated are one for each index; a partial answer of another
// instance arrives as bytes. Merging (`merge.ts`) knows only the interfaces here.
import type { JsonBuffer } from '../../../format/json/index.ts'
import type { Facets } from './facets.ts'
import type { MergeKey } from './merge-order.ts'

type FieldValue = string | number | boolean | null
/** By field: one value, or several. */
export type FieldValues = { readonly [field: string]: FieldValue | readonly FieldValue[] }

/**
 * Hits in their order, named by their place in the list. What a list tells of a hit is made when it
 * is asked for: keys when hits are merged, JSON when a hit is on the page.
 */
export interface HitList {
  readonly length: number
  /** Where the hit stands among hits of other lists. The hits' scores must have been asked for. */
  keyAt(at: number): MergeKey
  /** The document. Equal only for hits of the same document in one partial answer. */
  documentAt(at: number): number
  /** Of a hit that a rule has put in place: its position; null for those that are ranked. */
  pinAt(at: number): number | null
  /** Whether a vector has put the hit where it is. */
  isSemanticAt(at: number): boolean
  /** Values of the distinct field; empty: nothing stands for this hit. */
  distinctAt(at: number): readonly string[]
  /** The external id of the document. */
  externalIdAt(at: number): string
  /** The index that the hit is of. */
  indexUidAt(at: number): string
  /**
   * Values of the distinct field, and of facets that are counted where there is one, as another
   * instance is told them; null: none.
   */
  valuesAt(at: number): FieldValues | null
  /**
   * Appends the hit as JSON; returns where in it stands what tells where it comes from, -1: it does
   * not tell. @throws StorageError, EngineFault for an answer that is too large
   */
  write(at: number, out: JsonBuffer): number
}

export interface PartialAnswer {
  readonly indexUid: string
  /** Ranked hits, each document once, each distinct value once. */
  readonly hits: HitList
  /** How many hits come before the first of `hits`; 0 unless this part is all of the answer. */
  readonly skipped: number
  /** Hits that rules have put in place. */
  readonly pinned: HitList
  /** Time ran out: what is behind the last hit was not ranked. */
  readonly degraded: boolean
  /** Documents that count as found. `rejected`: places in `hits` that merging has left out. */
  total(rejected: readonly number[]): number
  /** Of the documents that count as found; null: none were asked for. @throws EngineFault */
  facets(rejected: readonly number[]): Facets | null
}
