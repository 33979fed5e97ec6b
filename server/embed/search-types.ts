// The public types of searches: part of the declarations of the package (./types.ts).

/** A JSON object. */
export interface JsonObject {
  readonly [name: string]: unknown
}

/** Any filter expression: a string, or lists of strings. */
export type Filter = string | readonly (string | readonly string[])[]

/** A facet, and how its values are counted. */
export interface FacetOptions {
  readonly attribute: string
  readonly disjunctive?: boolean
  readonly stats?: boolean
  readonly order?: 'alpha' | 'count'
  readonly ranges?: readonly {
    readonly from?: number
    readonly to?: number
    readonly key?: string
  }[]
  readonly histogram?: { readonly interval: number; readonly offset?: number }
  readonly calendar?: 'day' | 'week' | 'month' | 'quarter' | 'year'
  readonly timezone?: string
}

/** The members of a search in the HTTP API, all optional. */
export interface SearchRequest {
  readonly q?: string | null
  readonly offset?: number
  readonly limit?: number
  readonly page?: number | null
  readonly hitsPerPage?: number | null
  readonly countTotal?: boolean
  /** The `cursor` of an answer, to go on behind it; empty for the first page of a walk. */
  readonly searchAfter?: string | null
  readonly attributesToRetrieve?: readonly string[] | null
  readonly attributesToCrop?: readonly string[] | null
  readonly cropLength?: number
  readonly cropMarker?: string
  readonly attributesToHighlight?: readonly string[] | null
  readonly highlightPreTag?: string
  readonly highlightPostTag?: string
  readonly showMatchesPosition?: boolean
  readonly showRankingScore?: boolean
  readonly showRankingScoreDetails?: boolean
  readonly showPerformanceDetails?: boolean
  readonly filter?: Filter | null
  readonly sort?: readonly string[] | null
  readonly distinct?: string | null
  /** Hits of each distinct value in `groups`, 1 to 100. */
  readonly hitsPerGroup?: number | null
  readonly facets?: readonly (string | FacetOptions)[] | null
  readonly disjunctiveFacets?: readonly string[] | null
  /** Which values of arrays of objects count, and order hits: all, or those of matching elements. */
  readonly facetScope?: 'all' | 'match'
  readonly sortScope?: 'all' | 'match'
  readonly matchingStrategy?: 'last' | 'all' | 'frequency' | 'any'
  /** `boolean`: AND, OR, NOT, signs, parentheses, `attribute:word`. */
  readonly querySyntax?: 'plain' | 'boolean'
  readonly attributesToSearchOn?: readonly string[] | null
  readonly rankingScoreThreshold?: number | null
  readonly locales?: readonly string[] | null
  readonly hybrid?: {
    readonly embedder: string
    readonly semanticRatio?: number
    /** Whether hits by words and by vector are merged by scores (default) or by ranks. */
    readonly fusion?: 'score' | 'rrf'
  } | null
  readonly vector?: readonly number[] | null
  readonly retrieveVectors?: boolean
  readonly media?: unknown
  readonly personalize?: { readonly userContext: string } | null
  readonly useNetwork?: boolean | null
  readonly inlineRule?: InlineRule | null
  readonly showCorrection?: boolean
  /** Replaces the setting of the same name, for the ranking rule `bm25`. */
  readonly attributeWeights?: { readonly [attribute: string]: number } | null
  /** Factors for the scores of hits; replaces the setting. */
  readonly boosts?: readonly Boost[] | null
  /** The moment that `now` in boosts means, in milliseconds since 1970. */
  readonly boostsNow?: number | null
}

/** One of three kinds: `filter`, `field` with `function`, or `field` with `shape`. */
export interface Boost {
  readonly filter?: Filter
  readonly field?: string
  readonly function?: 'log' | 'saturation' | 'linear'
  readonly factor?: number
  readonly pivot?: number
  readonly shape?: 'exp' | 'gauss' | 'linear'
  readonly origin?: number | string | { readonly lat: number; readonly lng: number }
  readonly scale?: number
  readonly offset?: number
  readonly decay?: number
  readonly weight?: number
}

