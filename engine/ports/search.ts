// The port for searches. `QueryService` is what answers them.
import type {
  DocumentsContext,
  DocumentsMerge,
  FacetSearchRequest,
  FederatedSearch,
  Federation,
  IndexSearch,
  InstancesMerge,
  JsonBytes,
  JsonPieces,
  SearchContext,
  SearchRequest,
  SimilarRequest,
} from '../model/index.ts'

/** Searches; the answers are finished JSON. */
export interface SearchPort {
  search(indexUid: string, request: SearchRequest, context: SearchContext): Promise<JsonBytes>
  facetSearch(
    indexUid: string,
    request: FacetSearchRequest,
    context: SearchContext,
  ): Promise<JsonBytes>
  /** `{results}`: an answer a search, in order, all of one moment. @throws EngineFault */
  multiSearch(searches: readonly IndexSearch[], context: SearchContext): Promise<JsonPieces>
  /** The hits of several searches as one list. @throws EngineFault */
  federatedSearch(
    searches: readonly FederatedSearch[],
    federation: Federation,
    context: SearchContext,
  ): Promise<JsonBytes>
  /** Answers of several instances of a network as one; `sentAt`: since 1970. @throws EngineFault */
  mergeInstances(merge: InstancesMerge, context: SearchContext, sentAt: number): Promise<JsonBytes>
  /** Pages of documents of several instances of a network as one. @throws EngineFault */
  mergeDocuments(
    indexUid: string,
    merge: DocumentsMerge,
    context: DocumentsContext,
  ): Promise<JsonBytes>
  similar(indexUid: string, request: SimilarRequest, context: SearchContext): Promise<JsonBytes>
}
