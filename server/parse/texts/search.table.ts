// The texts about the parameters of a search: the reference, the description of the API and the
// page show them. `server/parse/search-members.ts` has the schemas.
import type { SEARCH_MEMBERS } from '../index.ts'
import { BOOST_TEXTS } from './boosts.table.ts'
import { RULE_TEXTS } from './rules.table.ts'
import type { MemberTexts, Texts } from './text.ts'

const { description: _noMember, ...INLINE_RULE_TEXTS } = RULE_TEXTS

const HYBRID_TEXTS = {
  embedder: 'Name of the embedder in the setting `embedders`.',
  semanticRatio: 'The weight of hits by vector: 0 searches only by words, 1 only by vectors.',
  fusion: {
    about:
      'How hits by words and hits by vector are merged: `score` by weighted scores, `rrf` by ranks (reciprocal rank fusion).',
    since: '1.57',
  },
} satisfies Texts

const FACET_TEXTS: Texts = {
  attribute: 'The filterable attribute, or a pattern with `*` at either end.',
  disjunctive: 'True counts without the conditions of the filter on this attribute.',
  stats: 'True adds `avg`, `sum` and `count` to `facetStats`.',
  order:
    'Orders values by name or by frequency, instead of the setting `faceting.sortFacetValuesBy`.',
  ranges: {
    about: 'Counts ranges of numbers, with `from` and without `to`.',
    members: {
      from: 'The smallest number of the range; without `from` the range has no lower end.',
      to: 'The upper end of the range, which is not a part of it; without `to` the range has no upper end.',
      key: 'The name of the range in the answer. If absent, the name is made of its ends: `10..50`.',
    },
  },
  histogram: {
    about: 'Counts intervals of equal length. Their names are their first numbers.',
    members: {
      interval: 'The length of an interval, above 0.',
      offset: 'A number at which an interval begins.',
    },
  },
  calendar: 'Counts calendar periods. Their names are the dates of their first days.',
  timezone: 'The time zone of `calendar`, such as `Europe/Paris`. `UTC` if absent.',
}

