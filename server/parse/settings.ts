// Changes of settings, whole or one by one: the routes of each setting, its code, and its shape.
// The order of checks on a route: shape (here), name of the index, features and values
// (`engine/settings`).
import {
  type ChatPatch,
  type ChatSearchParameters,
  FACET_ORDERS,
  type Faceting,
  type FilterableAttribute,
  type FilterableRule,
  type FilterFeatures,
  type ForeignKey,
  LOCALES,
  type LocalizedRule,
  type Pagination,
  type Partly,
  type PatchOf,
  PREFIX_SEARCHES,
  PROXIMITY_PRECISIONS,
  rankingRuleProblem,
  SETTING_NAMES,
  type SettingName,
  type SettingsPatch,
  type TypoTolerancePatch,
  typoSizesProblem,
} from '../../engine/index.ts'
import type { ErrorCode } from '../errors/index.ts'
import { readBody, type WholeBody, wholeBody } from './body.ts'
import { embedders } from './embedders.ts'
import { isJsonObject } from './json-value.ts'
import {
  checked,
  count,
  countUpTo,
  flag,
  invalid,
  type Kind,
  list,
  mapOf,
  member,
  nullable,
  object,
  oneOf,
  partial,
  positiveCount,
  ratio,
  required,
  text,
  textSet,
  texts,
} from './kinds.ts'
import { MATCHING_STRATEGIES, SEMANTIC_RATIO_DEFAULT } from './search-members.ts'
import { type Shape, shaped, shapeOf } from './shape.ts'

export type SettingRoute = {
  /** Last part of the path, below `/indexes/{uid}/settings/`. */
  readonly path: string
  readonly verb: 'PUT' | 'PATCH'
  readonly code: ErrorCode
}

const route = (path: string, verb: SettingRoute['verb'], code: ErrorCode): SettingRoute => ({
  path,
  verb,
  code,
})

export const SETTING_ROUTES: { readonly [K in SettingName]: SettingRoute } = {
  displayedAttributes: route(
    'displayed-attributes',
    'PUT',
    'invalid_settings_displayed_attributes',
  ),
  searchableAttributes: route(
    'searchable-attributes',
    'PUT',
    'invalid_settings_searchable_attributes',
  ),
  filterableAttributes: route(
    'filterable-attributes',
    'PUT',
    'invalid_settings_filterable_attributes',
  ),
  sortableAttributes: route('sortable-attributes', 'PUT', 'invalid_settings_sortable_attributes'),
  foreignKeys: route('foreign-keys', 'PUT', 'invalid_settings_foreign_keys'),
  rankingRules: route('ranking-rules', 'PUT', 'invalid_settings_ranking_rules'),
  stopWords: route('stop-words', 'PUT', 'invalid_settings_stop_words'),
  nonSeparatorTokens: route('non-separator-tokens', 'PUT', 'invalid_settings_non_separator_tokens'),
  separatorTokens: route('separator-tokens', 'PUT', 'invalid_settings_separator_tokens'),
  dictionary: route('dictionary', 'PUT', 'invalid_settings_dictionary'),
  synonyms: route('synonyms', 'PUT', 'invalid_settings_synonyms'),
  distinctAttribute: route('distinct-attribute', 'PUT', 'invalid_settings_distinct_attribute'),
  proximityPrecision: route('proximity-precision', 'PUT', 'invalid_settings_proximity_precision'),
  typoTolerance: route('typo-tolerance', 'PATCH', 'invalid_settings_typo_tolerance'),
  faceting: route('faceting', 'PATCH', 'invalid_settings_faceting'),
  pagination: route('pagination', 'PATCH', 'invalid_settings_pagination'),
  embedders: route('embedders', 'PATCH', 'invalid_settings_embedders'),
  searchCutoffMs: route('search-cutoff-ms', 'PUT', 'invalid_settings_search_cutoff_ms'),
  localizedAttributes: route(
    'localized-attributes',
    'PUT',
    'invalid_settings_localized_attributes',
  ),
  facetSearch: route('facet-search', 'PUT', 'invalid_settings_facet_search'),
  prefixSearch: route('prefix-search', 'PUT', 'invalid_settings_prefix_search'),
  chat: route('chat', 'PATCH', 'invalid_settings_index_chat'),
}

const filterFeatures: Kind<FilterFeatures['filter']> = object<FilterFeatures['filter']>({
  equality: member(flag, null, true),
  comparison: member(flag, null, false),
})
const features: Kind<FilterFeatures> = object<FilterFeatures>({
  facetSearch: member(flag, null, false),
  filter: member(filterFeatures, null, { equality: true, comparison: false }),
})
const filterableRule: Kind<FilterableRule> = object<FilterableRule>({
  attributePatterns: required(texts, null),
  features: member(features, null, {
    facetSearch: false,
    filter: { equality: true, comparison: false },
  }),
})
/** What is no object should have been a name: that is what the message says. */
const filterable: Kind<FilterableAttribute> = (value) =>
  isJsonObject(value) ? filterableRule(value) : text(value)

