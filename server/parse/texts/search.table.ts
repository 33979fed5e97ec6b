// The texts about the parameters of a search: the reference, the description of the API and the
// page show them. `server/parse/search-members.ts` has the schemas.
import type { SEARCH_MEMBERS } from '../index.ts'
import { BOOST_TEXTS } from './boosts.table.ts'
import { RULE_TEXTS } from './rules.table.ts'
import type { MemberTexts, Texts } from './text.ts'

const { description: _noMember, ...INLINE_RULE_TEXTS } = RULE_TEXTS

const HYBRID_TEXTS = {
  embedder: 'Name of the embedder in the setting `embedders`.',
  semanticRatio: 'The share of meaning: 0 searches by words alone, 1 by vectors alone.',
  fusion: {
    about:
      'How both lists become one: `score` by weighted scores, `rrf` by ranks (reciprocal rank fusion).',
    since: '1.57',
  },
} satisfies Texts

const FACET_TEXTS: Texts = {
  attribute: 'The filterable attribute, or a pattern with `*` at either end.',
  disjunctive: 'True counts without the conditions of the filter on this attribute.',
  stats: 'True adds `avg`, `sum` and `count` to `facetStats`.',
  order:
    'Values by name or the most frequent first, in place of `faceting.sortFacetValuesBy` of the settings.',
  ranges: {
    about: 'Counts ranges of numbers, `from` included and `to` excluded.',
    members: {
      from: 'The smallest number of the range; without it the range has no lower end.',
      to: 'The number behind the range; without it the range has no upper end.',
      key: 'The name of the range in the answer; `10..50` and the like if absent.',
    },
  },
  histogram: {
    about: 'Counts intervals of equal length, named by their first number.',
    members: {
      interval: 'The length of an interval, above 0.',
      offset: 'A number at which an interval begins.',
    },
  },
  calendar: 'Counts periods of a calendar, named by their first day.',
  timezone: 'The time zone of `calendar`, such as `Europe/Paris`. `UTC` if absent.',
}

