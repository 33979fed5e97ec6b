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
  'multi-search-plain': { steps: 3, because: INLINE_RULE },
  'search-params-post-3': { steps: 9, because: INLINE_RULE },
  'settings-faceting-pagination': {
    steps: 3,
    because: 'the list of facet orders ends with `sampledCount` (release 1.56)',
  },
  'documents-malformed-json': { steps: 4, because: REMEDY },
  'documents-ndjson': { steps: 1, because: REMEDY },
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
    steps: 1,
    because: 'facet search that a setting turns on works at once, not from the next change on',
  },
  'settings-localized-and-switches': {
    steps: 4,
    because: `${SEGMENTERS}; one word with an umlaut is cut there and whole here`,
  },
  'settings-tokens-dictionary': { steps: 1, because: 'a score differs in the fourth digit' },
  'tasks-types': { steps: 2, because: SIZES },

  crop: { steps: 31, because: SEGMENTERS },
  'filter-geo': { steps: 2, because: POLYGONS },
  'rule-proximity': { steps: 1, because: 'one pair of words is counted closer' },
  synonyms: { steps: 2, because: 'synonyms of several words find more' },
  'tokens-german': { steps: 1, because: 'languages of a list are not told apart' },
  'tokens-scripts': { steps: 3, because: SEGMENTERS },
}
