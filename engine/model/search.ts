// Searches as requests: typed and well-formed. Properties that depend on the index (whether a field
// exists or is filterable) are checked when the search runs and are reported as an EngineFault.

import type { IndexUid, TaskUid } from '../../format/ids.ts'
import type { Boost } from './boosts.ts'
import type { FacetRequest } from './facet-request.ts'
import type { Features } from './features.ts'
import type { InlineRule } from './search-rules.ts'

/** Finished JSON text as bytes: sent to the client unchanged. */
export type JsonBytes = Uint8Array
/** Finished JSON text in consecutive pieces, so that a large text needs no single buffer. */
export type JsonPieces = readonly Uint8Array[]

export type MatchingStrategy = 'last' | 'all' | 'frequency' | 'any'

/** How a query is read: as plain words, or with operators. */
export type QuerySyntax = 'plain' | 'boolean'

/** How hits by words and by vector become one list: by their scores, or by their ranks alone. */
export type Fusion = 'score' | 'rrf'

export type Hybrid = {
  readonly embedder: string
  readonly semanticRatio: number
  /** Absent for `score`. */
  readonly fusion?: Fusion
}

/** A search as the client sent it, before defaults are applied; null means absent or null. */
export type SearchRequest = {
  readonly q: string | null
  /** Passed to a search thread as bytes: a list of numbers is copied value by value. */
  readonly vector: Float64Array | null
  /**
   * The query's vector, computed by an embedder before the search goes to a thread; null: the
   * embedder failed; absent: it was not called.
   */
  readonly queryVector?: Float32Array | null
  /** Position among the searches of a request; absent if there is only one. */
  readonly queryNumber?: number
  /**
   * The search runs for a language model: hits are whole documents, hidden attributes included, and
   * errors about the filter show it as it was sent. Such hits never go to a client.
   */
  readonly isForModel?: boolean
  /**
   * Number of values of each facet to return, ordered by count; absent: as in the setting
   * `faceting`.
   */
  readonly facetValuesByCount?: number
  readonly media: unknown
  readonly hybrid: Hybrid | null
  readonly offset: number
  readonly limit: number
  readonly page: number | null
  readonly hitsPerPage: number | null
  /** Whether the total is exact without numbered pages, too. */
  readonly countTotal: boolean
  /** The cursor of an answer, to go on behind it; empty for the first page of a walk. */
  readonly searchAfter: string | null
  readonly attributesToRetrieve: readonly string[] | null
  readonly retrieveVectors: boolean
  readonly attributesToCrop: readonly string[] | null
  readonly cropLength: number
  readonly cropMarker: string
  readonly attributesToHighlight: readonly string[] | null
  readonly highlightPreTag: string
  readonly highlightPostTag: string
  readonly showMatchesPosition: boolean
  readonly showRankingScore: boolean
  readonly showRankingScoreDetails: boolean
  readonly showPerformanceDetails: boolean
  readonly showCorrection: boolean
  /**
   * Any JSON: a string, an array, arrays in an array; the engine parses it. A large filter may be
   * passed as the bytes of its JSON text.
   */
  readonly filter: unknown
  /**
   * Number of elements at the end of the list `filter` that no facet leaves out: the caller's own
   * filter. Absent: none.
   */
  readonly callerFilters?: number
  readonly sort: readonly string[] | null
  readonly distinct: string | null
  /** Hits of each distinct value to show; null shows no groups. */
  readonly hitsPerGroup: number | null
  readonly facets: readonly FacetRequest[] | null
  /** Which values of elements are counted, and order hits: all, or those of matching elements. */
  readonly facetScope: ValueScope
  readonly sortScope: ValueScope
  /** Facets that are counted without the conditions of the filter on themselves. */
  readonly disjunctiveFacets: readonly string[] | null
  readonly matchingStrategy: MatchingStrategy
  readonly querySyntax: QuerySyntax
  readonly attributesToSearchOn: readonly string[] | null
  /** Replaces the setting of the same name; null leaves it. */
  readonly attributeWeights: { readonly [attribute: string]: number } | null
  readonly rankingScoreThreshold: number | null
  /** Three-letter codes as in `engine/text`, or null. */
  readonly locales: readonly string[] | null
  readonly personalize: { readonly userContext: string } | null
  readonly useNetwork: boolean | null
  /** Replaces the setting; null for the setting. */
  readonly boosts: readonly Boost[] | null
  /** The moment that `now` in boosts means, in milliseconds since 1970, or null for the present. */
  readonly boostsNow: number | null
  /** A search rule for this search alone. */
  readonly inlineRule: InlineRule | null
  /** The numbers of a whole network that scores need; absent: those of this instance. */
  readonly statistics?: SearchStatistics
  /** Only documents of these shards; absent means all. */
  readonly shards?: readonly string[]
  /** Set for a search over the network; absent if the client does not use other instances. */
  readonly network?: NetworkAnswer
}

