// The texts about requests beside searches of one index: facet searches, lists of searches, similar
// documents, suggestions, and reads that wait for a task.
import { SEARCH_TEXTS } from './search.table.ts'
import type { MemberText, MemberTexts } from './text.ts'

export const MIN_TASK_TEXTS: MemberTexts<'minTaskUid' | 'minTaskTimeout'> = {
  minTaskUid: {
    about:
      'The uid of a task. The request waits until the answer contains the changes of this task. The header `Svc-Min-Task-Uid` does the same.',
    since: '1.57',
    examples: [42],
  },
  minTaskTimeout: {
    about: 'The milliseconds to wait for the task of `minTaskUid`: 5000 if absent.',
    since: '1.57',
    examples: [2000],
  },
}

const { filter, locales, useNetwork, limit, offset, page, hitsPerPage } = SEARCH_TEXTS
const { attributesToRetrieve, retrieveVectors, rankingScoreThreshold } = SEARCH_TEXTS
const { showRankingScore, showRankingScoreDetails, showPerformanceDetails } = SEARCH_TEXTS
const { distinct, personalize, countTotal } = SEARCH_TEXTS

/** The members of a facet search that a search does not have. */
export const FACET_SEARCH_TEXTS = {
  facetName: { about: 'The filterable attribute whose values are searched.', examples: ['brand'] },
  facetQuery: {
    about: 'The beginning of the values to find; typos are allowed. All values if absent.',
    examples: ['lum'],
  },
  exhaustiveFacetCount: {
    about:
      'True makes counts exact with `rankingScoreThreshold` or a distinct attribute. More documents are then ranked, which takes time.',
    examples: [true],
  },
} satisfies MemberTexts

const FEDERATION_OPTIONS: MemberText = {
  about: 'How the hits of this search are merged into the list of all hits.',
  members: {
    weight: 'The factor for the scores of these hits; 0 or more.',
    remote: 'The instance of the network that answers this search.',
    queryPosition:
      'The position that hits show instead of the position of this search in the list.',
  },
  examples: [{ weight: 2, remote: 'east', queryPosition: 0 }],
}

/** The members of a search of a list that a search alone does not have. */
export const LISTED_SEARCH_TEXTS = {
  indexUid: { about: 'The index to search.', examples: ['shop'] },
  federationOptions: FEDERATION_OPTIONS,
} satisfies MemberTexts

export const FEDERATION_TEXTS = {
  limit,
  offset,
  page,
  hitsPerPage,
  facetsByIndex: {
    about: 'The facets to count, by index. null counts no facets of an index.',
    ...(SEARCH_TEXTS.facets.members && { members: SEARCH_TEXTS.facets.members }),
    examples: SEARCH_TEXTS.facets.examples.map((shop) => ({ shop })) as [object],
  },
  mergeFacets: {
    about: 'Adds the counts of all indexes. If absent or null, counts are listed by index.',
    members: {
      maxValuesPerFacet: 'The largest number of values that the answer lists for a facet.',
    },
    examples: [{ maxValuesPerFacet: 20 }],
  },
  distinct,
  showPerformanceDetails,
  personalize,
  countTotal,
} satisfies MemberTexts

export const SIMILAR_TEXTS = {
  id: {
    about: 'The id of the document. The hits are similar to this document.',
    examples: [1, 'lamp-7'],
  },
  embedder: {
    about: 'The embedder whose vectors are compared.',
    examples: ['default'],
  },
  offset,
  limit: { about: 'The number of hits of the answer.', examples: [5] },
  filter,
  attributesToRetrieve,
  retrieveVectors,
  showRankingScore,
  showRankingScoreDetails,
  showPerformanceDetails,
  rankingScoreThreshold,
  useNetwork,
} satisfies MemberTexts

export const SUGGEST_TEXTS = {
  q: {
    about: 'The typed text. With more than 512 UTF-16 units there are no suggestions.',
    since: '1.57',
    examples: ['harb'],
  },
  limit: { about: 'The number of suggestions.', since: '1.57', examples: [8] },
  filter: { ...filter, about: 'Only documents that pass this filter count.', since: '1.57' },
  attributes: {
    about: 'The searchable attributes from which suggestions come. All if absent.',
    since: '1.57',
    examples: [['title']],
  },
  locales: { ...locales, since: '1.57' },
  highlightPreTag: {
    about: 'Adds `highlighted` to suggestions; this text stands before the typed part.',
    since: '1.57',
    examples: ['<b>'],
  },
  highlightPostTag: {
    about: 'Adds `highlighted` to suggestions; this text stands behind the typed part.',
    since: '1.57',
    examples: ['</b>'],
  },
  useNetwork: { ...useNetwork, since: '1.57' },
} satisfies MemberTexts
