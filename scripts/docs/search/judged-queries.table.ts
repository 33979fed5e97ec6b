// Queries as people type them, with the sections that answer them: the test of the site's search.

/** Words → addresses of the sections that answer; one of them has to be among the first hits. */
export const JUDGED_QUERIES: { readonly [question: string]: readonly string[] } = {
  'delete documents': ['concepts-documents.html#adding-changing-deleting', 'api.html#documents'],
  'exact total of hits': [
    'search-semantics.html#pages-and-totals',
    'searching.html#pages',
    'reference/search-parameters.html#counttotal',
  ],
  'switch off typo tolerance': ['tuning.html#typos', 'reference/settings.html#typotolerance'],
  synonims: ['reference/settings.html#synonyms', 'tuning.html#synonyms-and-stop-words'],
  'filter by distance': ['guides/geo.html#within-a-distance'],
  'tenant token php': ['guides/tenants.html#a-token'],
  nginx: ['guides/proxy.html#nginx'],
  'backup to s3': ['snapshots.html#in-an-object-store'],
  'migrate from algolia': ['from-algolia.html'],
  maxTotalHits: ['reference/settings.html#pagination'],
  'wait until a document is searchable': ['read-your-writes.html#a-write-that-waits'],
  'docker compose': ['packaging.html#containers'],
  'why is this document the first hit': ['concepts-ranking.html#why-is-this-hit-here'],
  invalid_search_sort: ['errors.html#invalid_search_sort'],
  'change the port': ['launch-options.html#--http-addr', 'operations.html#starting'],
  rrf: [
    'search-semantics.html#hybrid',
    'reference/search-parameters.html#hybrid',
    'vectors.html#step-3-search',
  ],
  'german stemming': ['guides/languages.html#other-forms-of-a-word', 'search-semantics.html#stems'],
  'renew certificate': ['tls.html#renewing-a-certificate'],
  'csv semicolon': ['from-csv.html#other-separators-other-encodings'],
  'open ai embeder': ['embedders.html#openai'],
  prometheus: ['metrics.html', 'experimental-features.html#metrics', 'operations.html#watching'],
  'disjunctive facets': [
    'search-semantics.html#disjunctive-facets',
    'reference/search-parameters.html#disjunctivefacets',
  ],
  'claude mcp': ['agents.html#quick-start', 'agents.html'],
  'how much memory do I need': ['guides/capacity.html#memory', 'operations.html#sizing'],
  'documents that expire': [
    'search-semantics.html#documents-that-expire',
    'reference/settings.html#expiresatattribute',
  ],
  'how do I highlight the words that were found': [
    'searching.html#what-a-hit-shows',
    'reference/search-parameters.html#attributestohighlight',
    'search-semantics.html#formatting',
  ],
}
