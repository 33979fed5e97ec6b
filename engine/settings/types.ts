// The settings of an index: what each holds once it is in force, and what a change may ask for.
// Values here are complete and normalised: sets are sorted by bytes, stop words are decomposed,
// every member has a value. How they got so is in `apply.ts`; the table of settings is
// `settings.table.ts`.
import type { EmbedderPatches, Embedders } from './embedder-types.ts'

/** In the declared order, which answers and messages follow. */
export const SETTING_NAMES = [
  'displayedAttributes',
  'searchableAttributes',
  'filterableAttributes',
  'sortableAttributes',
  'foreignKeys',
  'rankingRules',
  'stopWords',
  'nonSeparatorTokens',
  'separatorTokens',
  'dictionary',
  'synonyms',
  'distinctAttribute',
  'proximityPrecision',
  'typoTolerance',
  'faceting',
  'pagination',
  'embedders',
  'searchCutoffMs',
  'localizedAttributes',
  'facetSearch',
  'prefixSearch',
  'chat',
] as const
export type SettingName = (typeof SETTING_NAMES)[number]

export type FilterFeatures = {
  readonly facetSearch: boolean
  readonly filter: { readonly equality: boolean; readonly comparison: boolean }
}
export type FilterableRule = {
  readonly attributePatterns: readonly string[]
  readonly features: FilterFeatures
}
/** A plain name stands for the field and all below it, with every feature. */
export type FilterableAttribute = string | FilterableRule

export type LocalizedRule = {
  readonly attributePatterns: readonly string[]
  readonly locales: readonly string[]
}
export type ForeignKey = { readonly foreignIndexUid: string; readonly fieldName: string }
export type Synonyms = { readonly [phrase: string]: readonly string[] }

export const PROXIMITY_PRECISIONS = ['byWord', 'byAttribute'] as const
export type ProximityPrecision = (typeof PROXIMITY_PRECISIONS)[number]
export const PREFIX_SEARCHES = ['indexingTime', 'disabled'] as const
export type PrefixSearch = (typeof PREFIX_SEARCHES)[number]
export const FACET_ORDERS = ['alpha', 'count'] as const
export type FacetOrder = (typeof FACET_ORDERS)[number]

export type TypoTolerance = {
  readonly enabled: boolean
  readonly minWordSizeForTypos: { readonly oneTypo: number; readonly twoTypos: number }
  readonly disableOnWords: readonly string[]
  readonly disableOnAttributes: readonly string[]
  readonly disableOnNumbers: boolean
}
export type Faceting = {
  readonly maxValuesPerFacet: number
  /** Always has `*`, the order of every facet not named. */
  readonly sortFacetValuesBy: { readonly [attribute: string]: FacetOrder }
}
export type Pagination = { readonly maxTotalHits: number }

/** Absent members take the search's own defaults. */
export type ChatSearchParameters = {
  readonly hybrid?: { readonly semanticRatio: number; readonly embedder: string }
  readonly limit?: number
  readonly sort?: readonly string[]
  readonly distinct?: string
  readonly matchingStrategy?: 'last' | 'all' | 'frequency'
  readonly attributesToSearchOn?: readonly string[]
  readonly rankingScoreThreshold?: number
}
export type ChatSettings = {
  readonly description: string
  readonly documentTemplate: string
  readonly documentTemplateMaxBytes: number
  readonly searchParameters: ChatSearchParameters
}

export type IndexSettings = {
  /** null: every field. */
  readonly displayedAttributes: readonly string[] | null
  /** In order of weight; null: every field, in order of first appearance. */
  readonly searchableAttributes: readonly string[] | null
  readonly filterableAttributes: readonly FilterableAttribute[]
  readonly sortableAttributes: readonly string[]
  readonly foreignKeys: readonly ForeignKey[]
  readonly rankingRules: readonly string[]
  /** Decomposed (NFKD), case kept. */
  readonly stopWords: readonly string[]
  readonly nonSeparatorTokens: readonly string[]
  readonly separatorTokens: readonly string[]
  readonly dictionary: readonly string[]
  /** By key in byte order, texts as given. */
  readonly synonyms: Synonyms
  readonly distinctAttribute: string | null
  readonly proximityPrecision: ProximityPrecision
  readonly typoTolerance: TypoTolerance
  readonly faceting: Faceting
  readonly pagination: Pagination
  readonly embedders: Embedders
  /** null: `SEARCH_CUTOFF_MS_DEFAULT`. */
  readonly searchCutoffMs: number | null
  /** Locales as three-letter codes. */
  readonly localizedAttributes: readonly LocalizedRule[] | null
  readonly facetSearch: boolean
  readonly prefixSearch: PrefixSearch
  readonly chat: ChatSettings
}

/** Every member may be left out (untouched) or null (back to its default). */
export type Partly<T> = { readonly [K in keyof T]?: T[K] | null }

export type TypoTolerancePatch = Partly<Omit<TypoTolerance, 'minWordSizeForTypos'>> & {
  readonly minWordSizeForTypos?: Partly<TypoTolerance['minWordSizeForTypos']> | null
}
export type ChatPatch = Partly<Omit<ChatSettings, 'searchParameters'>> & {
  readonly searchParameters?: Partly<ChatSearchParameters> | null
}

type Patches = {
  readonly displayedAttributes: readonly string[]
  readonly searchableAttributes: readonly string[]
  readonly typoTolerance: TypoTolerancePatch
  readonly faceting: Partly<Faceting>
  readonly pagination: Partly<Pagination>
  readonly embedders: EmbedderPatches
  readonly chat: ChatPatch
}
/** What a change says about one setting, apart from null. */
export type PatchOf<K extends SettingName> = K extends keyof Patches
  ? Patches[K]
  : NonNullable<IndexSettings[K]>

/**
 * A change as a task carries it: the settings that were sent, as they were sent, but with sets
 * sorted and rules completed. null puts a setting back to its default. Made by `server/parse`, or
 * `resetPatch`.
 */
export type SettingsPatch = { readonly [K in SettingName]?: PatchOf<K> | null }
