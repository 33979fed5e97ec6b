// The demo's own collection: the API of the Web, JavaScript and Node.js, from the installed
// declarations.
import { type ApiDocument, apiDocuments } from './api-documents.ts'
import { DemoError } from './client.ts'
import type { DemoPlan, DemoSearch } from './plan.ts'
import { readTypeFiles } from './type-files.ts'

const SETTINGS = {
  searchableAttributes: [
    'name',
    'title',
    'words',
    'owner',
    'module',
    'summary',
    'returns',
    'params.name',
    'params.text',
    'description',
  ],
  filterableAttributes: ['source', 'kind', 'module', 'deprecated', 'owner', 'since', 'sinceOrder'],
  sortableAttributes: ['name', 'title', 'since', 'sinceOrder'],
  // Overloads of a function are separate documents, and one result.
  distinctAttribute: 'title',
  rankingRules: [
    'words',
    'typo',
    'proximity',
    'attribute',
    'sort',
    'exactness',
    // Deprecated names come last among equals.
    'deprecated:asc',
  ],
  synonyms: {
    ajax: ['fetch', 'xmlhttprequest'],
    dictionary: ['map'],
    sleep: ['settimeout'],
  },
  stopWords: ['a', 'an', 'and', 'is', 'of', 'the', 'to'],
}

const SEARCHES: readonly DemoSearch[] = [
  { about: 'a prefix', request: { q: 'requestAnim' } },
  { about: 'two typos', request: { q: 'adEventListner' } },
  { about: 'module, name', request: { q: 'fs readfile' } },
  { about: 'several words', request: { q: 'remove element from array' } },
  { about: 'in any order', request: { q: 'parse url query string' } },
  { about: 'a phrase', request: { q: '"event loop" delay' } },
  { about: 'one word less', request: { q: 'observer -mutation' } },
  { about: 'a synonym', request: { q: 'sleep' } },
  {
    about: 'filter, facets',
    request: {
      q: 'stream',
      filter: 'source = node AND deprecated = false',
      facets: ['kind', 'module'],
    },
  },
  {
    about: 'sort',
    request: {
      filter: 'source = node AND kind = function',
      sort: ['sinceOrder:desc'],
    },
    detail: 'since',
  },
  { about: 'everything', request: { facets: ['source', 'kind', 'deprecated'] } },
]

/** `from`: the URL of a file; the declarations are searched in its packages. */
export function apiPlan(from: string): DemoPlan {
  const documents = apiDocuments(readTypeFiles(from))
  if (documents.length === 0) {
    throw new DemoError(
      'The packages `typescript` and `@types/node`, whose documentation the demo searches, are ' +
        'not installed. Run `npm install`, or give documents of your own with --data FILE.',
    )
  }
  return {
    uid: 'api',
    primaryKey: 'id',
    origin: 'the documentation of the Web, JavaScript and Node.js, from the installed declarations',
    settings: SETTINGS,
    lines: linesOf(documents),
    searches: SEARCHES,
    mustFind: true,
    nameOf: (hit) => String(hit['title'] ?? hit['id']),
  }
}

async function* linesOf(documents: readonly ApiDocument[]): AsyncIterable<string> {
  for (const document of documents) yield JSON.stringify(document)
}
