// A change of settings meets the settings in force: merging, normalising, and the checks that need
// both.
import { compareText } from '../../format/bytes/index.ts'
import { EngineFault } from '../model/index.ts'
import { normalizeExemptWord, normalizeStopWord } from '../text/index.ts'
import { defaultSettings } from './defaults.ts'
import { mergeEmbedders } from './embedders.ts'
import { localeCode } from './locales.ts'
import { rankingRulesProblem } from './ranking-rules.ts'
import {
  type ChatPatch,
  type ChatSettings,
  type Faceting,
  type FacetOrder,
  type IndexSettings,
  type LocalizedRule,
  type PatchOf,
  SETTING_NAMES,
  type SettingName,
  type SettingsPatch,
  type Synonyms,
  type TypoTolerance,
  type TypoTolerancePatch,
} from './types.ts'

/** What settings need to know about words. */
export type TextTools = {
  /** Compatibility decomposition, case kept: how stop words are stored. */
  readonly decompose: (word: string) => string
  /** As terms are normalised: how words without typos are stored. */
  readonly normalise: (word: string) => string
}

const TEXT_TOOLS: TextTools = { decompose: normalizeStopWord, normalise: normalizeExemptWord }

export type AppliedPatch = {
  readonly settings: IndexSettings
  /** The settings whose value is another one now. */
  readonly changed: ReadonlySet<SettingName>
}

/**
 * The settings after a change. Faults carry no mention of the index: a task puts it in front.
 * @throws EngineFault when the change does not fit what is stored.
 */
export function applyPatch(
  current: IndexSettings,
  patch: SettingsPatch,
  text: TextTools = TEXT_TOOLS,
): AppliedPatch {
  const next: { -readonly [K in SettingName]: IndexSettings[K] } = { ...current }
  const changed = new Set<SettingName>()
  for (const name of SETTING_NAMES) {
    if (patch[name] === undefined) continue
    applyOne(next, name, patch[name], text)
    if (!sameValue(current[name], next[name])) changed.add(name)
  }
  return { settings: next, changed }
}

const applyOne = <K extends SettingName>(
  next: { -readonly [N in SettingName]: IndexSettings[N] },
  name: K,
  value: SettingsPatch[K],
  text: TextTools,
): void => {
  if (value === undefined) return
  next[name] =
    value === null ? defaultSettings()[name] : MERGES[name](next[name], value as PatchOf<K>, text)
}

/** Whether two settings values are the same; both are normalised, so their texts are as well. */
const sameValue = (a: unknown, b: unknown): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b)

type Merge<K extends SettingName> = (
  current: IndexSettings[K],
  patch: PatchOf<K>,
  text: TextTools,
) => IndexSettings[K]

const replace = <T>(_current: unknown, patch: T): T => patch
const replaceSet = (_current: unknown, patch: readonly string[]): readonly string[] =>
  sortedSet(patch)

const MERGES: { readonly [K in SettingName]: Merge<K> } = {
  displayedAttributes: (_, names) => namesOrAll(names),
  searchableAttributes: (_, names) => namesOrAll(names),
  filterableAttributes: replace,
  sortableAttributes: replaceSet,
  foreignKeys: replace,
  rankingRules: (_, rules) => checkedRules(rules),
  stopWords: (_, words, text) => sortedSet(words.map(text.decompose)),
  nonSeparatorTokens: replaceSet,
  separatorTokens: replaceSet,
  dictionary: replaceSet,
  synonyms: (_, synonyms) => sortedSynonyms(synonyms),
  distinctAttribute: replace,
  proximityPrecision: replace,
  typoTolerance: mergeTypoTolerance,
  faceting: mergeFaceting,
  pagination: (current, patch) => ({
    maxTotalHits: member(
      patch.maxTotalHits,
      current.maxTotalHits,
      defaultSettings().pagination.maxTotalHits,
    ),
  }),
  embedders: mergeEmbedders,
  searchCutoffMs: replace,
  localizedAttributes: (_, rules) => rules.map(withLongCodes),
  facetSearch: replace,
  prefixSearch: replace,
  chat: mergeChat,
}

/** The new value of one member: untouched, back to its default, or as given. */
const member = <T>(given: T | null | undefined, current: T, byDefault: T): T => {
  if (given === undefined) return current
  return given === null ? byDefault : given
}

/** A star anywhere means every field; repeats count once, at their first place. */
const namesOrAll = (names: readonly string[]): readonly string[] | null =>
  names.includes('*') ? null : [...new Set(names)]

/** Distinct texts in byte order. */
export const sortedSet = (texts: readonly string[]): readonly string[] =>
  [...new Set(texts)].sort(compareText)

const sortedSynonyms = (synonyms: Synonyms): Synonyms =>
  Object.fromEntries(Object.entries(synonyms).sort(([a], [b]) => compareText(a, b)))

const checkedRules = (rules: readonly string[]): readonly string[] => {
  const problem = rankingRulesProblem(rules)
  if (problem !== null) throw new EngineFault('invalid_settings_ranking_rules', problem)
  return rules
}