/** Numbers of an index that the scores of `bm25` need, for one query; of disjoint parts they add up. */
export type SearchStatistics = {
  readonly documents: number
  /** By name of a searched field: words of all documents in it. */
  readonly words: { readonly [field: string]: number }
  /** By word of the query, joins included: documents that match without typos, with up to one, two. */
  readonly frequencies: readonly (readonly number[])[]
}

/** All values of an array of objects, or those of the elements that match the filter. */
export type ValueScope = 'all' | 'match'

/**
 * A search without any parameters. The members are in the order of client requests, so that both
 * have the same hidden class.
 */
export const DEFAULT_SEARCH: SearchRequest = {
  q: null,
  offset: 0,
  limit: 20,
  page: null,
  hitsPerPage: null,
  countTotal: false,
  searchAfter: null,
  attributesToRetrieve: null,
  attributesToCrop: null,
  cropLength: 10,
  cropMarker: '…',
  attributesToHighlight: null,
  highlightPreTag: '<em>',
  highlightPostTag: '</em>',
  showMatchesPosition: false,
  filter: null,
  sort: null,
  distinct: null,
  hitsPerGroup: null,
  facets: null,
  disjunctiveFacets: null,
  matchingStrategy: 'last',
  attributesToSearchOn: null,
  rankingScoreThreshold: null,
  locales: null,
  hybrid: null,
  vector: null,
  retrieveVectors: false,
  media: null,
  personalize: null,
  useNetwork: null,
  showRankingScore: false,
  showRankingScoreDetails: false,
  showPerformanceDetails: false,
  inlineRule: null,
  showCorrection: false,
  attributeWeights: null,
  boosts: null,
  boostsNow: null,
  facetScope: 'all',
  sortScope: 'all',
  querySyntax: 'plain',
}

/** The part of an answer that describes the instances of a network. */
export type NetworkAnswer = {
  /** Name of this instance, or null if it has no name. */
  readonly self: string | null
  /** The error of each instance that gave no answer, as clients read it. */
  readonly remoteErrors: { readonly [remote: string]: unknown }
}

/** The server's part of a search: the caller, the values to echo, the signal to stop. */
export type SearchContext = {
  readonly requestUid: string
  /** Creates the uid of each query for `metadata`; null if no metadata is requested. */
  readonly queryUid: (() => string) | null
  /** The features that are on, by their public flag names. */
  readonly features: Features
  /** Aborted when the client has disconnected. Outlives the search: remove listeners afterwards. */
  readonly signal: AbortSignal
  /** Access to the indexes that foreign keys lead to. Absent: everything may be seen. */
  readonly access?: IndexAccess
  /** The caller, so that callers share the search threads fairly. Absent: the server itself. */
  readonly caller?: { readonly key: string; readonly address: string }
  /** All shards of the network that the requesting instance uses. Absent: the shards known here. */
  readonly shardNames?: readonly string[]
  /** For answers that other instances have a part in. */
  readonly state?: AnswerState | undefined
}

/** The tasks that an answer of several instances contains, by their uids on the leader. */
export type AnswerState = {
  /** The newest task that each part must contain, or null. */
  readonly minTaskUid: TaskUid | null
  /** Notes the newest task that a part contains, or null if the part does not say. */
  readonly note: (newest: TaskUid | null) => void
}

/** The caller of a document request. Absent: the server itself, which may see everything. */
export type DocumentsContext = Pick<
  SearchContext,
  'access' | 'caller' | 'signal' | 'shardNames' | 'state'
>

/**
 * Returns what a caller may see of an index: null for nothing, else the documents that pass
 * `filter` (null means all).
 */
export type IndexAccess = (indexUid: IndexUid) => { readonly filter: unknown } | null

/** One search of a multi-search request. */
export type IndexSearch = {
  readonly indexUid: IndexUid
  readonly request: SearchRequest
  /** For the network: the task that the hits of this search must contain. */
  readonly minTaskUid?: TaskUid
}

/** A search whose hits are merged with those of others. Its own pages and facets are ignored. */
export type FederatedSearch = IndexSearch & {
  /** Factor of its ranking scores, 0 or more. */
  readonly weight: number
  /** The query position that hits carry; null: the position of the search in its list. */
  readonly queryPosition: number | null
  /**
   * Its position in the client's list, for error messages; null: the search is the only one;
   * absent: its position in this list.
   */
  readonly place?: number | null
}

/** How the hits of several searches become one list. */
export type Federation = Pick<SearchRequest, 'offset' | 'limit' | 'page' | 'hitsPerPage'> & {
  /** Absent: as in a search without it. */
  readonly countTotal?: boolean
  /** Patterns of facets for each index, in byte order; null: no facets of this index. */
  readonly facetsByIndex: { readonly [indexUid: string]: readonly FacetRequest[] | null }
  /** Set to merge the facets of all indexes into one distribution; null: one per index. */
  readonly mergeFacets: { readonly maxValuesPerFacet: number | null } | null
  readonly distinct: string | null
  readonly showPerformanceDetails: boolean
  /** Set if any of the searches runs over the network. */
  readonly network?: NetworkAnswer
  /** Set if the answer is merged with answers of other instances. */
  readonly merger?: Merger
}

