// Settings as the manifest keeps them: JSON text, every setting in the declared order, nothing
// else. The same settings always make the same text. A setting that a text does not have yet takes
// its default.
import { refuse } from '../../format/errors.ts'
import { defaultSettings } from './defaults.ts'
import type { EMBEDDER_FIELDS } from './embedder-fields.table.ts'
import { EMBEDDER_SOURCES, POOLINGS } from './embedder-types.ts'
import {
  FACET_ORDERS,
  type IndexSettings,
  PREFIX_SEARCHES,
  PROXIMITY_PRECISIONS,
  SETTING_NAMES,
  type SettingName,
} from './types.ts'

const SECTION = 'settings'

/** The stored text of settings. */
export function encodeSettings(settings: IndexSettings): string {
  const ordered: { [name: string]: unknown } = {}
  for (const name of SETTING_NAMES) ordered[name] = settings[name]
  return JSON.stringify(ordered)
}

/**
 * Reads a stored text. @throws CorruptionError for anything that `encodeSettings` does not write
 */
export function decodeSettings(text: string): IndexSettings {
  const stored = parse(text)
  const settings: { [name: string]: unknown } = { ...defaultSettings() }
  for (const [name, value] of Object.entries(stored)) {
    if (!isSettingName(name)) refuse(SECTION, 0, 'bad_value', 'a setting', name)
    if (!SHAPES[name](value)) refuse(SECTION, 0, 'bad_value', `a value of ${name}`, shorten(value))
    settings[name] = value
  }
  return settings as IndexSettings
}

const parse = (text: string): { readonly [name: string]: unknown } => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    // Only a SyntaxError comes from here: the text is not JSON.
    refuse(SECTION, 0, 'bad_value', 'JSON', String(error))
  }
  if (!isObject(value)) refuse(SECTION, 0, 'bad_value', 'an object', shorten(value))
  return value
}

const shorten = (value: unknown): string => String(JSON.stringify(value)).slice(0, 80)

const isSettingName = (name: string): name is SettingName =>
  (SETTING_NAMES as readonly string[]).includes(name)

type Shape = (value: unknown) => boolean

const isObject = (value: unknown): value is { readonly [member: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isText: Shape = (value) => typeof value === 'string'
const isFlag: Shape = (value) => typeof value === 'boolean'
const isCount: Shape = (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0
const isNumber: Shape = (value) => typeof value === 'number'
const isAny: Shape = () => true
const oneOf =
  (words: readonly string[]): Shape =>
  (value) =>
    typeof value === 'string' && words.includes(value)
const list =
  (shape: Shape): Shape =>
  (value) =>
    Array.isArray(value) && value.every(shape)
const map =
  (shape: Shape): Shape =>
  (value) =>
    isObject(value) && Object.values(value).every(shape)
const orNull =
  (shape: Shape): Shape =>
  (value) =>
    value === null || shape(value)
const either =
  (a: Shape, b: Shape): Shape =>
  (value) =>
    a(value) || b(value)

type Members = { readonly [member: string]: Shape }
/** All of these members and no others. */
const object =
  (members: Members): Shape =>
  (value) =>
    isObject(value) &&
    Object.keys(value).every((member) => Object.hasOwn(members, member)) &&
    Object.entries(members).every(([member, shape]) => shape(value[member]))
/** Some of these members and no others. */
const partial =
  (members: Members): Shape =>
  (value) =>
    isObject(value) &&
    Object.entries(value).every(
      ([member, inner]) => Object.hasOwn(members, member) && members[member]?.(inner) === true,
    )

const texts = list(isText)

const isFilterable = either(
  isText,
  object({
    attributePatterns: texts,
    features: object({
      facetSearch: isFlag,
      filter: object({ equality: isFlag, comparison: isFlag }),
    }),
  }),
)

const fragments = map(object({ value: isAny }))
const EMBEDDER_SHAPES: { readonly [F in (typeof EMBEDDER_FIELDS)[number]]: Shape } = {
  source: oneOf(EMBEDDER_SOURCES),
  model: isText,
  revision: isText,
  pooling: oneOf(POOLINGS),
  apiKey: isText,
  dimensions: isCount,
  binaryQuantized: isFlag,
  documentTemplate: isText,
  documentTemplateMaxBytes: isCount,
  url: isText,
  indexingFragments: fragments,
  searchFragments: fragments,
  request: isAny,
  response: isAny,
  headers: map(isText),
  searchEmbedder: (value) => partial(EMBEDDER_SHAPES)(value),
  indexingEmbedder: (value) => partial(EMBEDDER_SHAPES)(value),
  distribution: object({ mean: isNumber, sigma: isNumber }),
}
const isEmbedder: Shape = (value) =>
  partial(EMBEDDER_SHAPES)(value) && isObject(value) && value['source'] !== undefined

const SHAPES: { readonly [K in SettingName]: Shape } = {
  displayedAttributes: orNull(texts),
  searchableAttributes: orNull(texts),
  filterableAttributes: list(isFilterable),
  sortableAttributes: texts,
  foreignKeys: list(object({ foreignIndexUid: isText, fieldName: isText })),
  rankingRules: texts,
  stopWords: texts,
  nonSeparatorTokens: texts,
  separatorTokens: texts,
  dictionary: texts,
  synonyms: map(texts),
  distinctAttribute: orNull(isText),
  proximityPrecision: oneOf(PROXIMITY_PRECISIONS),
  typoTolerance: object({
    enabled: isFlag,
    minWordSizeForTypos: object({ oneTypo: isCount, twoTypos: isCount }),
    disableOnWords: texts,
    disableOnAttributes: texts,
    disableOnNumbers: isFlag,
  }),
  faceting: object({
    maxValuesPerFacet: isCount,
    sortFacetValuesBy: map(oneOf(FACET_ORDERS)),
  }),
  pagination: object({ maxTotalHits: isCount }),
  embedders: map(isEmbedder),
  searchCutoffMs: orNull(isCount),
  localizedAttributes: orNull(list(object({ attributePatterns: texts, locales: texts }))),
  facetSearch: isFlag,
  prefixSearch: oneOf(PREFIX_SEARCHES),
  chat: object({
    description: isText,
    documentTemplate: isText,
    documentTemplateMaxBytes: isCount,
    searchParameters: partial({
      hybrid: object({ semanticRatio: isNumber, embedder: isText }),
      limit: isCount,
      sort: texts,
      distinct: isText,
      matchingStrategy: oneOf(['last', 'all', 'frequency']),
      attributesToSearchOn: texts,
      rankingScoreThreshold: isNumber,
    }),
  }),
}
