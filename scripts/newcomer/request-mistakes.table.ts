// Mistakes in requests to an index `films` with the filterable attributes `genres` and `year`.
import type { Call } from './place.ts'
import type { Expected } from './report.ts'

export type RequestMistake = {
  readonly what: string
  readonly call: Call
  readonly expected: Expected
}

const SEARCH = '/indexes/films/search'
const DOCUMENTS = '/indexes/films/documents'

const search = (what: string, body: string, says: Expected['says']): RequestMistake => ({
  what,
  call: { method: 'POST', path: SEARCH, body },
  expected: { code: 400, ...(says === undefined ? {} : { says }) },
})
const filter = (what: string, text: string, says: Expected['says']): RequestMistake =>
  search(what, JSON.stringify({ filter: text }), says)
const documents = (what: string, type: string, body: string, expected: Expected) => ({
  what,
  call: { method: 'POST', path: DOCUMENTS, body, type },
  expected,
})

export const REQUEST_MISTAKES: readonly RequestMistake[] = [
  {
    what: 'an unknown index',
    call: { method: 'POST', path: '/indexes/filmz/search', body: '{}' },
    expected: { code: 404, says: ['`filmz`', 'index_not_found'] },
  },
  filter('a filter on an attribute that is not filterable', 'colour = red', ['`genres`, `year`']),
  filter('a filter with ==', 'year == 1972', ['invalid_search_filter']),
  filter('a filter with =>', 'year => 1972', ['`>=`']),
  filter('a filter with &&', 'year > 1970 && genres = crime', ['`AND`']),
  filter('a filter with an open parenthesis', '(year > 1970', ['closing delimiter: `)`']),
  search('a sort by an attribute that is not sortable', '{"sort": ["year:asc"]}', ['sortable']),
  search('a trailing comma', '{"q": "x",}', ['trailing comma at line 1']),
  search('an unknown member', '{"query": "x"}', ['`query`', '`q`']),
  search('a wrong type', '{"limit": "ten"}', ['.limit', 'invalid_search_limit']),
  {
    what: 'JSON sent as a form, as curl -d does',
    call: {
      method: 'POST',
      path: SEARCH,
      body: '{}',
      type: 'application/x-www-form-urlencoded',
    },
    expected: { code: 415, says: ['application/json'] },
  },
  documents('documents without a type', 'text/plain', '[]', {
    code: 415,
    says: ['application/x-ndjson', 'text/csv'],
  }),
  documents('malformed documents', 'application/json', '[{"id": 1,}]', {
    code: 400,
    says: ['malformed_payload', 'line 1 column 11'],
  }),
  documents('CSV with an open quote', 'text/csv', 'id,title\n1,"open\n2,x\n', {
    code: 400,
    says: ['line 2', 'never closed'],
  }),
  documents('an empty body', 'application/json', '', { code: 400, says: ['missing_payload'] }),
]
