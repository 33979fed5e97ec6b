// The port for searches, which `QueryService` implements.
import type { IndexUid } from '../../format/ids.ts'
import type {
  Boost,
  DocumentsContext,
  DocumentsMerge,
  FacetSearchRequest,
  FederatedSearch,
  Federation,
  ForeignRequest,
  Hydration,
  IndexSearch,
  InstancesMerge,
  JsonBytes,
  JsonPieces,
  SearchContext,
  SearchRequest,
  SimilarRequest,
  SuggestRequest,
} from '../model/index.ts'

/** Searches; the answers are finished JSON. */
export interface SearchPort {
  search(indexUid: IndexUid, request: SearchRequest, context: SearchContext): Promise<JsonBytes>
  facetSearch(
    indexUid: IndexUid,
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
    indexUid: IndexUid,
    merge: DocumentsMerge,
    context: DocumentsContext,
  ): Promise<JsonBytes>
  /** Returns true if the settings of the index name the ranking rule `bm25`. */
  ranksByScores(indexUid: IndexUid): boolean
  /** Returns the boosts of the setting; none for an unknown index. */
  boosts(indexUid: IndexUid): readonly Boost[]
  /** Returns the `SearchStatistics` of the searched shards, as JSON. @throws EngineFault */
  statistics(indexUid: IndexUid, request: SearchRequest, context: SearchContext): Promise<JsonBytes>
  /** Returns the indexes that foreign keys of these indexes name, each once. */
  foreignUids(indexUids: readonly IndexUid[]): readonly IndexUid[]
  /** Answers a step of a network's search over foreign keys, as JSON. @throws EngineFault */
  foreign(indexUid: IndexUid, request: ForeignRequest, context: SearchContext): Promise<JsonBytes>
  /** See `Hydration`; `indexUids` are those of the hits. @throws EngineFault */
  hydrate(
    indexUids: readonly IndexUid[],
    hydration: Hydration,
    context: SearchContext,
  ): Promise<JsonBytes>
  similar(indexUid: IndexUid, request: SimilarRequest, context: SearchContext): Promise<JsonBytes>
  /** Returns completions of what is typed. @throws EngineFault */
  suggest(indexUid: IndexUid, request: SuggestRequest, context: SearchContext): Promise<JsonBytes>
}