shaped(filterable, () => ({ anyOf: [shapeOf(text), shapeOf(filterableRule)] }))

const foreignKey: Kind<ForeignKey> = object<ForeignKey>({
  foreignIndexUid: required(text, null),
  fieldName: required(text, null),
})

const rankingRule: Kind<string> = checked(text, (rule) => {
  const problem = rankingRuleProblem(rule)
  if (problem !== null) throw invalid(problem)
  return rule
})

const WORD_SIZE_MAX = 255
type WordSizes = NonNullable<TypoTolerancePatch['minWordSizeForTypos']>
const wordSizes: Kind<WordSizes> = checked(
  partial<WordSizes>({
    oneTypo: nullable(countUpTo(WORD_SIZE_MAX)),
    twoTypos: nullable(countUpTo(WORD_SIZE_MAX)),
  }),
  (sizes) => {
    const { oneTypo, twoTypos } = sizes
    if (typeof oneTypo === 'number' && typeof twoTypos === 'number') {
      const problem = typoSizesProblem(oneTypo, twoTypos)
      if (problem !== null) throw invalid(problem)
    }
    return sizes
  },
)
const typoTolerance: Kind<TypoTolerancePatch> = partial<TypoTolerancePatch>({
  enabled: nullable(flag),
  minWordSizeForTypos: nullable(wordSizes),
  disableOnWords: nullable(textSet),
  disableOnAttributes: nullable(textSet),
  disableOnNumbers: nullable(flag),
})

const localizedRule: Kind<LocalizedRule> = object<LocalizedRule>({
  attributePatterns: required(texts, null),
  locales: required(list(oneOf(LOCALES)), null),
})

type ChatHybrid = NonNullable<ChatSearchParameters['hybrid']>
const chatHybrid: Kind<ChatHybrid> = object<ChatHybrid>({
  semanticRatio: member(ratio('semanticRatio'), null, SEMANTIC_RATIO_DEFAULT),
  embedder: required(text, null),
})
const chatSearch: Kind<Partly<ChatSearchParameters>> = partial<Partly<ChatSearchParameters>>({
  hybrid: nullable(chatHybrid),
  limit: nullable(count),
  sort: nullable(texts),
  distinct: nullable(text),
  matchingStrategy: nullable(oneOf(MATCHING_STRATEGIES)),
  attributesToSearchOn: nullable(texts),
  rankingScoreThreshold: nullable(ratio('rankingScoreThreshold')),
})
const chat: Kind<ChatPatch> = partial<ChatPatch>({
  description: nullable(text),
  documentTemplate: nullable(text),
  documentTemplateMaxBytes: nullable(count),
  searchParameters: nullable(chatSearch),
})

const KINDS: { readonly [K in SettingName]: Kind<PatchOf<K> | null> } = {
  displayedAttributes: nullable(texts),
  searchableAttributes: nullable(texts),
  filterableAttributes: nullable(list(filterable)),
  sortableAttributes: nullable(textSet),
  foreignKeys: nullable(list(foreignKey)),
  rankingRules: nullable(list(rankingRule)),
  stopWords: nullable(textSet),
  nonSeparatorTokens: nullable(textSet),
  separatorTokens: nullable(textSet),
  dictionary: nullable(textSet),
  synonyms: nullable(mapOf(texts)),
  distinctAttribute: nullable(text),
  proximityPrecision: nullable(oneOf(PROXIMITY_PRECISIONS)),
  typoTolerance: nullable(typoTolerance),
  faceting: nullable(
    partial<Partly<Faceting>>({
      maxValuesPerFacet: nullable(count),
      sortFacetValuesBy: nullable(mapOf(oneOf(FACET_ORDERS))),
    }),
  ),
  pagination: nullable(partial<Partly<Pagination>>({ maxTotalHits: nullable(positiveCount) })),
  embedders: nullable(embedders),
  searchCutoffMs: nullable(count),
  localizedAttributes: nullable(list(localizedRule)),
  facetSearch: nullable(flag),
  prefixSearch: nullable(oneOf(PREFIX_SEARCHES)),
  chat: nullable(chat),
}

const codes = Object.fromEntries(
  SETTING_NAMES.map((name) => [name, SETTING_ROUTES[name].code]),
) as { readonly [K in SettingName]: ErrorCode }

const whole: Kind<SettingsPatch> = partial<SettingsPatch>(KINDS, codes)

/** The body of a change of several settings. @throws ApiError */
export const readSettings: WholeBody<SettingsPatch> = wholeBody(whole)

/** The body of a change of one setting: places in messages begin below it. @throws ApiError */
export const readSetting = (name: SettingName, body: Uint8Array): SettingsPatch => ({
  [name]: readBody<unknown>(body, KINDS[name], SETTING_ROUTES[name].code),
})

/** What the body of a change of one setting must be. */
export const settingSchema = (name: SettingName): Shape => shapeOf(KINDS[name])
