// The settings of an index nobody has configured.
import type { IndexSettings } from './types.ts'

/** What a search may take when `searchCutoffMs` is not set. */
export const SEARCH_CUTOFF_MS_DEFAULT = 1500

export const RANKING_RULES_DEFAULT: readonly string[] = [
  'words',
  'typo',
  'proximity',
  'attributeRank',
  'sort',
  'wordPosition',
  'exactness',
]

/** The template that lists the searchable fields of a document, one a line. */
export const DOCUMENT_TEMPLATE_DEFAULT =
  '{% for field in fields %}{% if field.is_searchable and field.value != nil %}' +
  '{{ field.name }}: {{ field.value }}\n{% endif %}{% endfor %}'
export const DOCUMENT_TEMPLATE_BYTES_MAX_DEFAULT = 400

const DEFAULTS: IndexSettings = {
  displayedAttributes: null,
  searchableAttributes: null,
  filterableAttributes: [],
  sortableAttributes: [],
  foreignKeys: [],
  rankingRules: RANKING_RULES_DEFAULT,
  stopWords: [],
  nonSeparatorTokens: [],
  separatorTokens: [],
  dictionary: [],
  synonyms: {},
  distinctAttribute: null,
  proximityPrecision: 'byWord',
  typoTolerance: {
    enabled: true,
    minWordSizeForTypos: { oneTypo: 5, twoTypos: 9 },
    disableOnWords: [],
    disableOnAttributes: [],
    disableOnNumbers: false,
  },
  faceting: { maxValuesPerFacet: 100, sortFacetValuesBy: { '*': 'alpha' } },
  pagination: { maxTotalHits: 1000 },
  embedders: {},
  searchCutoffMs: null,
  localizedAttributes: null,
  facetSearch: true,
  prefixSearch: 'indexingTime',
  chat: {
    description: '',
    documentTemplate: DOCUMENT_TEMPLATE_DEFAULT,
    documentTemplateMaxBytes: DOCUMENT_TEMPLATE_BYTES_MAX_DEFAULT,
    searchParameters: {},
  },
}

/** The defaults; the value is shared and must not be written to. */
export const defaultSettings = (): IndexSettings => DEFAULTS