/** A dynamic search rule for one search. Needs the feature `dynamicSearchRules`. */
export interface InlineRule {
  /** A stored rule with this uid does not apply. */
  readonly uid: string
  readonly active?: boolean | null
  readonly precedence?: number | null
  readonly conditions?: {
    readonly query?: { readonly isEmpty?: boolean | null; readonly words?: string | null } | null
    readonly time?: { readonly start?: string | null; readonly end?: string | null } | null
    readonly filter?: { readonly values: JsonObject } | null
  } | null
  readonly actions?: {
    readonly pin?:
      | readonly {
          readonly indexUid?: string | null
          readonly id: string
          readonly position: number
        }[]
      | null
    readonly scale?:
      | readonly {
          readonly indexUid?: string | null
          readonly ids?: readonly string[] | null
          readonly filter?: Filter | null
          readonly weight: number
        }[]
      | null
  } | null
}

/** A document that a search found, with the members that the search requested. */
export type Hit<T> = T & {
  readonly _formatted?: JsonObject
  readonly _matchesPosition?: JsonObject
  readonly _rankingScore?: number
  readonly _rankingScoreDetails?: JsonObject
}

export interface SearchAnswer<T = JsonObject> {
  readonly hits: readonly Hit<T>[]
  readonly query: string
  readonly correctedQuery?: string
  readonly processingTimeMs: number
  readonly requestUid: string
  /** Present without `page` and `hitsPerPage`. */
  readonly offset?: number
  readonly limit?: number
  readonly estimatedTotalHits?: number
  /** Present with `page` or `hitsPerPage`. */
  readonly page?: number
  readonly hitsPerPage?: number
  readonly totalPages?: number
  readonly totalHits?: number
  readonly cursor?: string | null
  /** Present with `hitsPerGroup`: the group of each hit. */
  readonly groups?: readonly { readonly totalHits: number; readonly hits: readonly Hit<T>[] }[]
  readonly facetDistribution?: {
    readonly [facet: string]: { readonly [value: string]: number }
  }
  readonly facetStats?: {
    readonly [facet: string]: { readonly min: number; readonly max: number }
  }
}

type Narrowing =
  | 'q'
  | 'filter'
  | 'matchingStrategy'
  | 'querySyntax'
  | 'attributesToSearchOn'
  | 'locales'
export interface FacetSearchRequest
  extends Pick<SearchRequest, Narrowing | 'rankingScoreThreshold' | 'attributeWeights'> {
  readonly facetName: string
  readonly facetQuery?: string | null
  readonly exhaustiveFacetCount?: boolean | null
}

export interface FacetSearchAnswer {
  readonly facetHits: readonly { readonly value: string; readonly count: number }[]
  readonly facetQuery: string | null
  readonly processingTimeMs: number
}

export interface SuggestRequest {
  /** The typed text. */
  readonly q?: string | null
  readonly limit?: number
  readonly filter?: Filter | null
  /** The searchable attributes whose words and values complete; absent or null for all. */
  readonly attributes?: readonly string[] | null
  readonly locales?: readonly string[] | null
  /** Either tag asks for `highlighted`. */
  readonly highlightPreTag?: string | null
  readonly highlightPostTag?: string | null
}

export interface SuggestAnswer {
  readonly suggestions: readonly {
    readonly text: string
    readonly highlighted?: string
    readonly hits: number
    readonly source: 'words' | 'titles'
  }[]
  readonly query: string
  readonly processingTimeMs: number
}

export interface MultiSearchRequest {
  readonly queries: readonly (SearchRequest & {
    readonly indexUid: string
    readonly federationOptions?: JsonObject
  })[]
}

export interface MultiSearchAnswer<T = JsonObject> {
  readonly results: readonly (SearchAnswer<T> & { readonly indexUid: string })[]
}
