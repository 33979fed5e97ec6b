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

const json = (
  method: MixedRequest['method'],
  path: string,
  body: unknown,
  status: number,
): MixedRequest => ({ method, path, body: JSON.stringify(body), type: 'application/json', status })
const get = (path: string, status = 200): MixedRequest => ({ method: 'GET', path, status })

/** `writes`: whether the request may create tasks. */
export function mixedRequest(random: Random, writes: boolean): MixedRequest {
  const kind = random.below(100)
  if (kind < 50) return search(random)
  if (kind < 80) return reading(random)
  if (kind < 92 || !writes) return mistake(random)
  return writing(random)
}

function search(random: Random): MixedRequest {
  const word = WORDS[random.below(WORDS.length)]!
  const q =
    random.below(3) === 0 ? word.slice(0, 2 + random.below(3)) : `${word} ${misspelt(random)}`
  const path = `/indexes/${INDEX}/search`
  switch (random.below(6)) {
    case 0:
      return json('POST', path, { q, filter: `n < ${random.below(1000)}`, facets: ['kind'] }, 200)
    case 1:
      return json('POST', path, { q: '', sort: ['n:desc'], offset: random.below(500) }, 200)
    case 2:
      return json('POST', path, { q, attributesToHighlight: ['*'], showRankingScore: true }, 200)
    case 3:
      return get(`${path}?q=${encodeURIComponent(q)}&limit=${random.below(50)}`)
    case 4:
      return json(
        'POST',
        '/multi-search',
        { queries: [{ indexUid: INDEX, q }, { indexUid: INDEX }] },
        200,
      )
    default:
      return json('POST', path, { q }, 200)
  }
}

function misspelt(random: Random): string {
  const word = WORDS[random.below(WORDS.length)]!
  const at = random.below(word.length - 1)
  return word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2)
}

function reading(random: Random): MixedRequest {
  const index = `/indexes/${INDEX}`
  switch (random.below(8)) {
    case 0:
      return get(`${index}/documents?limit=${random.below(100)}&offset=${random.below(1000)}`)
    case 1:
      return json('POST', `${index}/documents/fetch`, { filter: 'n > 900', limit: 5 }, 200)
    case 2:
      return json('POST', `${index}/facet-search`, { facetName: 'kind', facetQuery: 'h' }, 200)
    case 3:
      return get(`/tasks?limit=${random.below(40)}`)
    case 4:
      return get('/stats')
    case 5:
      return get(`${index}/settings`)
    case 6:
      return get('/indexes')
    default:
      return get(`${index}/documents/${random.below(DOCUMENTS)}`)
  }
}

function mistake(random: Random): MixedRequest {
  const search = `/indexes/${INDEX}/search`
  switch (random.below(8)) {
    case 0:
      return get('/indexes/absent', 404)
    case 1:
      return get(`/indexes/${INDEX}/documents/absent`, 404)
    case 2:
      return json('POST', search, { q: 5 }, 400)
    case 3:
      return json('POST', search, { filter: 'n <' }, 400)
    case 4:
      return { method: 'POST', path: search, body: '{"q": ', type: 'application/json', status: 400 }
    case 5:
      return { method: 'POST', path: search, body: '{}', type: 'text/plain', status: 415 }
    case 6:
      return get(`${search}?unknown=1`, 400)
    default:
      return json('PATCH', `/indexes/${INDEX}/settings`, { unknown: 1 }, 400)
  }
}

function writing(random: Random): MixedRequest {
  const path = `/indexes/${INDEX}/documents`
  const id = random.below(DOCUMENTS)
  const revision = random.below(1000)
  switch (random.below(4)) {
    case 0:
      return json('PUT', path, [{ id, n: revision }], 202)
    case 1:
      return json('POST', `${path}/delete-batch`, [DOCUMENTS + id], 202)
    default:
      return json('POST', path, [documentOf(id, revision)], 202)
  }
}

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
