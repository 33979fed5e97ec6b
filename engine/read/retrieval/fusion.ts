// Reciprocal rank fusion: merges the hits by words and those by vector by their ranks alone
// (docs/search-semantics.md#hybrid). Scores of both kinds need not be comparable.
//
// A document has the sum of weight / (60 + rank) over both lists. Ranks beyond RANKS_MAX do not add
// up: such a rank counts only if it gives more by itself. So the order of the first hits does not
// depend on how far the lists were read, and pages do not overlap.
import type { DocId } from '../../../format/ids.ts'
import type { RankedHit, ScoreDetail } from '../rank/index.ts'
import { compareFirstParts, mergeKey } from './merge-order.ts'

/** The customary constant of reciprocal rank fusion: how little the first ranks are preferred. */
const RANK_OFFSET = 60
/** Ranks that add up: beyond them a rank adds less than two fifths of the first one. */
export const RANKS_MAX = 100

type Ranks = { words: number | null; vector: number | null; hit: RankedHit; vectorHit: RankedHit }

/**
 * Returns all hits of both lists, best first, each document once. `words` and `near` are in order
 * and have at least RANKS_MAX hits if there are so many. `ratio`: the weight of `near`, 0 to 1.
 */
export function fused(
  words: readonly RankedHit[],
  near: readonly RankedHit[],
  ratio: number,
): readonly RankedHit[] {
  const found = new Map<DocId, Ranks>()
  words.forEach((hit, at) => {
    found.set(hit.id, { words: at + 1, vector: null, hit, vectorHit: hit })
  })
  near.forEach((hit, at) => {
    const both = found.get(hit.id)
    if (both === undefined) found.set(hit.id, { words: null, vector: at + 1, hit, vectorHit: hit })
    else Object.assign(both, { vector: at + 1, vectorHit: hit })
  })
  const hits = [...found.values()].map((ranks) => {
    const hit = fusedHit(ranks, ratio)
    return { hit, key: mergeKey(hit.scores, 1, 0), vector: ranks.vector ?? found.size + 1 }
  })
  // Of equally good hits, which have different ranks by vector, the nearer one comes first.
  hits.sort((a, b) => compareFirstParts(a.key, b.key) || a.vector - b.vector)
  return hits.map(({ hit }) => hit)
}

/** The details begin with sorts that come before relevance, as in both lists. */
function fusedHit({ words, vector, hit, vectorHit }: Ranks, ratio: number): RankedHit {
  const at = hit.scores.findIndex(({ kind }) => kind !== 'sort' && kind !== 'geo')
  const sorts = at < 0 ? hit.scores : hit.scores.slice(0, at)
  const rest = hit.scores.slice(sorts.length)
  const similar = vectorHit === hit ? [] : vectorHit.scores.filter(isSimilarity)
  const score = fusedScore(words, vector, ratio)
  const fusion = { kind: 'fusion', wordsRank: words, vectorRank: vector, score } as const
  const scores = [...sorts, fusion, ...rest, ...similar]
  return hit.scale === undefined ? { id: hit.id, scores } : { id: hit.id, scores, scale: hit.scale }
}

const isSimilarity = ({ kind }: ScoreDetail): boolean => kind === 'vectorSort'

/** Returns 1 for the first document of both lists. */
function fusedScore(words: number | null, vector: number | null, ratio: number): number {
  const byWords = words === null ? 0 : ((1 - ratio) * (RANK_OFFSET + 1)) / (RANK_OFFSET + words)
  const byVector = vector === null ? 0 : (ratio * (RANK_OFFSET + 1)) / (RANK_OFFSET + vector)
  const sum =
    (words !== null && words <= RANKS_MAX ? byWords : 0) +
    (vector !== null && vector <= RANKS_MAX ? byVector : 0)
  return Math.max(sum, byWords, byVector)
}
