// The port for searches, which `QueryService` implements.
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
  /**
   * Returns `{results}`: one answer per search, in order, all over one state. @throws EngineFault
   */
  multiSearch(searches: readonly IndexSearch[], context: SearchContext): Promise<JsonPieces>
  /** Returns the hits of several searches as one list. @throws EngineFault */
  federatedSearch(
    searches: readonly FederatedSearch[],
    federation: Federation,
    context: SearchContext,
  ): Promise<JsonBytes>
  /** Merges answers of several instances. `sentAt`: milliseconds since 1970. @throws EngineFault */
  mergeInstances(merge: InstancesMerge, context: SearchContext, sentAt: number): Promise<JsonBytes>
  /** Merges pages of documents of several instances of a network. @throws EngineFault */
  mergeDocuments(
    indexUid: string,
    merge: DocumentsMerge,
    context: DocumentsContext,
  ): Promise<JsonBytes>
  similar(indexUid: string, request: SimilarRequest, context: SearchContext): Promise<JsonBytes>
}
