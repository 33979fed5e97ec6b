// Searches as requests: typed and well-formed. What only an index can know (is there such a field,
// is it filterable) is checked when the search runs and comes back as an EngineFault.
import type { Features } from './features.ts'

/** Finished JSON text as bytes: it is sent to the client unchanged. */
export type JsonBytes = Uint8Array
/** The same in pieces, one after the other: large ones are never in one. */
export type JsonPieces = readonly Uint8Array[]

export type MatchingStrategy = 'last' | 'all' | 'frequency'

/**
 * A search as the client sent it, defaults not yet applied: `null` stands for absent and for null.
 */
export type SearchRequest = {
  readonly q: string | null
  /** Goes to a search thread as bytes: as many numbers in a list take a hundred times as long. */
  readonly vector: Float64Array | null
  /**
   * What an embedder made of the query, before the search goes to a thread; null: it could not;
   * absent: it was not asked.
   */
  readonly queryVector?: Float32Array | null
  /** Which of the searches of a request it is; absent: there is one. */
  readonly queryNumber?: number
  /**
   * A model asks: hits are whole documents, hidden attributes included, and faults
   * of the filter show it as it was sent. Such hits are never for a client.
   */
  readonly isForModel?: boolean
  /** So many values of each facet, by count; absent: as `faceting` says. */
  readonly facetValuesByCount?: number
  readonly media: unknown
  readonly hybrid: { readonly embedder: string; readonly semanticRatio: number } | null
  readonly offset: number
  readonly limit: number
  readonly page: number | null
  readonly hitsPerPage: number | null
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
  /**
   * Any JSON: a string, an array, arrays in an array; its grammar is the engine's business. A large
   * one may be the bytes of its JSON text.
   */
  readonly filter: unknown
  readonly sort: readonly string[] | null
  readonly distinct: string | null
  readonly facets: readonly string[] | null
  readonly matchingStrategy: MatchingStrategy
  readonly attributesToSearchOn: readonly string[] | null
  readonly rankingScoreThreshold: number | null
  /** Three-letter codes as in `engine/text`, or null. */
  readonly locales: readonly string[] | null
  readonly personalize: { readonly userContext: string } | null
  readonly useNetwork: boolean | null
  /** Documents of these shards alone; absent: of all. */
  readonly shards?: readonly string[]
  /** Set where a search is asked of the network; absent: the client knows of no other instances. */
  readonly network?: NetworkAnswer
}

/** What an answer says of the instances of a network. */
export type NetworkAnswer = {
  /** The name of this instance; null: it has none. */
  readonly self: string | null
  /** Instances that gave no answer → why, as clients read it. */
  readonly remoteErrors: { readonly [remote: string]: unknown }
}

/** What the server adds to a search: who asked, what to echo, when to give up. */
export type SearchContext = {
  readonly requestUid: string
  /** Makes the name of each query for `metadata`; null: no metadata is asked for. */
  readonly queryUid: (() => string) | null
  /** Which features are on, by their public flag names. */
  readonly features: Features
  /** Fires when the client has gone. Outlives the search: take listeners off when it is over. */
  readonly signal: AbortSignal
  /** Of indexes that foreign keys lead to. Absent: everything may be seen. */
  readonly access?: IndexAccess
  /** Who asks, so that callers share the search threads. Absent: the server itself. */
  readonly caller?: { readonly key: string; readonly address: string }
  /** All shards of the network that another instance asks under. Absent: of the one served here. */
  readonly shardNames?: readonly string[]
}

/** Who asks for documents. Absent: the server itself, which may see everything. */
export type DocumentsContext = Pick<SearchContext, 'access' | 'caller' | 'signal' | 'shardNames'>

/** What a caller may see of an index: null nothing, else what passes a filter (null: all). */
export type IndexAccess = (indexUid: string) => { readonly filter: unknown } | null

/** A search among others. */
export type IndexSearch = {
  readonly indexUid: string
  readonly request: SearchRequest
}

/** A search whose hits are merged with those of others. Its own pages and facets do not count. */
export type FederatedSearch = IndexSearch & {
  /** Factor of its scores, 0 or more. */
  readonly weight: number
  /** The position that hits tell; null: that of the search in its list. */
  readonly queryPosition: number | null
  /** Its place in the list of the client, for faults; -1: it is alone; absent: as it stands. */
  readonly place?: number
}

/** What becomes of the hits of several searches as one list. */
export type Federation = Pick<SearchRequest, 'offset' | 'limit' | 'page' | 'hitsPerPage'> & {
  /** By index in byte order: patterns of facets; null: none of this index. */
  readonly facetsByIndex: { readonly [indexUid: string]: readonly string[] | null }
  /** Facets of all indexes in one distribution; null: each index for itself. */
  readonly mergeFacets: { readonly maxValuesPerFacet: number | null } | null
  readonly distinct: string | null
  readonly showPerformanceDetails: boolean
  /** Set where any of the searches is asked of the network. */
  readonly network?: NetworkAnswer
  /** Another instance merges the answer: hits tell what it has to know. */
  readonly isProxied?: boolean
  /** The answer is a partial one as bytes, for this instance or another one that merges it. */
  readonly isPartial?: boolean
  /** This instance merges the answer with those of others. */
  readonly isPart?: boolean
}

/** A partial answer as bytes. */
export type InstanceAnswer = {
  /** What hits tell of where they come from. */
  readonly remote: string | null
  readonly bytes: Uint8Array
  /** It is this instance's: what others say is checked. */
  readonly isOwn: boolean
}

/** Answers of several instances, to be merged. */
export type InstancesMerge = {
  /** `remote`: what hits tell of where they come from. The asking instance first. */
  readonly answers: readonly InstanceAnswer[]
  readonly federation: Federation
  /** Of the client, in their order. */
  readonly queries: readonly { readonly indexUid: string; readonly q: string | null }[]
  /** The answer is that of a search, not of several. */
  readonly isPlain: boolean
  /** The answer begins with the name of its index, as in a list of answers. */
  readonly leadingIndexUid?: string
  readonly self: string | null
  readonly remoteErrors: { readonly [remote: string]: unknown }
}

/** Pages of documents of several instances, to be merged. */
export type DocumentsMerge = {
  /** That of the asking instance first. */
  readonly answers: readonly JsonBytes[]
  readonly page: { readonly offset: number; readonly limit: number }
  readonly remoteErrors: { readonly [remote: string]: unknown }
}

export type FacetSearchRequest = {
  readonly facetName: string
  readonly facetQuery: string | null
  readonly exhaustiveFacetCount: boolean | null
  readonly search: SearchRequest
}

/** A search for documents that are similar to one. */
export type SimilarRequest = {
  /** Of the document, as text. */
  readonly id: string
  readonly embedder: string
  readonly offset: number
  readonly limit: number
  /** Any JSON, what the caller's key adds included. */
  readonly filter: unknown
  /** What the caller's key adds, alone: the document itself has to be within. */
  readonly within: unknown
  readonly attributesToRetrieve: readonly string[] | null
  readonly retrieveVectors: boolean
  readonly showRankingScore: boolean
  readonly showRankingScoreDetails: boolean
  readonly showPerformanceDetails: boolean
  readonly rankingScoreThreshold: number | null
}