export const SEARCH_TEXTS = {
  q: {
    about:
      'The query: words, phrases in double quotes, and words to exclude after a `-`. Only the first 10 words and phrases are read, or 100 with `matchingStrategy` `any`; the rest is ignored. A query without words finds all documents that pass the filter.',
    examples: ['quiet "harbour town" -rain'],
  },
  offset: { about: 'The number of hits to skip.', examples: [20] },
  limit: {
    about:
      'The number of hits in the answer. The setting `pagination.maxTotalHits` limits the sum of `offset` and `limit`.',
    examples: [50],
  },
  page: {
    about:
      'The number of the page, from 1. `page` replaces `offset` and `limit`; the answer has the exact `totalHits` and `totalPages`.',
    examples: [1],
  },
  hitsPerPage: {
    about:
      'The number of hits in a page: 20 if only `page` is sent. Without `page`, it asks for page 1.',
    examples: [12],
  },
  countTotal: {
    about:
      'True makes `estimatedTotalHits` exact, also without `page`. All hits are then ranked, which takes time.',
    since: '1.57',
    examples: [true],
  },
  searchAfter: {
    about:
      'Walks through all hits. An empty text begins; the `cursor` of an answer returns the next hits. `offset`, `page` and `hitsPerPage` are refused beside it.',
    since: '1.57',
    examples: [''],
  },
  attributesToRetrieve: {
    about:
      'The fields that hits show; `*` stands for all, and so does an absent list. Only fields of the setting `displayedAttributes` are shown.',
    examples: [['title', 'author.name']],
  },
  attributesToCrop: {
    about:
      'The fields whose texts `_formatted` crops to a part around the matches. `text:5` sets the `cropLength` of one field.',
    examples: [['text', 'title:5']],
  },
  cropLength: { about: 'The number of words in a cropped text.', examples: [20] },
  cropMarker: { about: 'The text that stands in place of left-out words.', examples: [' … '] },
  attributesToHighlight: {
    about:
      'The fields in which `_formatted` highlights the words that were found; `*` stands for all.',
    examples: [['*']],
  },
  highlightPreTag: { about: 'The text before a match in `_formatted`.', examples: ['<mark>'] },
  highlightPostTag: { about: 'The text behind a match in `_formatted`.', examples: ['</mark>'] },
  showMatchesPosition: {
    about: 'True adds `_matchesPosition`: the start and the length of each match, in bytes.',
    examples: [true],
  },
  filter: {
    about:
      'A condition that hits have to meet: a text, or a list of conditions. All conditions of a list have to hold, and at least one condition of each inner list. The attributes have to be in `filterableAttributes`.',
    examples: ['price < 50 AND brand = Lumo', [['brand = Lumo', 'brand = Nocto'], 'stock > 0']],
  },
  sort: {
    about:
      'Orders hits by attributes of `sortableAttributes`, `:asc` or `:desc`, or by distance. The order takes effect at the place of the rule `sort` in `rankingRules`.',
    examples: [['price:asc', '_geoPoint(48.1, 11.5):asc']],
  },
  distinct: {
    about:
      'A filterable attribute. Of documents with the same value, only the best is a hit. This parameter replaces the setting `distinctAttribute`.',
    examples: ['productId'],
  },
  hitsPerGroup: {
    about:
      'Needs `distinct`. Adds `groups` to the answer, with up to this number of the best documents for each value. 1 to 100.',
    since: '1.57',
    examples: [3],
  },
  facets: {
    about:
      'Attributes of `filterableAttributes` whose values are counted in all hits; `*` stands for all. An object sets the order of values, or counts ranges, intervals or periods.',
    members: FACET_TEXTS,
    examples: [
      ['brand'],
      [
        { attribute: 'colour', disjunctive: true, order: 'count' },
        { attribute: 'price', stats: true, ranges: [{ to: 50 }, { from: 50, key: 'more' }] },
        { attribute: 'weight', histogram: { interval: 10, offset: 5 } },
        { attribute: 'published', calendar: 'month', timezone: 'Europe/Paris' },
      ],
    ],
  },
  disjunctiveFacets: {
    about:
      'Attributes whose values are counted without the filter conditions on the attribute itself. So other brands stay visible while one brand is chosen.',
    since: '1.57',
    examples: [['brand', 'colour']],
  },
  matchingStrategy: {
    about:
      'Which words of the query a hit may lack. `last` drops words from the end of the query, `frequency` drops the most frequent words first, and `all` drops no words. `any` requires one word; it suits long queries with the ranking rule `bm25`.',
    examples: ['all'],
  },
  attributesToSearchOn: {
    about: 'The searchable attributes in which words are searched. All if absent.',
    examples: [['title']],
  },
  rankingScoreThreshold: {
    about: 'Leaves out hits whose ranking score is lower.',
    examples: [0.4],
  },
  locales: {
    about:
      'The languages of the query, as codes of two or three letters, instead of the languages of `localizedAttributes`.',
    examples: [['jpn', 'en']],
  },
  hybrid: {
    about: 'Searches by meaning, alone or together with words.',
    members: HYBRID_TEXTS,
    examples: [{ embedder: 'default', semanticRatio: 0.7, fusion: 'rrf' }],
  },
  vector: {
    about:
      'The vector of the query, if the client computes it, as for embedders of the source `userProvided`. Needs `hybrid`.',
    examples: [[0.1, 0.25, -0.3]],
  },
  retrieveVectors: { about: 'True adds `_vectors` to hits.', examples: [true] },
  media: {
    about:
      'Data for the search fragments of an embedder, such as the address of a picture. Needs the feature `multimodal`.',
    examples: [{ image: 'https://pictures.example/boat.jpg' }],
  },
  personalize: {
    about:
      'Reorders hits by a description of the user. Needs the option `--experimental-personalization-api-key`.',
    members: {
      userContext: 'A description of the user in words: tastes, purchases, the situation.',
    },
    examples: [{ userContext: 'Likes slow films, is on a train' }],
  },
  useNetwork: {
    about:
      'True: all instances of the network answer. False: only this instance. If absent: true if the network has shards. Needs the feature `network`.',
    examples: [true],
  },
  showRankingScore: {
    about: 'True adds `_rankingScore`, from 0 to 1, to hits.',
    examples: [true],
  },
  showRankingScoreDetails: {
    about: 'True adds `_rankingScoreDetails`: the result of each ranking rule.',
    examples: [true],
  },
  showPerformanceDetails: {
    about: 'True adds `performanceDetails`: the time of each step of the search.',
    examples: [true],
  },
  inlineRule: {
    about:
      'A dynamic search rule for this search alone, instead of a stored rule with the same `uid`. Needs the feature `dynamicSearchRules`.',
    since: '1.57',
    members: { uid: 'Name of the rule.', ...INLINE_RULE_TEXTS },
    examples: [
      {
        uid: 'lamps',
        precedence: 1,
        active: true,
        conditions: {
          time: { start: '2030-01-01T00:00:00Z', end: '2031-01-01T00:00:00Z' },
          query: { isEmpty: false, words: 'lamp' },
          filter: { values: { brand: 'Lumo' } },
        },
        actions: {
          pin: [{ indexUid: 'shop', id: '4', position: 0 }],
          scale: [{ indexUid: 'shop', ids: ['7'], filter: 'stock = 0', weight: 0.5 }],
        },
      },
    ],
  },
  showCorrection: {
    about:
      'True adds `correctedQuery` if the query is misspelled: the query as the documents spell it.',
    since: '1.57',
    examples: [true],
  },
  attributeWeights: {
    about:
      'Weights of searchable attributes in the ranking rule `bm25`; `*` stands for all others. This parameter replaces the setting `attributeWeights`.',
    since: '1.57',
    examples: [{ title: 3, '*': 1 }],
  },
  boosts: {
    about:
      'Factors for the scores of hits: by a filter, a number, an age or a distance. This parameter replaces the setting `boosts`; an empty list switches all boosts off.',
    since: '1.57',
    members: BOOST_TEXTS,
    examples: [
      [{ filter: 'brand = Lumo', weight: 2 }],
      [
        { field: 'sold', function: 'saturation', pivot: 1000 },
        { field: 'rating', function: 'log', factor: 2 },
        {
          field: '_geo',
          shape: 'exp',
          origin: { lat: 48.1, lng: 11.5 },
          scale: 2000,
          offset: 100,
          decay: 0.3,
        },
      ],
    ],
  },
  boostsNow: {
    about:
      'The moment of `now` in boosts, in milliseconds since 1970, so that answers can be repeated. The present if absent.',
    since: '1.57',
    examples: [1_767_225_600_000],
  },
  facetScope: {
    about:
      '`all` counts the values of all array elements. `match` counts only the elements that the conditions in brackets of the filter select.',
    since: '1.57',
    examples: ['match'],
  },
  sortScope: {
    about:
      '`all` sorts by the values of all array elements. `match` uses only the elements that the conditions in brackets of the filter select.',
    since: '1.57',
    examples: ['match'],
  },
  querySyntax: {
    about:
      '`boolean` reads `AND`, `OR`, `NOT`, `+word`, `-word`, parentheses and `attribute:word` in `q`. The error of a mistake names its place.',
    since: '1.57',
    examples: ['boolean'],
  },
} satisfies MemberTexts<keyof typeof SEARCH_MEMBERS>
