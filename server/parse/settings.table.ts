// The schema of each setting in a change: one row per setting, which the compiler requires.
// Everything else about a setting is in its module, in `engine/settings`.

import {
  type ChatPatch,
  type ChatSearchParameters,
  FACET_ORDERS,
  type Faceting,
  FEATURES_OF_A_RULE,
  type FilterableAttribute,
  type FilterableRule,
  type FilterFeatures,
  type ForeignKey,
  INFIX_LENGTH_MAX,
  INFIX_LENGTH_MIN,
  type InfixSearchPatch,
  LOCALES,
  type LocalizedRule,
  type Pagination,
  type Partly,
  type PatchOf,
  PREFIX_SEARCHES,
  PROXIMITY_PRECISIONS,
  rankingRuleProblem,
  type SettingName,
  SIMILARITY_K1_MAX,
  type SimilarityPatch,
  type TypoTolerancePatch,
  typoSizesProblem,
} from '../../engine/index.ts'
import type { IndexUid } from '../../format/ids.ts'
import * as json from '../../format/schema/index.ts'
import { embedders } from './embedders.ts'
import {
  boosts,
  checked,
  count,
  countUpTo,
  flag,
  floatUpTo,
  invalid,
  isJsonArray,
  isJsonObject,
  list,
  mapOf,
  member,
  nullable,
  object,
  oneOf,
  partial,
  positiveCount,
  ratio,
  readable,
  readerOf,
  required,
  type Schema,
  text,
  textSet,
  texts,
} from './schema/index.ts'
import {
  attributeWeights,
  fusion,
  matchingStrategy,
  querySyntax,
  SEMANTIC_RATIO_DEFAULT,
} from './search-members.ts'

const filterFeatures: Schema<FilterFeatures['filter']> = object<FilterFeatures['filter']>({
  equality: member(flag, null, FEATURES_OF_A_RULE.filter.equality),
  comparison: member(flag, null, FEATURES_OF_A_RULE.filter.comparison),
})
const features: Schema<FilterFeatures> = object<FilterFeatures>({
  facetSearch: member(flag, null, FEATURES_OF_A_RULE.facetSearch),
  filter: member(filterFeatures, null, FEATURES_OF_A_RULE.filter),
})
const filterableRule: Schema<FilterableRule> = object<FilterableRule>({
  attributePatterns: required(texts, null),
  features: member(features, null, FEATURES_OF_A_RULE),
})
/** A value that is not an object should have been a name, so the message says that. */
const readName = readerOf(text)
const readRule = readerOf(filterableRule)
const filterable: Schema<FilterableAttribute> = readable(
  json.either(text, filterableRule),
  (value) => (isJsonObject(value) ? readRule(value) : readName(value)),
)

const foreignKey: Schema<ForeignKey> = object<ForeignKey>({
  foreignIndexUid: required(text as Schema<IndexUid>, null),
  fieldName: required(text, null),
})

const rankingRule: Schema<string> = checked(text, (rule) => {
  const problem = rankingRuleProblem(rule)
  if (problem !== null) throw invalid(problem)
  return rule
})