export const DEFAULT_FEDERATION: Federation = {
  offset: 0,
  limit: 20,
  page: null,
  hitsPerPage: null,
  facetsByIndex: {},
  mergeFacets: null,
  distinct: null,
  showPerformanceDetails: false,
}

/**
 * The instance that merges an answer, and the form that it needs: a partial answer as bytes, or
 * JSON whose hits carry what the merge needs. A stranger is not a known member of the network: it
 * gets no values of fields that hits do not show.
 */
export type Merger =
  | { readonly by: 'self'; readonly form: 'partial' }
  | { readonly by: 'member' | 'stranger'; readonly form: 'partial' | 'json' }

/** A partial answer as bytes. */
export type InstanceAnswer = {
  /** The remote name that hits carry. */
  readonly remote: string | null
  readonly bytes: Uint8Array
  /** The answer comes from this instance; answers of other instances are validated. */
  readonly isOwn: boolean
}

/** Answers of several instances, to be merged. */
export type InstancesMerge = {
  /** The answer of the merging instance comes first. */
  readonly answers: readonly InstanceAnswer[]
  readonly federation: Federation
  /** The queries of the client, in their order. */
  readonly queries: readonly {
    readonly indexUid: IndexUid
    readonly q: string | null
    /** As in the hits of the merging instance. */
    readonly position: number
  }[]
  /**
   * The form of the merged answer: that of a search, alone or in a list of answers, where it begins
   * with the name of its index; or one list of the hits of all queries.
   */
  readonly kind: 'single' | 'listed' | 'federated'
  readonly self: string | null
  readonly remoteErrors: { readonly [remote: string]: unknown }
}

/** Pages of documents of several instances, to be merged. */
export type DocumentsMerge = {
  /** The page of the merging instance comes first. */
  readonly answers: readonly JsonBytes[]
  readonly page: { readonly offset: number; readonly limit: number }
  readonly remoteErrors: { readonly [remote: string]: unknown }
  /** Set if the answer is a list of similar documents. Absent: a page of documents. */
  readonly similar?: SimilarMerge
}

export type SimilarMerge = {
  /** External id of the document whose similar documents are requested. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly sentAt: number
  /** Upper limit of the reported number of hits. */
  readonly totalMax: number
  /**
   * Number of hits that a single instance would examine, or null if there is no score threshold.
   */
  readonly examinedMax: number | null
  readonly showPerformanceDetails: boolean
}

export type FacetSearchRequest = {
  readonly facetName: string
  readonly facetQuery: string | null
  readonly exhaustiveFacetCount: boolean | null
  readonly search: SearchRequest
}

/** A request for completions of what is typed. */
export type SuggestRequest = {
  readonly q: string
  readonly limit: number
  /** Any JSON, including the filter of the caller's key. */
  readonly filter: unknown
  /** The searchable attributes whose words and values complete; null for all of them. */
  readonly attributes: readonly string[] | null
  /** Three-letter codes as in `engine/text`, or null. */
  readonly locales: readonly string[] | null
  /** Tags around what is typed already, in the member `highlighted`; null for no such member. */
  readonly tags: { readonly pre: string; readonly post: string } | null
}

/** A search for documents that are similar to a given document. */
export type SimilarRequest = {
  /** External id of the document, as text. */
  readonly id: string
  readonly embedder: string
  readonly offset: number
  readonly limit: number
  /** Any JSON, including the filter of the caller's key. */
  readonly filter: unknown
  /** Only the filter of the caller's key: the document itself must pass it. */
  readonly within: unknown
  readonly attributesToRetrieve: readonly string[] | null
  readonly retrieveVectors: boolean
  readonly showRankingScore: boolean
  readonly showRankingScoreDetails: boolean
  readonly showPerformanceDetails: boolean
  readonly rankingScoreThreshold: number | null
  /** The step that this instance performs for a network; absent: it answers alone. */
  readonly step?: SimilarStep
}

/** A vector of a document. It is compared with the vectors of other documents in the same slot. */
export type SlottedVector = { readonly slot: number; readonly vector: Float32Array }

/** The two steps of a search for similar documents over the network. */
export type SimilarStep =
  /** The owner of the document returns its vectors: a JSON list of `{slot, vector}`. */
  | { readonly kind: 'target' }
  /**
   * Each instance searches some shards (null: all) for the nearest vectors; the answers are merged.
   */
  | {
      readonly kind: 'part'
      readonly vectors: readonly SlottedVector[]
      readonly shards: readonly string[] | null
    }
