// Which settings are there, what may they hold, what does a change cost?
export { type AppliedPatch, applyPatch, type TextTools, typoSizesProblem } from './apply.ts'
export {
  covers,
  FEATURES_OF_A_NAME,
  filterableRuleOf,
  isDisplayed,
  isSortable,
  localesOf,
  matchesPattern,
  searchableRankOf,
} from './attributes.ts'
export { checkPatch, checkPatchFeatures } from './check.ts'
export { defaultSettings, SEARCH_CUTOFF_MS_DEFAULT } from './defaults.ts'
export {
  type Distribution,
  EMBEDDER_SOURCES,
  type Embedder,
  type EmbedderPatch,
  type EmbedderPatches,
  type EmbedderSource,
  type Embedders,
  type FragmentPatches,
  type Fragments,
  type NestedEmbedder,
  type NestedEmbedderPatch,
  POOLINGS,
  type Pooling,
} from './embedder-types.ts'
export { effectiveEmbedder } from './embedders.ts'
export { featureRefusal } from './features.ts'
export { fieldsConcerned, sameSetting } from './fields-concerned.ts'
export { LOCALES, LOCALES_BY_ALPHABET, localeCode } from './locales.ts'
export {
  BUILT_IN_RULES,
  type BuiltInRule,
  type RankingRule,
  rankingRuleOf,
  rankingRuleProblem,
  rankingRulesProblem,
} from './ranking-rules.ts'
export {
  detailsOf,
  type RenderedSettings,
  renderSetting,
  renderSettings,
  resetPatch,
} from './render.ts'
export { maskSecret } from './secrets.ts'
export { SETTINGS, type SettingRow } from './settings.table.ts'
export { decodeSettings, encodeSettings } from './store.ts'
export {
  type ChatPatch,
  type ChatSearchParameters,
  type ChatSettings,
  FACET_ORDERS,
  type Faceting,
  type FacetOrder,
  type FilterableAttribute,
  type FilterableRule,
  type FilterFeatures,
  type ForeignKey,
  type IndexSettings,
  type LocalizedRule,
  type Pagination,
  type Partly,
  type PatchOf,
  PREFIX_SEARCHES,
  PROXIMITY_PRECISIONS,
  type PrefixSearch,
  type ProximityPrecision,
  SETTING_NAMES,
  type SettingName,
  type SettingsPatch,
  type Synonyms,
  type TypoTolerance,
  type TypoTolerancePatch,
} from './types.ts'