const WORD_SIZE_MAX = 255
type WordSizes = NonNullable<TypoTolerancePatch['minWordSizeForTypos']>
const wordSizes: Schema<WordSizes> = checked(
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
const typoTolerance: Schema<TypoTolerancePatch> = partial<TypoTolerancePatch>({
  enabled: nullable(flag),
  minWordSizeForTypos: nullable(wordSizes),
  disableOnWords: nullable(textSet),
  disableOnAttributes: nullable(textSet),
  disableOnNumbers: nullable(flag),
})

type StemOptions = Exclude<NonNullable<LocalizedRule['stemming']>, boolean>
const stemOptions: Schema<StemOptions> = partial<StemOptions>({
  exceptions: texts,
  dictionary: mapOf(text),
})
const readStemOptions = readerOf(stemOptions)
const readFlag = readerOf(flag)
const stemming: Schema<NonNullable<LocalizedRule['stemming']>> = readable(
  json.either(flag, stemOptions),
  (value) => (isJsonObject(value) ? readStemOptions(value) : readFlag(value)),
)
const localizedRule: Schema<LocalizedRule> = object<
  Omit<LocalizedRule, 'stemming'>,
  Pick<LocalizedRule, 'stemming'>
>(
  {
    attributePatterns: required(texts, null),
    locales: required(list(oneOf(LOCALES)), null),
  },
  { aside: { stemming: member(stemming, null, false) } },
)

/** A minimum that fits the setting; the message of a larger one is that of every count. */
const readLength = readerOf(countUpTo(INFIX_LENGTH_MAX))
const infixLength: Schema<number> = readable(
  json.countBetween(INFIX_LENGTH_MIN, INFIX_LENGTH_MAX),
  (value) => {
    const length = readLength(value)
    if (length >= INFIX_LENGTH_MIN) return length
    throw invalid(
      `\`minLength\` should be between \`${INFIX_LENGTH_MIN}\` and \`${INFIX_LENGTH_MAX}\`, ` +
        `but found \`${length}\`. Words are looked up by each three of their characters.`,
    )
  },
)
const infixSearch: Schema<InfixSearchPatch> = object<InfixSearchPatch>({
  attributes: required(texts, null),
  minLength: member(infixLength, null, INFIX_LENGTH_MIN),
})

type ChatHybrid = NonNullable<ChatSearchParameters['hybrid']>
const chatHybrid: Schema<ChatHybrid> = object<
  Omit<ChatHybrid, 'fusion'>,
  Pick<Required<ChatHybrid>, 'fusion'>
>(
  {
    semanticRatio: member(ratio('semanticRatio'), null, SEMANTIC_RATIO_DEFAULT),
    embedder: required(text, null),
  },
  { aside: { fusion: member(fusion, null, 'score') } },
)
const chatSearch: Schema<Partly<ChatSearchParameters>> = partial<Partly<ChatSearchParameters>>(
  {
    hybrid: nullable(chatHybrid),
    limit: nullable(count),
    sort: nullable(texts),
    distinct: nullable(text),
    matchingStrategy: nullable(matchingStrategy),
    attributesToSearchOn: nullable(texts),
    rankingScoreThreshold: nullable(ratio('rankingScoreThreshold')),
    querySyntax: nullable(querySyntax),
  },
  null,
  { unlisted: ['querySyntax'] },
)
const chat: Schema<ChatPatch> = partial<ChatPatch>({
  description: nullable(text),
  documentTemplate: nullable(text),
  documentTemplateMaxBytes: nullable(count),
  searchParameters: nullable(chatSearch),
})

const similarity: Schema<SimilarityPatch> = partial<SimilarityPatch>({
  k1: nullable(floatUpTo('`k1`', SIMILARITY_K1_MAX)),
  b: nullable(floatUpTo('`b`', 1)),
})

const readNames = readerOf(texts)
/** Anything but a list is reported as a wrong name. */
const searchableRank: Schema<string | readonly string[]> = readable(
  json.either(text, texts),
  (value) => {
    if (!isJsonArray(value)) return readName(value)
    const names = readNames(value)
    if (names.length > 0) return names
    throw invalid('a list of attributes of one rank should not be empty.')
  },
)

export const SETTING_SCHEMAS: { readonly [K in SettingName]: Schema<PatchOf<K> | null> } = {
  displayedAttributes: nullable(texts),
  searchableAttributes: nullable(list(searchableRank)),
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
  infixSearch: nullable(infixSearch),
  chat: nullable(chat),
  expiresAtAttribute: nullable(text),
  attributeWeights: nullable(attributeWeights),
  similarity: nullable(similarity),
  boosts: nullable(boosts),
}
