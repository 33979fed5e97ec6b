// `svc-tools relevance`: how good are the results of a running server? Scores them against judged
// documents, and compares two ways to search.
export { type JudgedSet, readJudged } from './judged.ts'
export { measureRelevance, type Variant } from './measure.ts'
export { relevanceText } from './relevance-text.ts'
