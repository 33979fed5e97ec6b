// The texts about the settings of an index: the reference, the description of the API and the page
// show them. `server/parse/settings.table.ts` has the schemas, `engine/settings` everything else.
import type { SettingName } from '../../../engine/index.ts'
import { BOOST_TEXTS } from './boosts.table.ts'
import { EMBEDDER_TEXTS } from './embedders.table.ts'
import { SEARCH_TEXTS } from './search.table.ts'
import type { MemberTexts, Texts } from './text.ts'

const CHAT_SEARCH_TEXTS: Texts = {
  hybrid: SEARCH_TEXTS.hybrid,
  limit: 'The number of documents that a search shows to the model.',
  sort: SEARCH_TEXTS.sort,
  distinct: SEARCH_TEXTS.distinct,
  matchingStrategy: SEARCH_TEXTS.matchingStrategy,
  attributesToSearchOn: SEARCH_TEXTS.attributesToSearchOn,
  rankingScoreThreshold: SEARCH_TEXTS.rankingScoreThreshold,
  querySyntax: SEARCH_TEXTS.querySyntax,
}

const MODEL = {
  source: 'rest',
  url: 'https://models.example/embed',
  apiKey: 'a key',
  dimensions: 384,
  documentTemplate: '{{doc.title}}: {{doc.text}}',
  documentTemplateMaxBytes: 800,
  binaryQuantized: false,
  request: { inputs: ['{{text}}', '{{..}}'] },
  response: { vectors: ['{{embedding}}', '{{..}}'] },
  headers: { 'X-Team': 'search' },
  distribution: { mean: 0.7, sigma: 0.3 },
} as const
const PICTURES = {
  source: 'rest',
  url: 'https://models.example/pictures',
  dimensions: 512,
  request: { input: '{{fragment}}' },
  response: { vector: '{{embedding}}' },
  indexingFragments: { picture: { value: { image: '{{doc.image}}' } } },
  searchFragments: { words: { value: { text: '{{q}}' } } },
} as const
const LOCAL = {
  source: 'huggingFace',
  model: 'BAAI/bge-small-en-v1.5',
  revision: 'main',
  pooling: 'useModel',
} as const