export const SEARCH_TEXTS = {
  q: {
    about:
      'The query: words, phrases in double quotes, and words to exclude after a `-`. Only the first 10 words and phrases are read, or 100 with `matchingStrategy` `any`; the rest is ignored. Without words every document that passes the filter is found.',
    examples: ['quiet "harbour town" -rain'],
  },
  offset: { about: 'The number of hits to skip.', examples: [20] },
  limit: {
    about:
      'The number of hits of the answer. `pagination.maxTotalHits` of the settings bounds `offset` and `limit` together.',
    examples: [50],
  },
  page: {
    about:
      'The number of the page, from 1. It replaces `offset` and `limit`, and the answer has the exact `totalHits` and `totalPages`.',
    examples: [1],
  },
  hitsPerPage: {
    about: 'The hits of a page with `page`: 20 if only `page` is sent. It counts exactly, too.',
    examples: [12],
  },
  countTotal: {
    about:
      'True counts `estimatedTotalHits` exactly, also without pages. It costs the time of ranking all hits.',
    since: '1.57',
    examples: [true],
  },
  searchAfter: {
    about:
      'Walks through all hits: an empty text begins, and the `cursor` of each answer asks for the next hits. It excludes `offset`, `page` and `hitsPerPage`.',
    since: '1.57',
    examples: [''],
  },
  attributesToRetrieve: {
    about:
      'The fields that hits have, `*` for all. The setting `displayedAttributes` bounds them. All if absent.',
    examples: [['title', 'author.name']],
  },
  attributesToCrop: {
    about:
      'The fields of which `_formatted` shows a part around the matches. `text:5` has a length of its own.',
    examples: [['text', 'title:5']],
  },
  cropLength: { about: 'The number of words in a cropped text.', examples: [20] },
  cropMarker: { about: 'The text in place of what a crop leaves out.', examples: [' … '] },
  attributesToHighlight: {
    about: 'The fields whose matches `_formatted` marks, `*` for all.',
    examples: [['*']],
  },
  highlightPreTag: { about: 'The text before a match in `_formatted`.', examples: ['<mark>'] },
  highlightPostTag: { about: 'The text behind a match in `_formatted`.', examples: ['</mark>'] },
  showMatchesPosition: {
    about: 'True adds `_matchesPosition`: start and length of each match, in bytes.',
    examples: [true],
  },
  filter: {
    about:
      'A condition that hits meet: a text, or a list of conditions that all hold, in which an inner list means “one of”. Its attributes are in `filterableAttributes`.',
    examples: ['price < 50 AND brand = Lumo', [['brand = Lumo', 'brand = Nocto'], 'stock > 0']],
  },
  sort: {
    about:
      'The order of hits by attributes of `sortableAttributes`, `:asc` or `:desc`, or by distance. It decides where the rule `sort` stands in `rankingRules`.',
    examples: [['price:asc', '_geoPoint(48.1, 11.5):asc']],
  },
  distinct: {
    about:
      'Of the documents with one value of this filterable attribute only the best one is a hit. It replaces the setting `distinctAttribute`.',
    examples: ['productId'],
  },
  hitsPerGroup: {
    about:
      'With `distinct`: the answer also has `groups`, with up to this many of the best documents of each value. 1 to 100.',
    since: '1.57',
    examples: [3],
  },
  facets: {
    about:
      'Attributes of `filterableAttributes` whose values are counted over all hits, `*` for all. An object says in which order, or counts ranges, intervals or periods.',
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
      'Attributes that are counted without the conditions of the filter on themselves, so that other brands stay visible while one is chosen.',
    since: '1.57',
    examples: [['brand', 'colour']],
  },
  matchingStrategy: {
    about:
      'The words that a hit may lack: `last` drops words from the end of the query, `frequency` those that most documents have, `all` none. `any` needs one word, and suits long queries with the ranking rule `bm25`.',
    examples: ['all'],
  },
  attributesToSearchOn: {
    about: 'The searchable attributes in which words are looked for. All if absent.',
    examples: [['title']],
  },
  rankingScoreThreshold: {
    about: 'Leaves out hits whose ranking score is lower.',
    examples: [0.4],
  },
  locales: {
    about:
      'The languages of the query, as codes of two or three letters. They replace those of `localizedAttributes`.',
    examples: [['jpn', 'en']],
  },
  hybrid: {
    about: 'Searches by meaning, alone or together with words.',
    members: HYBRID_TEXTS,
    examples: [{ embedder: 'default', semanticRatio: 0.7, fusion: 'rrf' }],
  },
  vector: {
    about:
      'The vector of the query, for embedders of source `userProvided` and clients that compute vectors themselves. It needs `hybrid`.',
    examples: [[0.1, 0.25, -0.3]],
  },
  retrieveVectors: { about: 'True adds `_vectors` to hits.', examples: [true] },
  media: {
    about:
      'Data for the search fragments of an embedder, such as the address of a picture. It needs the feature `multimodal`.',
    examples: [{ image: 'https://pictures.example/boat.jpg' }],
  },
  personalize: {
    about:
      'Reorders hits by a description of the user. It needs the option `--experimental-personalization-api-key`.',
    members: { userContext: 'The user in words: tastes, purchases, the moment.' },
    examples: [{ userContext: 'Likes slow films, is on a train' }],
  },
  useNetwork: {
    about:
      'Whether all instances of the network answer, or this one alone. Absent: all, where documents are divided into shards. It needs the feature `network`.',
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
      'A dynamic search rule for this search alone, in place of a stored one with its `uid`. It needs the feature `dynamicSearchRules`.',
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
      'True adds `correctedQuery`: a misspelled query as the documents spell it, if it has a correction.',
    since: '1.57',
    examples: [true],
  },
  attributeWeights: {
    about:
      'Weights of searchable attributes in the ranking rule `bm25`, `*` for all others. They replace the setting.',
    since: '1.57',
    examples: [{ title: 3, '*': 1 }],
  },
  boosts: {
    about:
      'Factors for the scores of hits: by a filter, a number, an age or a distance. They replace those of the settings; an empty list switches these off.',
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
      'The moment that `now` means in boosts, in milliseconds since 1970, for answers that can be repeated. The present if absent.',
    since: '1.57',
    examples: [1_767_225_600_000],
  },
  facetScope: {
    about:
      '`match` counts only values of the array elements that the filter’s conditions in brackets select.',
    since: '1.57',
    examples: ['match'],
  },
  sortScope: {
    about:
      '`match` sorts only by values of the array elements that the filter’s conditions in brackets select.',
    since: '1.57',
    examples: ['match'],
  },
  querySyntax: {
    about:
      '`boolean` reads `AND`, `OR`, `NOT`, `+word`, `-word`, parentheses and `attribute:word` in `q`. A fault in it is refused with its place.',
    since: '1.57',
    examples: ['boolean'],
  },
} satisfies MemberTexts<keyof typeof SEARCH_MEMBERS>
