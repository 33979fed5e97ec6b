// Index settings: their registry, validation, merging, display, and the effect of changes.
export { affectedFields, handlingChanged, selectedFields } from './affected-fields.ts'
export { applyPatch, resetPatch } from './apply.ts'
export type { ChatPatch, ChatSearchParameters } from './chat.ts'
export { checkPatch, checkPatchFeatures } from './check.ts'
export { isDisplayed } from './displayed-attributes.ts'
export {
  HUGGING_FACE_MODEL_DEFAULT,
  OPENAI_MODEL_DEFAULT,
  OPENAI_MODELS,
} from './embedder-fields.table.ts'
export { changesVectors, indexingSide, vectorInputsOf } from './embedder-making.ts'
export { effectiveEmbedder } from './embedder-merge.ts'
export { type EmbedderSpec, embedderSpecs } from './embedder-spec.ts'
export {
  type Distribution,
  EMBEDDER_SOURCES,
  type Embedder,
  type EmbedderPatch,
  type EmbedderPatches,
  type EmbedderSource,
  type Embedders,
  type FragmentPatches,
  type NestedEmbedder,
  type NestedEmbedderPatch,
  POOLINGS,
} from './embedder-types.ts'
export { FACET_ORDERS, type Faceting, type FacetOrder } from './faceting.ts'
export { featureRefusal } from './features.ts'
export { covers, matchesPattern } from './field-patterns.ts'
export {
  FEATURES_OF_A_RULE,
  type FilterableAttribute,
  type FilterableRule,
  type FilterFeatures,
  filterableRuleOf,
} from './filterable-attributes.ts'
export type { ForeignKey } from './foreign-keys.ts'
export { withFragmentOrder } from './fragment-order.ts'
export { LOCALES, LOCALES_BY_ALPHABET, localeCode } from './locales.ts'
export { type LocalizedRule, localesOf } from './localized-attributes.ts'
export type { Pagination } from './pagination.ts'
export type { Partly } from './patches.ts'
export { PREFIX_SEARCHES } from './prefix-search.ts'
export { PROXIMITY_PRECISIONS } from './proximity-precision.ts'
export {
  rankingRuleOf,
  rankingRuleProblem,
} from './ranking-rules.ts'
export { SETTINGS } from './registry.ts'
export {
  detailsOf,
  exportSettings,
  joinDetails,
  renderSetting,
  renderSettings,
  settingsShown,
  transferSettings,
} from './render.ts'
export { SEARCH_CUTOFF_MS_DEFAULT } from './search-cutoff-ms.ts'
export { searchableRankOf } from './searchable-attributes.ts'
export { maskSecret } from './secrets.ts'
export { cachedSettings } from './settings-cache.ts'
export { isSortable } from './sortable-attributes.ts'
export { decodeSettings, encodeSettings } from './stored-text.ts'

export type { TextTools } from './text-tools.ts'
export { dumpedPatch, dumpedPatchProblem, newerSettings } from './transferred.ts'
export {
  defaultSettings,
  type IndexSettings,
  type PatchOf,
  SETTING_NAMES,
  type SettingCode,
  type SettingName,
  type SettingsPatch,
  settingNamed,
} from './types.ts'
export {
  type TypoTolerancePatch,
  typoSizesProblem,
} from './typo-tolerance.ts'
