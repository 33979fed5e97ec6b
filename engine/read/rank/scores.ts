// The score of a rule for a bucket, and the combination of all scores into one number
// (docs/search-semantics.md#scores).
import type { ExactNumber } from '../../../format/bytes/index.ts'
import { SCORE_HALF, type WordShare } from '../bm25/index.ts'

/** The score of one rule. `rank` counts from 1 (worst) to `max` (best); sorts have no rank. */
export type ScoreDetail =
  | { readonly kind: 'words'; readonly rank: number; readonly max: number }
  | { readonly kind: 'typo'; readonly typos: number; readonly typosMax: number }
  | { readonly kind: 'proximity'; readonly rank: number; readonly max: number }
  | { readonly kind: 'attributeRank'; readonly rank: number; readonly max: number }
  | { readonly kind: 'wordPosition'; readonly rank: number; readonly max: number }
  | { readonly kind: 'exactAttribute'; readonly match: ExactMatch }
  | { readonly kind: 'exactWords'; readonly matching: number; readonly max: number }
  | {
      readonly kind: 'sort'
      readonly field: string
      readonly ascending: boolean
      readonly value: SortValue
    }
  | {
      readonly kind: 'geo'
      readonly target: readonly [lat: number, lng: number]
      readonly ascending: boolean
      readonly point: readonly [lat: number, lng: number] | null
      readonly distance: number | null
    }
  /** `shares`: computes what each word adds to the score. */
  | {
      readonly kind: 'bm25'
      readonly score: number
      readonly shares: () => readonly WordShare[]
    }
  /** Null if the document has no vector. */
  | { readonly kind: 'vectorSort'; readonly similarity: number | null }
  /**
   * The fusion of two rankings: the place of the document in each, from 1 on, or null if it counts
   * in one alone. Followed by the details of both.
   */
  | {
      readonly kind: 'fusion'
      readonly wordsRank: number | null
      readonly vectorRank: number | null
      readonly score: number
    }
  | { readonly kind: 'skipped' }

export type ExactMatch = 'exactMatch' | 'matchesStart' | 'noExactMatch'
/** A sort key as shown: a number, a normalized string, or null. */
export type SortValue = ExactNumber | string | null

export type Rank = { readonly rank: number; readonly max: number }

const EXACT_RANKS: { readonly [match in ExactMatch]: number } = {
  exactMatch: 3,
  matchesStart: 2,
  noExactMatch: 1,
}

/** Returns the rank of a score, or null for rules that only order. */
export function rankOf(detail: ScoreDetail): Rank | null {
  switch (detail.kind) {
    case 'words':
    case 'proximity':
    case 'attributeRank':
    case 'wordPosition':
      return { rank: detail.rank, max: detail.max }
    case 'typo':
      return { rank: detail.typosMax + 1 - detail.typos, max: detail.typosMax + 1 }
    case 'exactAttribute':
      return { rank: EXACT_RANKS[detail.match], max: 3 }
    case 'exactWords':
      return { rank: detail.matching + 1, max: detail.max + 1 }
    case 'skipped':
      return { rank: 0, max: 1 }
    case 'sort':
    case 'geo':
    case 'bm25':
    case 'vectorSort':
    case 'fusion':
      return null
  }
}

/**
 * Combines an `outer` rank with the finer `inner` one. 32-bit arithmetic wraps, as clients expect.
 * The rank 0 stays: a document that only `NOT` of a boolean query finds has none of its words.
 */
export function mergeRanks(outer: Rank, inner: Rank): Rank {
  const max = Math.imul(outer.max, inner.max) >>> 0
  if (outer.rank === 0) return { rank: 0, max }
  return { rank: (Math.imul(outer.rank - 1, inner.max) + inner.rank) >>> 0, max }
}

/** Returns the score of the rule `bm25` as a number from 0 to 1; a higher one for a higher score. */
export const boundedScore = (score: number): number => score / (score + SCORE_HALF)

/** Returns the combined score, within [0, 1]. */
export function globalScore(details: readonly ScoreDetail[]): number {
  let merged: Rank = { rank: 1, max: 1 }
  for (const detail of details) {
    // A vector similarity is the whole score.
    if (detail.kind === 'vectorSort') return detail.similarity ?? 0
    if (detail.kind === 'fusion') return detail.score
    // The rules behind it decide between equal scores alone.
    if (detail.kind === 'bm25') {
      return Math.max(0, merged.rank - 1 + boundedScore(detail.score)) / merged.max
    }
    const rank = rankOf(detail)
    if (rank !== null) merged = mergeRanks(merged, rank)
  }
  return merged.rank / merged.max
}

/** Returns the combined score multiplied by the factor of search rules, within [0, 1]. */
export const scaledScore = (details: readonly ScoreDetail[], scale = 1): number =>
  Math.min(1, globalScore(details) * (isFused(details) ? 1 : scale))

/** Factors of a fused hit have moved it within the two rankings already. */
const isFused = (details: readonly ScoreDetail[]): boolean =>
  details.some(({ kind }) => kind === 'fusion')

export const localScore = ({ rank, max }: Rank): number => rank / max
