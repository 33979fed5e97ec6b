// The texts about the settings of an index: the reference, the description of the API and the page
// show them. `server/parse/settings.table.ts` has the schemas, `engine/settings` everything else.
import type { SettingName } from '../../../engine/index.ts'
import { BOOST_TEXTS } from './boosts.table.ts'
import { EMBEDDER_TEXTS } from './embedders.table.ts'
import { SEARCH_TEXTS } from './search.table.ts'
import type { MemberTexts, Texts } from './text.ts'

const CHAT_SEARCH_TEXTS: Texts = {
  hybrid: SEARCH_TEXTS.hybrid,
  limit: 'The number of documents that the model reads of a search.',
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
      'The attributes in which words are looked for, the most important one first. `["*"]` stands for all, in the order in which the index met them. Their order is what the rule `attributeRank` compares; attributes in an inner list (since 1.57) share a rank.',
    examples: [
      ['title', 'author.name', 'text'],
      ['title', ['text', 'summary']],
    ],
  },
  filterableAttributes: {
    about:
      'The attributes for filters, facets and `distinct`: names, which include nested attributes, or rules for patterns. `_geo` allows filters by place.',
    members: {
      attributePatterns: 'Names of attributes, with `*` at either end.',
      features: {
        about: 'The operations that these attributes allow.',
        members: {
          facetSearch: 'Whether the values may be searched by a facet search.',
          filter: {
            about: 'The conditions that filters may use.',
            members: {
              equality: 'Whether `=`, `!=`, `IN` and the like are allowed.',
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
      'Attributes with ids of documents of other indexes: hits show these documents, and `_foreign` filters by them. It needs the feature `foreignKeys`.',
    members: {
      foreignIndexUid: 'The other index.',
      fieldName: 'The attribute of this index with the ids.',
    },
    examples: [[{ foreignIndexUid: 'authors', fieldName: 'authorId' }]],
  },
  rankingRules: {
    about:
      'The rules that order hits, the most important one first: those of the default, `bm25`, and `attribute:asc` or `attribute:desc`.',
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
    about: 'Characters and texts that separate words in addition to those that always do.',
    examples: [['&sep', '|']],
  },
  dictionary: {
    about: 'Texts that count as one word each, although they contain separators.',
    examples: [['J. R. R.', 'W. E. B.']],
  },
  synonyms: {
    about:
      'Words and phrases of queries, each with others that it also finds: in this direction alone. A phrase has up to 8 words.',
    examples: [{ phone: ['smartphone', 'mobile'], smartphone: ['phone'] }],
  },
  distinctAttribute: {
    about:
      'Of the documents with one value of this attribute only the best one is a hit. `distinct` of a search replaces it.',
    examples: ['productId'],
  },
  proximityPrecision: {
    about:
      '`byWord` compares the distances between words. `byAttribute` only asks whether they stand in one attribute, which is quicker and coarser.',
    examples: ['byAttribute'],
  },
  typoTolerance: {
    about: 'The words of a query that may match with typos.',
    members: {
      enabled: 'False allows no typos.',
      minWordSizeForTypos: {
        about: 'The shortest words that may have typos.',
        members: {
          oneTypo: 'Characters of the shortest word with one typo.',
          twoTypos: 'Characters of the shortest word with two typos, not below `oneTypo`.',
        },
      },
      disableOnWords: 'Words of queries that have to match as they are.',
      disableOnAttributes: 'Attributes whose words have to match as they are.',
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
      maxValuesPerFacet: 'The most values that an answer lists of a facet. All are counted.',
      sortFacetValuesBy: {
        about:
          'The order of values by attribute, `*` for all others: `alpha` or `count`, and `sampledCount`, which here is `count`.',
      },
    },
    examples: [{ maxValuesPerFacet: 50, sortFacetValuesBy: { '*': 'alpha', brand: 'count' } }],
  },
  pagination: {
    about: 'How far searches reach.',
    members: {
      maxTotalHits: 'The hits that pages can reach. Totals count those behind, too.',
    },
    examples: [{ maxTotalHits: 5000 }],
  },
  embedders: {
    about:
      'The models that make vectors of documents and queries, by name: up to 256. null removes one.',
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
      'The languages of attributes, by pattern; the first rule that fits an attribute counts. Without it only Chinese and Japanese are told apart.',
    members: {
      attributePatterns: 'Names of attributes, with `*` at either end.',
      locales: 'Codes of languages, of two or three letters; an empty list for any language.',
      stemming: {
        about:
          'Whether words are also found by their stems (`running` by `run`): true, or an object with words of your own.',
        since: '1.57',
        members: {
          exceptions: 'Words that match only as they are.',
          dictionary: 'Words, each with the word whose stem it gets.',
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
    about: 'Whether the values of facets may be searched.',
    examples: [false],
  },
  prefixSearch: {
    about:
      'Whether the last word of a query also finds words that begin with it: `indexingTime` for yes, `disabled` for no.',
    examples: ['disabled'],
  },
  infixSearch: {
    about:
      'Finds words of a query inside of longer words, in the named attributes. null switches it off.',
    since: '1.57',
    members: {
      attributes: 'The attributes; an object stands for those in it, `*` for all.',
      minLength: 'Characters of the shortest word that is looked for inside of words.',
    },
    examples: [{ attributes: ['name', 'partNumber'], minLength: 4 }],
  },
  chat: {
    about: 'How a chat searches this index and shows its documents to the model.',
    members: {
      description: 'The content of the index, in words for the model.',
      documentTemplate: 'The text of a document, as a Liquid template.',
      documentTemplateMaxBytes: 'The bytes of that text; the rest is cut off.',
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
      'The attribute with the moment from which on a document is not found: seconds or milliseconds since 1970, or a text of RFC 3339. null: documents never expire.',
    since: '1.57',
    examples: ['validUntil'],
  },
  attributeWeights: {
    about:
      'Weights of searchable attributes in the ranking rule `bm25`, `*` for all others. Without a weight an attribute has 1.',
    since: '1.57',
    examples: [{ title: 3, '*': 1 }],
  },
  similarity: {
    about: 'The parameters of the ranking rule `bm25`.',
    since: '1.57',
    members: {
      k1: 'How much each repetition of a word adds; 0 counts a word once.',
      b: 'How much long attributes count less; 0 for not at all.',
    },
    examples: [{ k1: 0.9, b: 0.4 }],
  },
  boosts: {
    about:
      'Factors for the scores of hits: by a filter, a number, an age or a distance. `boosts` of a search replaces them.',
    since: '1.57',
    members: BOOST_TEXTS,
    examples: SEARCH_TEXTS.boosts.examples,
  },
}
