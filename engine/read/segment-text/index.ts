// The words of segments: terms, postings, positions, and the documents that have them.
export type { CachedWordSets } from './cached-word-sets.ts'
export { type Found, uniteLive } from './live-sets.ts'
export type { LocalOccurrences } from './local-occurrences.ts'
export {
  countElsewhereMax,
  countInLargest,
  countNear,
  countNearUpTo,
  FAR,
  inLarge,
  inSmall,
  lowerCosts,
  nearAmong,
  nearSets,
  type Pair,
  placesOf,
  segmentIndex,
  setsByCost,
  wordsIn,
} from './near.ts'
export { partsOf, WHOLE_DOCUMENTS_MAX } from './pair-cache.ts'
export {
  dropResultsOf,
  fitWordSets,
  giveMemory,
  nextSegmentKey,
  type SegmentCaching,
  segmentKey,
  THREAD_BUDGET,
  THREAD_SETS,
} from './set-cache.ts'
export { LENGTHS_READ_MAX, TextIndex } from './text-index.ts'
export { EVERYWHERE, type Scope, scopeOf } from './where.ts'
export { Word, wordsWith } from './word.ts'
