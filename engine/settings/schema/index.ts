// The form of a setting, and the helpers that settings share.
export { featureRefusal } from './features.ts'
export { covers, matchesPattern, namesInside } from './field-patterns.ts'
export { SYNONYM_WORDS_MAX, WORD_UNITS_MAX } from './limits.ts'
export { namesOrAll, renderNames } from './name-lists.ts'
export { mergeMember, type Partly, replace, replaceSet, sameSetting, sortedSet } from './patches.ts'
export { maskSecret } from './secrets.ts'
export { type FeatureNeed, type FieldChoice, type Setting, setting } from './setting.ts'
export { TEXT_TOOLS, type TextTools } from './text-tools.ts'
