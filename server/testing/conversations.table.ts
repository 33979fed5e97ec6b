// Recorded conversations that are not played, and those whose answers differ from the recording, by
// name, with the reason. The tests check both lists in both directions: a change that improves a
// conversation must remove its line or lower its number.

/** Feature that does not exist yet → the conversations that need it. */
export const LATER: { readonly [feature: string]: readonly string[] } = {}

/** The number of steps of a conversation whose answers differ, and the reason. */
export type Difference = { readonly steps: number; readonly because: string }

const SIZES = 'a batch that makes no layer larger by a page shows no sizes'
const TOO_LARGE =
  'a JSON body that is too large is refused with 413 like any other, not with 500 and an ' +
  'internal error'
const REMEDY =
  'the message about `NaN`, `Infinity` and other words that JSON lacks ends with a remedy'
const UID_LENGTH =
  'the message about a uid that is only too long says 400 bytes, which is the limit'
const TIES = 'hits that no rule tells apart come in one order, whichever instance is asked'
const POLYGONS = 'a point well inside a large polygon is found, where the recording leaves it out'
const SEGMENTERS =
  'the recording server cut this script into single characters or not at all; here words are found'

const FLAGS =
  'the list of features has `tasksStreamingRoute` (release 1.52) and `mcpRoute` (release 1.54)'
const INLINE_RULE = 'the list of members of a search ends with `inlineRule` (release 1.55)'
const RULE_ACTIONS =
  'actions of a rule are an object (release 1.54), and an invalid uid of one is ' +
  '`invalid_dynamic_search_rule_uid` (1.54)'

const HEAD = 'HEAD works on every GET route'
const MARK = 'a byte order mark before JSON is dropped'
const VECTORS =
  '`_vectors: null` counts as absent, and values that are no vectors are refused by name'
const STAR = '`*` stands for all fields'
const ENCODINGS = 'an unknown Content-Encoding is refused with 415'
const HINTS = 'a message says what to write instead of words and signs of other engines'
const LETTERS =
  'signs, blanks, emoji, invisible characters and compatibility forms are read as people write them'
const STOP_WORDS =
  'stop words do not depend on case, keep their places in phrases, and are found alone'
const LAST_POSITION = 'words behind position 65,535 are found'
const TYPES = 'a number is compared with numbers, not with all texts; both zeros are one number'
const SPELLINGS = 'among equal hits the spelling of the query comes first'
const ELEMENTS = 'an element of a list that equals the query ranks like a field that does'
const PARTS = 'words with capitals inside are found by their parts'
const BORDERS = 'marks end behind a letter with its marks'
const PHRASES = 'phrases are checked by positions, with their stop words'
const BLANKS = 'blank texts are the least of the texts'
const SPLITS = 'a word is split in more than two parts'
const ANY_WORDS = 'the matching strategy `any` exists'
const FACET_NUMBERS = 'facet search finds numbers'
const CSV_PLACES = 'an invalid `_geo` in CSV is refused at once, with its line'
const BEHIND_ARRAY = 'values behind an array of documents are refused'
const SYNONYMS = 'synonyms of up to eight words are found'

