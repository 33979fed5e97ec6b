// Requests of many different clients and their allowed answers: searches of all kinds, documents,
// lists, writes, and a share of mistakes. All of it follows from a seed.
import type { Random } from '../../../engine/store/storage/index.ts'
import { CATALOGUE, isErrorCode } from '../../../server/errors/index.ts'

export type MixedRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: string
  readonly type?: string
  /** The expected status. */
  readonly status: number
}

export const INDEX = 'load'
export const DOCUMENTS = 5000
const WORDS = (
  'harbour mountain quiet song light winter paper stone river lantern garden letter island ' +
  'copper window silver forest bridge'
).split(' ')
export const SETTINGS = {
  filterableAttributes: ['n', 'kind'],
  sortableAttributes: ['n'],
} as const

/** Returns an initial document, or a new revision of one. */
export const documentOf = (id: number, revision = 0): object => ({
  id,
  title: words(id + revision, 3),
  text: words(id * 31 + revision, 25),
  n: (id + revision) % 1000,
  kind: WORDS[id % 6],
})

const words = (from: number, count: number): string =>
  Array.from({ length: count }, (_, i) => WORDS[(from + i * i + i * 7) % WORDS.length]).join(' ')

const TYPE = 'application/json'
type Method = MixedRequest['method']
const json = (method: Method, path: string, body: unknown, status = 200): MixedRequest => {
  return { method, path, body: JSON.stringify(body), type: TYPE, status }
}
const get = (path: string, status = 200): MixedRequest => ({ method: 'GET', path, status })
const drawn = (random: Random, all: readonly (() => MixedRequest)[]): MixedRequest =>
  all[random.below(all.length)]!()

const SEARCH = `/indexes/${INDEX}/search`
const ALL = `/indexes/${INDEX}/documents`

/** `writes`: whether the request may create tasks. */
export function mixedRequest(random: Random, writes: boolean): MixedRequest {
  const kind = random.below(100)
  if (kind < 50) return search(random)
  if (kind < 80) return drawn(random, readings(random))
  if (kind < 92 || !writes) return drawn(random, MISTAKES)
  const [id, n] = [random.below(DOCUMENTS), random.below(1000)]
  return drawn(random, [
    () => json('PUT', ALL, [{ id, n }], 202),
    () => json('POST', `${ALL}/delete-batch`, [DOCUMENTS + id], 202),
    () => json('POST', ALL, [documentOf(id, n)], 202),
    () => json('POST', ALL, [documentOf(id, n)], 202),
  ])
}

function search(random: Random): MixedRequest {
  const word = WORDS[random.below(WORDS.length)]!
  const start = word.slice(0, 2 + random.below(3))
  const q = random.below(3) === 0 ? start : `${word} ${misspelt(random)}`
  const below = `n < ${random.below(1000)}`
  const address = `${SEARCH}?q=${encodeURIComponent(q)}&limit=${random.below(50)}`
  return drawn(random, [
    () => json('POST', SEARCH, { q, filter: below, facets: ['kind'] }),
    () => json('POST', SEARCH, { q: '', sort: ['n:desc'], offset: random.below(500) }),
    () => json('POST', SEARCH, { q, attributesToHighlight: ['*'], showRankingScore: true }),
    () => get(address),
    () => json('POST', '/multi-search', { queries: [{ indexUid: INDEX, q }, { indexUid: INDEX }] }),
    () => json('POST', SEARCH, { q }),
  ])
}

function misspelt(random: Random): string {
  const word = WORDS[random.below(WORDS.length)]!
  const at = random.below(word.length - 1)
  return word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2)
}

const readings = (random: Random): readonly (() => MixedRequest)[] => [
  () => get(`${ALL}?limit=${random.below(100)}&offset=${random.below(1000)}`),
  () => json('POST', `${ALL}/fetch`, { filter: 'n > 900', limit: 5 }),
  () => json('POST', `/indexes/${INDEX}/facet-search`, { facetName: 'kind', facetQuery: 'h' }),
  () => json('POST', `/indexes/${INDEX}/suggest`, { q: 'h' }),
  () => get(`/tasks?limit=${random.below(40)}`),
  () => get('/stats'),
  () => get(`/indexes/${INDEX}/settings`),
  () => get('/indexes'),
  () => get(`${ALL}/${random.below(DOCUMENTS)}`),
]

const MISTAKES: readonly (() => MixedRequest)[] = [
  () => get('/indexes/absent', 404),
  () => get(`${ALL}/absent`, 404),
  () => json('POST', SEARCH, { q: 5 }, 400),
  () => json('POST', SEARCH, { filter: 'n <' }, 400),
  () => ({ method: 'POST', path: SEARCH, body: '{"q": ', type: TYPE, status: 400 }),
  () => ({ method: 'POST', path: SEARCH, body: '{}', type: 'text/plain', status: 415 }),
  () => get(`${SEARCH}?unknown=1`, 400),
  () => json('PATCH', `/indexes/${INDEX}/settings`, { unknown: 1 }, 400),
]

/** Returns why an answer is not allowed for this request; empty if it is. */
export function problemOf(request: MixedRequest, status: number, text: string): string {
  const name = `${request.method} ${request.path}`
  if (status === request.status && status < 400) return ''
  let answer: { code?: unknown; message?: unknown } = {}
  try {
    answer = JSON.parse(text) as typeof answer
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return `${name}: ${status} without JSON: ${text.slice(0, 200)}`
  }
  const { code } = answer
  if (typeof code !== 'string' || !isErrorCode(code)) {
    return `${name}: ${status} with the code ${String(code)}, which the catalogue does not have`
  }
  // The code of a full search queue is allowed with another status.
  if (CATALOGUE[code].status !== status && code !== 'too_many_search_requests') {
    return `${name}: ${status} for ${code}`
  }
  const isExpected = status === request.status || code === 'too_many_search_requests'
  return isExpected ? '' : `${name}: ${status} ${text.slice(0, 200)}`
}
