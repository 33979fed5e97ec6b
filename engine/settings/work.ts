// What a change of settings costs: which layers must be built from the documents again. The answer
// is exact for the fields the index knows: a change that concerns none of them costs nothing, and
// documents that come later are indexed under the new settings anyway.
import { covers, filterableRuleOf, localesOf, searchableRankOf } from './attributes.ts'
import type { Embedder, Embedders } from './embedder-types.ts'
import { effectiveEmbedder } from './embedders.ts'
import { rankingRuleOf } from './ranking-rules.ts'
import { SETTINGS } from './settings.table.ts'
import { type IndexSettings, SETTING_NAMES } from './types.ts'

export type Work = {
  /** The text layer is built again from the documents. */
  readonly text: boolean
  /** The columns layer is built again from the documents. */
  readonly columns: boolean
  /** The order of searchable fields is another one; nothing on disk depends on it. */
  readonly weights: boolean
  /** What becomes of the vectors of each embedder that changed. */
  readonly vectors: ReadonlyMap<string, VectorWork>
}

/**
 * `full`: every document is embedded again. `prompts`: texts are rendered, those that differ are
 * embedded. `fragments`: only fragments that differ. `quantize`: stored vectors are quantized.
 * `remove`: they go.
 */
export type VectorWork = 'full' | 'prompts' | 'fragments' | 'quantize' | 'remove'

/**
 * What a change from `before` to `after` costs an index that has these fields (names with dots, as
 * far as the settings before had a use for them).
 */
export function workOf(
  before: IndexSettings,
  after: IndexSettings,
  fields: readonly string[],
): Work {
  const vectors = vectorWorkOf(before.embedders, after.embedders)
  let text = false
  let columns = false
  let weights = false
  const retokenise = tokenisingDiffers(before, after)
  const wasFaceted = facetProfiles(before)
  const isFaceted = facetProfiles(after)
  for (const field of [...fields, ...namesNotMet(before, after, fields)]) {
    const oldRank = searchableRankOf(before, field)
    const newRank = searchableRankOf(after, field)
    const locales = !same(localesOf(before, field), localesOf(after, field))
    if ((oldRank === null) !== (newRank === null)) text = true
    else if (newRank !== null) {
      if (retokenise || locales) text = true
      if (oldRank !== newRank) weights = true
    }
    if (wasFaceted(field) !== isFaceted(field)) columns = true
  }
  return { text, columns, weights, vectors }
}

const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)

/**
 * Names that settings speak of and that may exist inside known fields without having been met: what
 * nobody asked for is not looked into. A pattern is stood for by a name that it matches.
 */
function namesNotMet(
  before: IndexSettings,
  after: IndexSettings,
  fields: readonly string[],
): readonly string[] {
  const known = new Set(fields)
  const names = new Set<string>()
  for (const pattern of [...namesIn(before), ...namesIn(after)]) {
    const name = pattern.replaceAll('*', STAND_IN)
    if (known.has(name)) continue
    const dot = name.indexOf('.')
    if (pattern.includes('*') ? fields.length > 0 : dot >= 0 && known.has(name.slice(0, dot))) {
      names.add(name)
    }
  }
  return [...names]
}

/** Stands for what a star matches; in no real name, as nobody writes it. */
const STAND_IN = '\u0001'

/** Every name and pattern that settings use to choose fields. */
function namesIn(settings: IndexSettings): readonly string[] {
  const { searchableAttributes, filterableAttributes, localizedAttributes } = settings
  const fieldRules = settings.rankingRules.flatMap((rule) => {
    const parsed = rankingRuleOf(rule)
    return parsed?.kind === 'field' ? [parsed.field] : []
  })
  return [
    ...(searchableAttributes ?? []),
    ...filterableAttributes.flatMap((rule) =>
      typeof rule === 'string' ? [rule] : rule.attributePatterns,
    ),
    ...settings.sortableAttributes,
    ...(settings.distinctAttribute === null ? [] : [settings.distinctAttribute]),
    ...fieldRules,
    ...(localizedAttributes ?? []).flatMap((rule) => rule.attributePatterns),
  ]
}

/** Whether any text would be cut or kept in another way. */
const tokenisingDiffers = (before: IndexSettings, after: IndexSettings): boolean =>
  SETTING_NAMES.some((name) => SETTINGS[name].cost === 'text' && !same(before[name], after[name]))

/** Field → whether the columns layer keeps it. Asked once a field, so lists are looked at once. */
const facetProfiles = (settings: IndexSettings): ((field: string) => boolean) => {
  const ordered = new Set<string>()
  for (const rule of settings.rankingRules) {
    const parsed = rankingRuleOf(rule)
    if (parsed?.kind === 'field') ordered.add(parsed.field)
  }
  return (field) => {
    if (field === settings.distinctAttribute || ordered.has(field)) return true
    if (settings.sortableAttributes.some((name) => covers(name, field))) return true
    const rule = filterableRuleOf(settings.filterableAttributes, field)
    if (rule === null) return false
    const { facetSearch, filter } = rule.features
    return facetSearch || filter.equality || filter.comparison
  }
}

/** Whether the columns layer keeps the values of a field. */
export const isFaceted = (settings: IndexSettings, field: string): boolean =>
  facetProfiles(settings)(field)

/** The embedders whose vectors a change touches. */
const vectorWorkOf = (before: Embedders, after: Embedders): ReadonlyMap<string, VectorWork> => {
  const work = new Map<string, VectorWork>()
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) work.set(name, 'remove')
  for (const [name, embedder] of Object.entries(after)) {
    const old = Object.hasOwn(before, name) ? before[name] : undefined
    const change =
      old === undefined ? 'full' : embedderWork(effectiveEmbedder(old), effectiveEmbedder(embedder))
    if (change !== null) work.set(name, change)
  }
  return work
}

const ALWAYS_FULL = [
  'source',
  'model',
  'revision',
  'pooling',
  'request',
  'response',
] as const satisfies readonly (keyof Embedder)[]

const embedderWork = (before: Embedder, after: Embedder): VectorWork | null => {
  const differs = (field: keyof Embedder): boolean => !same(before[field], after[field])
  const openAi = after.source === 'openAi'
  if (ALWAYS_FULL.some(differs)) return 'full'
  if (differs('dimensions') && (openAi || after.source === 'userProvided')) return 'full'
  if (differs('url') && !openAi) return 'full'
  if (differs('indexingEmbedder')) return 'full'
  if ((before.indexingFragments === undefined) !== (after.indexingFragments === undefined)) {
    return 'full'
  }
  if (differs('indexingFragments')) return 'fragments'
  if (differs('documentTemplate')) return 'prompts'
  if ((after.documentTemplateMaxBytes ?? 0) > (before.documentTemplateMaxBytes ?? 0))
    return 'prompts'
  return differs('binaryQuantized') ? 'quantize' : null
}