export const DIFFERENCES: { readonly [conversation: string]: Difference } = {
  'ai-regeneration-by-settings': {
    steps: 1,
    because:
      'an embedder that takes the name of a quantized one answers, not with an internal error',
  },
  'ai-rest-templates': {
    steps: 8,
    because: 'the provider of a stored embedder is not asked when that is changed',
  },
  'auth-actions-3': { steps: 1, because: FLAGS },
  'auth-matrix-all': { steps: 1, because: FLAGS },
  'auth-visibility': {
    steps: 11,
    because:
      'a key for `shop*` cannot rename an index to `outside`; without that task later tasks have ' +
      'smaller uids',
  },
  'ai-chat-requests': {
    steps: 36,
    because:
      'completions in one piece work (4 steps); the provider numbers its answers, so that all ' +
      'later ones differ in their ids, and one list of requests is longer',
  },
  'ai-chat-rights': {
    steps: 2,
    because: 'a model is not told values of documents that a key without `search` cannot find',
  },
  'ai-chat-sources': {
    steps: 2,
    because: 'a `baseUrl` that ends in a slash gives no path with two slashes',
  },
  'chats-workspaces': { steps: 2, because: 'completions in one piece work' },
  'dynamic-search-rules-crud': { steps: 30, because: RULE_ACTIONS },
  'dynamic-search-rules-effect': { steps: 8, because: RULE_ACTIONS },
  'matching-strategy': { steps: 1, because: ANY_WORDS },
  'multi-search-plain': { steps: 3, because: INLINE_RULE },
  'documents-csv-2': { steps: 6, because: CSV_PLACES },
  'facet-search-1': { steps: 2, because: FACET_NUMBERS },
  'search-params-get-1': { steps: 1, because: ANY_WORDS },
  'search-params-post-3': { steps: 9, because: INLINE_RULE },
  'settings-faceting-pagination': {
    steps: 4,
    because: `the list of facet orders ends with \`sampledCount\` (release 1.56); ${FACET_NUMBERS}`,
  },
  'tasks-error-records': { steps: 1, because: VECTORS },
  'vectors-of-documents-faults': { steps: 4, because: VECTORS },
  'documents-malformed-json': { steps: 7, because: `${REMEDY}; ${MARK}; ${BEHIND_ARRAY}` },
  'documents-ndjson': { steps: 15, because: `${REMEDY}; ${MARK}` },
  'documents-custom-metadata': { steps: 1, because: SIZES },
  'experimental-features': { steps: 7, because: FLAGS },
  'export-errors': { steps: 3, because: 'a message names the kind of a pattern in short' },
  'federated-remote-options': {
    steps: 3,
    because:
      'facets are searched in one instance alone; the primary key is shown where a search names ' +
      'this instance; a message says why a call failed',
  },
  'http-payload-size': { steps: 6, because: TOO_LARGE },
  'http-payload-size-decimal': { steps: 1, because: TOO_LARGE },
  'http-payload-size-units': { steps: 1, because: TOO_LARGE },
  'network-leader': { steps: 1, because: 'a message says why a call failed' },
  'network-replicated-indexes': { steps: 3, because: SIZES },
  'network-replicated-settings': {
    steps: 9,
    because:
      'settings that are reset are reset everywhere; the recorded server loses what is sent without ' +
      'a body',
  },
  'network-proxied-searches': { steps: 1, because: RULE_ACTIONS },
  'network-proxy-headers': { steps: 1, because: RULE_ACTIONS },
  'network-replicated-search-rules': {
    steps: 17,
    because: `${TIES} (4 steps); ${RULE_ACTIONS}`,
  },
  'network-search-details': { steps: 4, because: INLINE_RULE },
  'network-vectors': {
    steps: 12,
    because: `${TIES} (4 steps); similar documents are those of all instances`,
  },
  'indexes-uid-rules': { steps: 6, because: UID_LENGTH },
  'tasks-index-on-the-fly': { steps: 1, because: UID_LENGTH },
  'logs-metrics': { steps: 4, because: 'a hint names parts of this server' },
  'settings-embedders-validation': {
    steps: 3,
    because: 'an embedder may have an empty name; a fault in a template is shown where it ends',
  },
  'settings-filterable-granular': {
    steps: 2,
    because: `facet search that a setting turns on works at once, not from the next change on; ${STAR}`,
  },
  'settings-localized-and-switches': {
    steps: 6,
    because: `${SEGMENTERS}; ${LETTERS}; one word with an umlaut is cut there and whole here`,
  },
  'settings-tokens-dictionary': {
    steps: 2,
    because: `a score differs in the fourth digit; ${LETTERS}`,
  },
  'tasks-types': { steps: 2, because: SIZES },

  crop: { steps: 33, because: `${SEGMENTERS}; ${LETTERS}` },
  'facet-search': { steps: 2, because: FACET_NUMBERS },
  'filter-geo': { steps: 2, because: POLYGONS },
  'rule-proximity': { steps: 1, because: 'one pair of words is counted closer' },
  synonyms: { steps: 6, because: `synonyms of several words find more; ${SYNONYMS}` },
  'tokens-german': { steps: 1, because: 'languages of a list are not told apart' },
  'tokens-scripts': { steps: 10, because: `${SEGMENTERS}; ${LETTERS}; ${BORDERS}` },
  'documents-get-one': { steps: 1, because: HEAD },
  'documents-vectors-2': { steps: 7, because: VECTORS },
  'fields-filters': { steps: 1, because: STAR },
  'http-bodies': { steps: 2, because: ENCODINGS },
  'http-options-cors': { steps: 1, because: HEAD },
  'http-routing-2': { steps: 5, because: HEAD },
  'malformed-json-routes': { steps: 1, because: MARK },
  'search-attribute-errors-1': { steps: 1, because: HINTS },
  'settings-filterable-plain': { steps: 5, because: `${STAR}; ${FACET_NUMBERS}` },
  'settings-sortable-distinct': { steps: 1, because: STAR },
  'settings-stop-words-synonyms': { steps: 6, because: STOP_WORDS },
  'settings-typo-tolerance': { steps: 1, because: LETTERS },
  'vectors-of-documents': { steps: 56, because: VECTORS },
  'version-health-stats': { steps: 1, because: HEAD },
  'attributes-position': { steps: 6, because: `${LAST_POSITION}; ${ELEMENTS}` },
  'exactness-states': { steps: 14, because: `${STOP_WORDS}; ${ELEMENTS}` },
  'filter-contains': { steps: 3, because: HINTS },
  'filter-errors': { steps: 15, because: HINTS },
  'filter-nested': { steps: 3, because: TYPES },
  'filter-operators': { steps: 4, because: TYPES },
  'filter-precedence': { steps: 5, because: TYPES },
  highlight: { steps: 33, because: `${STOP_WORDS}; ${ELEMENTS}` },
  'match-positions': { steps: 12, because: `${SPELLINGS}; ${ELEMENTS}; ${LETTERS}` },
  negatives: { steps: 5, because: PHRASES },
  phrases: { steps: 30, because: `${PHRASES}; ${ELEMENTS}` },
  placeholder: { steps: 1, because: LETTERS },
  prefixes: { steps: 5, because: LETTERS },
  'sort-values': { steps: 6, because: BLANKS },
  'splits-ngrams': { steps: 6, because: SPLITS },
  'stop-words': { steps: 23, because: STOP_WORDS },
  'tokens-chinese': { steps: 6, because: LETTERS },
  'tokens-latin': { steps: 25, because: `${LETTERS}; ${PARTS}; ${BORDERS}` },
  'tokens-locales': { steps: 4, because: SPELLINGS },
  'tokens-separators': { steps: 25, because: LETTERS },
  'tokens-symbols': { steps: 18, because: `${LETTERS}; ${BORDERS}` },
  'typo-settings': { steps: 6, because: PARTS },
  'typo-lengths': { steps: 2, because: LETTERS },
  'word-limit': { steps: 2, because: STOP_WORDS },
}
