// The settings of an index, a module each; the registry lists them.
export { type ChatPatch, type ChatSearchParameters, chat } from './chat.ts'
export { dictionary } from './dictionary.ts'
export { displayedAttributes, isDisplayed } from './displayed-attributes.ts'
export { distinctAttribute } from './distinct-attribute.ts'
export {
  DOCUMENT_TEMPLATE_BYTES_MAX_DEFAULT,
  DOCUMENT_TEMPLATE_DEFAULT,
} from './document-template.ts'
export { expiresAtAttribute } from './expires-at-attribute.ts'
export { facetSearch } from './facet-search.ts'
export { FACET_ORDERS, type Faceting, type FacetOrder, faceting } from './faceting.ts'
export {
  FEATURES_OF_A_RULE,
  type FilterableAttribute,
  type FilterableRule,
  type FilterFeatures,
  filterableAttributes,
  filterableRuleOf,
} from './filterable-attributes.ts'
export { type ForeignKey, foreignKeys } from './foreign-keys.ts'
export {
  INFIX_LENGTH_MAX,
  INFIX_LENGTH_MIN,
  type InfixSearchPatch,
  infixSearch,
  isInfixSearched,
} from './infix-search.ts'
export { LOCALES, LOCALES_BY_ALPHABET, localeCode } from './locales.ts'
export {
  type LocalizedRule,
  localesOf,
  localizedAttributes,
  stemmingOf,
} from './localized-attributes.ts'
export { type Pagination, pagination } from './pagination.ts'
export { PREFIX_SEARCHES, prefixSearch } from './prefix-search.ts'
export { PROXIMITY_PRECISIONS, proximityPrecision } from './proximity-precision.ts'
export { rankingRuleOf, rankingRuleProblem, rankingRules } from './ranking-rules.ts'
export { SEARCH_CUTOFF_MS_DEFAULT, searchCutoffMs } from './search-cutoff-ms.ts'
export {
  hasSharedRanks,
  type SearchableRanks,
  searchableAttributes,
  searchableNames,
  searchableRankOf,
} from './searchable-attributes.ts'
export { nonSeparatorTokens, separatorTokens } from './separator-tokens.ts'
export { isSortable, sortableAttributes } from './sortable-attributes.ts'
export { stopWords } from './stop-words.ts'
export { synonyms } from './synonyms.ts'
export { type TypoTolerancePatch, typoSizesProblem, typoTolerance } from './typo-tolerance.ts'