export const SETTING_TEXTS: MemberTexts<SettingName> = {
  displayedAttributes: {
    about: 'The attributes that hits and documents show. `["*"]` stands for all.',
    examples: [['title', 'author']],
  },
  searchableAttributes: {
    about:
      'The attributes in which words are searched, the most important one first. `["*"]` stands for all, in the order in which the index first saw them. The rule `attributeRank` uses this order; attributes in an inner list (since 1.57) share a rank.',
    examples: [
      ['title', 'author.name', 'text'],
      ['title', ['text', 'summary']],
    ],
  },
  filterableAttributes: {
    about:
      'The attributes for filters, facets and `distinct`: names or rules for patterns. A name includes nested attributes. `_geo` allows filters by place.',
    members: {
      attributePatterns: 'Names of attributes, with `*` at either end.',
      features: {
        about: 'The operations that these attributes allow.',
        members: {
          facetSearch: 'Whether a facet search may search in the values.',
          filter: {
            about: 'The conditions that filters may use.',
            members: {
              equality: 'Whether `=`, `!=`, `IN` and similar conditions are allowed.',
              comparison: 'Whether `<`, `>` and `TO` are allowed.',
            },
          },
        },
      },
    },
    examples: [
      ['brand', 'price', '_geo'],
      [
        {
          attributePatterns: ['specs.*'],
          features: { facetSearch: false, filter: { equality: true, comparison: true } },
        },
      ],
    ],
  },
  sortableAttributes: {
    about: 'The attributes that `sort` of a search may name. `_geo` allows sorting by distance.',
    examples: [['price', '_geo']],
  },
  foreignKeys: {
    about:
      'Attributes with ids of documents in other indexes. Hits show these documents, and `_foreign` filters by them. Needs the feature `foreignKeys`.',
    members: {
      foreignIndexUid: 'The other index.',
      fieldName: 'The attribute of this index that has the ids.',
    },
    examples: [[{ foreignIndexUid: 'authors', fieldName: 'authorId' }]],
  },
  rankingRules: {
    about:
      'The rules that order hits, the most important one first: the rules of the default, `bm25`, and `attribute:asc` or `attribute:desc`.',
    examples: [['words', 'typo', 'proximity', 'attributeRank', 'sort', 'exactness', 'sold:desc']],
  },
  stopWords: {
    about: 'Words that queries ignore, such as articles. Phrases still need them.',
    examples: [['the', 'of', 'a']],
  },
  nonSeparatorTokens: {
    about: 'Characters and texts that no longer separate words, so that `C#` is one word.',
    examples: [['#', '+']],
  },
  separatorTokens: {
    about: 'Additional characters and texts that separate words.',
    examples: [['&sep', '|']],
  },
  dictionary: {
    about: 'Texts that count as one word each, although they contain separators.',
    examples: [['J. R. R.', 'W. E. B.']],
  },
  synonyms: {
    about:
      'Words and phrases of queries, each with the words and phrases that it also finds. The other direction needs its own entry. A phrase has up to 8 words.',
    examples: [{ phone: ['smartphone', 'mobile'], smartphone: ['phone'] }],
  },
  distinctAttribute: {
    about:
      'An attribute. Of documents with the same value, only the best is a hit. The parameter `distinct` of a search replaces it.',
    examples: ['productId'],
  },
  proximityPrecision: {
    about:
      '`byWord` compares the distances between words. `byAttribute` compares only whether words stand in the same attribute, which is faster and less exact.',
    examples: ['byAttribute'],
  },
  typoTolerance: {
    about: 'The words of a query that may match with typos.',
    members: {
      enabled: 'False allows no typos.',
      minWordSizeForTypos: {
        about: 'The lengths from which words may have typos.',
        members: {
          oneTypo: 'The number of characters from which a word may have one typo.',
          twoTypos:
            'The number of characters from which a word may have two typos, not below `oneTypo`.',
        },
      },
      disableOnWords: 'Words of queries that match only without typos.',
      disableOnAttributes: 'Attributes whose words match only without typos.',
      disableOnNumbers: 'True allows no typos in numbers.',
    },
    examples: [
      {
        enabled: true,
        minWordSizeForTypos: { oneTypo: 4, twoTypos: 8 },
        disableOnWords: ['hdmi'],
        disableOnAttributes: ['partNumber'],
        disableOnNumbers: true,
      },
    ],
  },
  faceting: {
    about: 'How the facets of an answer list values.',
    members: {
      maxValuesPerFacet:
        'The largest number of values that an answer lists for a facet. All values are counted.',
      sortFacetValuesBy: {
        about:
          'The order of values, by attribute; `*` stands for all others. `alpha` is by name, `count` by frequency; `sampledCount` means `count`.',
      },
    },
    examples: [{ maxValuesPerFacet: 50, sortFacetValuesBy: { '*': 'alpha', brand: 'count' } }],
  },
  pagination: {
    about: 'How many hits a search can reach.',
    members: {
      maxTotalHits:
        'The largest number of hits that pages can reach. Totals also count hits beyond it.',
    },
    examples: [{ maxTotalHits: 5000 }],
  },
  embedders: {
    about:
      'The models that make vectors of documents and queries, by name: up to 256. null removes an embedder.',
    members: EMBEDDER_TEXTS,
    examples: [
      { default: { source: 'userProvided', dimensions: 3 } },
      { rest: MODEL, local: LOCAL, pictures: PICTURES },
      {
        both: {
          source: 'composite',
          searchEmbedder: LOCAL,
          indexingEmbedder: {
            source: 'ollama',
            url: 'http://127.0.0.1:11434/api/embed',
            model: 'bge-small-en-v1.5',
          },
        },
      },
    ],
  },
  searchCutoffMs: {
    about:
      'The milliseconds after which a search answers with the hits that it has ranked so far. null stands for 1500.',
    examples: [150],
  },
  localizedAttributes: {
    about:
      'The languages of attributes, by pattern. The first rule that fits an attribute counts. Without a rule, only Chinese and Japanese are distinguished.',
    members: {
      attributePatterns: 'Names of attributes, with `*` at either end.',
      locales: 'Codes of languages, of two or three letters; an empty list for any language.',
      stemming: {
        about:
          'Whether words are also found by their stems (`running` by `run`): true, or an object with exceptions.',
        since: '1.57',
        members: {
          exceptions: 'Words that have no other forms.',
          dictionary: 'Words, each with another word whose stem it has.',
        },
      },
    },
    examples: [
      [{ attributePatterns: ['*_ja'], locales: ['jpn'] }],
      [
        {
          attributePatterns: ['*'],
          locales: ['eng'],
          stemming: { exceptions: ['news'], dictionary: { ran: 'run' } },
        },
      ],
    ],
  },
  facetSearch: {
    about: 'Whether facet searches may search in the values of attributes.',
    examples: [false],
  },
  prefixSearch: {
    about:
      'Whether the last word of a query also finds words that begin with it: `indexingTime` means yes, `disabled` no.',
    examples: ['disabled'],
  },
  infixSearch: {
    about:
      'Finds words of a query inside of longer words, in the named attributes. null switches it off.',
    since: '1.57',
    members: {
      attributes:
        'The attributes. An object stands for all attributes in it, and `*` for all attributes.',
      minLength: 'The number of characters from which a query word is searched inside of words.',
    },
    examples: [{ attributes: ['name', 'partNumber'], minLength: 4 }],
  },
  chat: {
    about: 'How a chat searches this index and shows its documents to the model.',
    members: {
      description: 'The content of the index, in words for the model.',
      documentTemplate: 'The text of a document, as a Liquid template.',
      documentTemplateMaxBytes: 'The largest number of bytes of this text. The rest is cut off.',
      searchParameters: {
        about: 'Parameters of the searches of the model.',
        members: CHAT_SEARCH_TEXTS,
      },
    },
    examples: [
      {
        description: 'Films with their year',
        documentTemplate: '{{doc.title}} ({{doc.year}})',
        documentTemplateMaxBytes: 600,
        searchParameters: {
          hybrid: { embedder: 'default', semanticRatio: 0.6, fusion: 'rrf' },
          limit: 8,
          sort: ['year:desc'],
          distinct: 'series',
          matchingStrategy: 'frequency',
          attributesToSearchOn: ['title'],
          rankingScoreThreshold: 0.2,
          querySyntax: 'boolean',
        },
      },
    ],
  },
  expiresAtAttribute: {
    about:
      'The attribute with the moment when a document expires: seconds or milliseconds since 1970, or a text of RFC 3339. From then on no search finds it. null: documents never expire.',
    since: '1.57',
    examples: ['validUntil'],
  },
  attributeWeights: {
    about:
      'Weights of searchable attributes in the ranking rule `bm25`; `*` stands for all others. An attribute without a weight has the weight 1.',
    since: '1.57',
    examples: [{ title: 3, '*': 1 }],
  },
  similarity: {
    about: 'The parameters of the ranking rule `bm25`.',
    since: '1.57',
    members: {
      k1: 'How much each repetition of a word adds; with 0, repetitions do not matter.',
      b: 'How much long attributes are discounted; with 0, length does not matter.',
    },
    examples: [{ k1: 0.9, b: 0.4 }],
  },
  boosts: {
    about:
      'Factors for the scores of hits: by a filter, a number, an age or a distance. The parameter `boosts` of a search replaces this setting.',
    since: '1.57',
    members: BOOST_TEXTS,
    examples: SEARCH_TEXTS.boosts.examples,
  },
}
