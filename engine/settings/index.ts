// Index settings: their registry, validation, merging, display, and the effect of changes.
export { affectedFields, handlingChanged, selectedFields } from './affected-fields.ts'
export { applyPatch, resetPatch } from './apply.ts'

export { checkPatch, checkPatchFeatures } from './check.ts'

export { withFragmentOrder } from './fragment-order.ts'

export { SETTINGS } from './registry.ts'
export {
  detailsOf,
  exportSettings,
  joinDetails,
  portableSettings,
  renderSetting,
  settingsShown,
  transferSettings,
} from './render.ts'

export { cachedSettings } from './settings-cache.ts'

export { decodeSettings, encodeSettings } from './stored-text.ts'

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
