// The index of the site's search: its name, its settings, and the members of each search. The judged
// queries measure them.

/** Name of the index, unlikely to be that of another one on the same server. */
export const INDEX = 'svc-search-docs'

export const SETTINGS = {
  searchableAttributes: ['heading', 'page', 'above', 'text', 'code'],
  displayedAttributes: ['url', 'page', 'heading', 'above', 'text'],
  filterableAttributes: [],
  // Readers ask in words that no section has, so rare words count more than common ones.
  rankingRules: ['bm25', 'words', 'typo', 'proximity', 'exactness'],
}

/** Members of each search. One of the words is enough. */
export const SEARCH = { matchingStrategy: 'any', limit: 8 } as const
