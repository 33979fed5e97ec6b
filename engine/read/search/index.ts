// Each kind of request of a search thread, run to its answer.
export {
  type Explained,
  type ExplainedNode,
  type ExplainedOpening,
  type ExplainedWords,
  explainSearch,
} from './explain.ts'
export { runFacetSearch } from './facet-search.ts'
export { addHash, type DigestAnswer, runDigest } from './run-digest.ts'
export { runDocument, runDocuments } from './run-documents.ts'
export { runExport } from './run-export.ts'
export { runFederated } from './run-federated.ts'
export { runFields } from './run-fields.ts'
export { runForeign, runHydration } from './run-foreign.ts'
export { type MergedIndex, runInstances } from './run-instances.ts'
export { runSearch, runSearches } from './run-search.ts'
export { runSimilar } from './run-similar.ts'
export { runStatistics } from './run-statistics.ts'
