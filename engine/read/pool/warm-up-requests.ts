// Generates the warm-up searches of a thread from documents of the index: a document and a number
// determine a request. The kinds of requests and their shares resemble those of people: single
// words, several words, prefixes, misspellings, filters, facets, sorted lists.
import { DEFAULT_SEARCH, type SearchRequest } from '../../model/index.ts'
import type { IndexSettings } from '../../settings/index.ts'
import { searchableNames } from '../../settings/values/index.ts'

type Fields = {
  /** Null if all fields are searchable. */
  readonly searchable: ReadonlySet<string> | null
  readonly filterable: readonly string[]
  readonly sortable: readonly string[]
}
type Document = { readonly [name: string]: unknown }

/** UTF-16 units of text of one document from which words are chosen. */
const TEXT_UNITS_MAX = 2000
const WORD = /[\p{L}\p{N}]+/gu
const FACETS_MAX = 3

/** Returns the fields that settings name explicitly; patterns and nested fields are left out. */
export function warmUpFields(settings: IndexSettings): Fields {
  const { searchableAttributes, filterableAttributes, sortableAttributes } = settings
  const filterable = filterableAttributes.flatMap((one) =>
    typeof one === 'string' ? [one] : one.attributePatterns,
  )
  const isPlain = (name: string): boolean => /^[^*_.][^*.]*$/.test(name)
  const searchable = searchableNames(searchableAttributes)?.filter(isPlain) ?? []
  return {
    searchable: searchable.length === 0 ? null : new Set(searchable),
    filterable: filterable.filter(isPlain),
    sortable: sortableAttributes.filter(isPlain),
  }
}

type Words = (from: number, count: number) => string

const half = (word: string): string => word.slice(0, Math.ceil(word.length / 2))
const misspelt = (word: string): string => {
  const at = word.length >> 1
  return word.length < 5 ? word : word.slice(0, at) + word.slice(at + 1)
}

type RequestMembers = Partial<SearchRequest>
/**
 * One function for each kind of request, applied to words of a document and to the usable fields.
 */
const KINDS: readonly ((words: Words, document: Document, fields: Fields) => RequestMembers)[] = [
  (words) => ({ q: words(0, 1) }),
  (words) => ({ q: words(0, 2) }),
  (words) => ({ q: words(1, 1).slice(0, 1) }),
  (words) => ({ q: misspelt(words(0, 1)) }),
  (words, document, fields) => ({ q: words(0, 1), ...filtered(document, fields) }),
  (words) => ({ q: words(0, 3) }),
  (words) => ({ q: half(words(2, 1)) }),
  (words) => ({ q: `${misspelt(words(1, 1))} ${misspelt(words(2, 1))}` }),
  (words, _document, { filterable }) => ({
    q: words(2, 1),
    facets: filterable.slice(0, FACETS_MAX),
  }),
  (words) => ({ q: `"${words(0, 2)}" ${words(3, 1)}` }),
  (words) => ({ q: `${words(0, 1)} ${half(words(1, 1))}` }),
  (words) => ({ q: words(5, 5) }),
  (words, _document, { sortable }) => ({ q: words(0, 1).slice(0, 2), sort: sorted(sortable) }),
  (words) => ({
    q: words(1, 2),
    attributesToHighlight: ['*'],
    attributesToCrop: ['*'],
    showMatchesPosition: true,
    showRankingScore: true,
  }),
  (words) => ({ q: `${words(0, 1)} -${words(4, 1)}` }),
  (words) => ({ q: words(3, 4), matchingStrategy: 'all' }),
  (words, document, fields) => ({
    q: words(6, 1),
    ...filtered(document, fields),
    facets: fields.filterable.slice(0, FACETS_MAX),
    sort: sorted(fields.sortable),
  }),
  (words) => ({ q: [...misspelt(words(0, 1))].reverse().join('') }),
  (_words, document, fields) => ({ q: '', ...filtered(document, fields) }),
]

/** Returns the request with this number, made from a document. */
export function warmUpRequest(number: number, document: Document, fields: Fields): SearchRequest {
  const words = wordsOf(document, fields)
  // Each round over the kinds starts at another word of the text.
  const round = Math.floor(number / KINDS.length)
  const take: Words = (from, count) =>
    Array.from({ length: count }, (_, i) => words[(round * 7 + from + i) % words.length] ?? '')
      .join(' ')
      .trim()
  const members = KINDS[number % KINDS.length]!(take, document, fields)
  return Object.assign({}, DEFAULT_SEARCH, members)
}

function wordsOf(document: Document, { searchable }: Fields): readonly string[] {
  let text = ''
  for (const [name, value] of Object.entries(document)) {
    if (searchable !== null && !searchable.has(name)) continue
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one === 'string') text += ` ${one.slice(0, TEXT_UNITS_MAX)}`
    }
    if (text.length > TEXT_UNITS_MAX) break
  }
  return text.match(WORD) ?? []
}

/** Returns a filter that the document passes; for a number it is a range. */
function filtered(document: Document, { filterable }: Fields): RequestMembers {
  for (const name of filterable) {
    const value = Array.isArray(document[name]) ? document[name][0] : document[name]
    const attribute = JSON.stringify(name)
    if (typeof value === 'number') return { filter: `${attribute} >= ${value}` }
    if (typeof value === 'string') return { filter: `${attribute} = ${JSON.stringify(value)}` }
  }
  return {}
}

const sorted = (sortable: readonly string[]): readonly string[] | null =>
  sortable.length === 0 ? null : [`${sortable[0]}:desc`]
