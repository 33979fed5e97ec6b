// The rule `bm25`: scores documents by the frequencies of words, the lengths of fields, and how rare
// each word is (docs/concepts-ranking.md#bm25).
export type { Scored } from './candidates.ts'

export { SCORE_HALF } from './limits.ts'
export { Relevance, type WordShare } from './relevance.ts'
export { countStatistics, statisticsFrom, statisticsOf } from './statistics.ts'
export { TopScores } from './top-scores.ts'