/** What is wrong with two word sizes, or null. */
export function typoSizesProblem(oneTypo: number, twoTypos: number): string | null {
  if (oneTypo <= twoTypos) return null
  return (
    '`minWordSizeForTypos` setting is invalid. `oneTypo` and `twoTypos` fields should be ' +
    'between `0` and `255`, and `twoTypos` should be greater or equals to `oneTypo` but found ' +
    `\`oneTypo: ${oneTypo}\` and twoTypos: ${twoTypos}\`.`
  )
}

function mergeTypoTolerance(
  current: TypoTolerance,
  patch: TypoTolerancePatch,
  text: TextTools,
): TypoTolerance {
  const defaults = defaultSettings().typoTolerance
  const words = patch.disableOnWords
  return {
    enabled: member(patch.enabled, current.enabled, defaults.enabled),
    minWordSizeForTypos: mergeSizes(current, patch),
    disableOnWords: member(
      words ? sortedSet(words.map(text.normalise)) : words,
      current.disableOnWords,
      defaults.disableOnWords,
    ),
    disableOnAttributes: member(
      patch.disableOnAttributes ? sortedSet(patch.disableOnAttributes) : patch.disableOnAttributes,
      current.disableOnAttributes,
      defaults.disableOnAttributes,
    ),
    disableOnNumbers: member(
      patch.disableOnNumbers,
      current.disableOnNumbers,
      defaults.disableOnNumbers,
    ),
  }
}

const mergeSizes = (
  current: TypoTolerance,
  patch: TypoTolerancePatch,
): TypoTolerance['minWordSizeForTypos'] => {
  const defaults = defaultSettings().typoTolerance.minWordSizeForTypos
  const sizes = patch.minWordSizeForTypos
  if (sizes === undefined) return current.minWordSizeForTypos
  if (sizes === null) return defaults
  const oneTypo = member(sizes.oneTypo, current.minWordSizeForTypos.oneTypo, defaults.oneTypo)
  const twoTypos = member(sizes.twoTypos, current.minWordSizeForTypos.twoTypos, defaults.twoTypos)
  const problem = typoSizesProblem(oneTypo, twoTypos)
  if (problem !== null) throw new EngineFault('invalid_settings_typo_tolerance', problem)
  return { oneTypo, twoTypos }
}

function mergeFaceting(current: Faceting, patch: PatchOf<'faceting'>): Faceting {
  const defaults = defaultSettings().faceting
  const orders = patch.sortFacetValuesBy
  return {
    maxValuesPerFacet: member(
      patch.maxValuesPerFacet,
      current.maxValuesPerFacet,
      defaults.maxValuesPerFacet,
    ),
    sortFacetValuesBy: member(
      orders ? withEveryOrder(orders) : orders,
      current.sortFacetValuesBy,
      defaults.sortFacetValuesBy,
    ),
  }
}

/** By attribute in byte order, with an order for those not named. */
const withEveryOrder = (orders: Faceting['sortFacetValuesBy']): Faceting['sortFacetValuesBy'] => {
  const all = new Map<string, FacetOrder>([['*', 'alpha'], ...Object.entries(orders)])
  return Object.fromEntries([...all].sort(([a], [b]) => compareText(a, b)))
}

const withLongCodes = (rule: LocalizedRule): LocalizedRule => ({
  attributePatterns: rule.attributePatterns,
  locales: rule.locales.map((code) => localeCode(code) ?? code),
})

function mergeChat(current: ChatSettings, patch: ChatPatch): ChatSettings {
  const defaults = defaultSettings().chat
  if (patch.documentTemplateMaxBytes === 0) {
    throw new EngineFault(
      'invalid_settings_embedders',
      '`.chat.documentTemplateMaxBytes`: `documentTemplateMaxBytes` cannot be zero',
    )
  }
  return {
    description: member(patch.description, current.description, defaults.description),
    documentTemplate: member(
      patch.documentTemplate,
      current.documentTemplate,
      defaults.documentTemplate,
    ),
    documentTemplateMaxBytes: member(
      patch.documentTemplateMaxBytes,
      current.documentTemplateMaxBytes,
      defaults.documentTemplateMaxBytes,
    ),
    searchParameters: mergeChatSearch(current, patch),
  }
}

/** In the order in which they are shown. */
const CHAT_SEARCH_MEMBERS = [
  'hybrid',
  'limit',
  'sort',
  'distinct',
  'matchingStrategy',
  'attributesToSearchOn',
  'rankingScoreThreshold',
] as const satisfies readonly (keyof ChatSettings['searchParameters'])[]

const mergeChatSearch = (
  current: ChatSettings,
  patch: ChatPatch,
): ChatSettings['searchParameters'] => {
  const given = patch.searchParameters
  if (given === undefined) return current.searchParameters
  if (given === null) return {}
  const merged: [string, unknown][] = []
  for (const name of CHAT_SEARCH_MEMBERS) {
    const value = given[name] === undefined ? current.searchParameters[name] : given[name]
    if (value !== undefined && value !== null) merged.push([name, value])
  }
  return Object.fromEntries(merged)
}
