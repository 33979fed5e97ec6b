// The contents of answers, of one index or merged from several.
export {
  answerBuffer,
  answerTooLarge,
  hitsTookTooLong,
  searchBuffer,
  takeAnswer,
  writeHits,
} from './answer.ts'
export { DocumentVectorsWriter, entriesOf } from './document-vectors.ts'
export {
  countedFacets,
  FACETS_STEP,
  type Facets,
  facetOrderOf,
  facetsOf,
  shownOrderOf,
  writeFacets,
} from './facets.ts'
export { HitWriter, scoreValue } from './hits.ts'
export { MemberWriter, writeText, writeTexts, writeValue, writeVector } from './json-text.ts'
export { type FacetValues, isShown, LocalAnswer, QueryHits, RankedHits } from './local-answer.ts'
export { type Answer, facetsByPart, merge, type PartFacets, semanticHits } from './merge.ts'
export {
  countDistinct,
  type DistinctCount,
  type FacetsByIndex,
  facetsWithout,
} from './merge-distinct.ts'
export { runDocumentsMerge } from './merge-documents.ts'
export { FacetOrders, mergedFacets } from './merge-facets.ts'
export { type HitPlace, MergedHits, placesOf } from './merged-hits.ts'
export { pageMembers, windowOf } from './pagination.ts'
export type { FieldValues, HitList, PartialAnswer } from './partial-answer.ts'
export { encodeMerged, encodePartial, type PartialFacts } from './partial-json.ts'
export { QueryMerger } from './query-merger.ts'
export { ReceivedAnswer, SORT_KEYS } from './received-answer.ts'
