// For tests: searches over a network in which this instance and the others give prepared answers.
import type { Engine, Network, SearchContext } from '../../../engine/index.ts'
import { Availability, PROXY_SEARCH } from '../calls/index.ts'
import { NetworkSearches } from './searches.ts'

const remote = (name: string) => ({ url: `http://${name}`, searchApiKey: null, writeApiKey: null })

/** This instance is `a`. It shares `s1` with `b`, and has no `s2`. */
export const NETWORK: Network = {
  self: 'a',
  leader: 'a',
  leaderId: null,
  term: 1,
  version: '0193a7f0-0000-7000-8000-000000000000',
  remotes: new Map(['a', 'b', 'c'].map((name) => [name, remote(name)])),
  shards: new Map([
    ['s1', { remotes: ['a', 'b'] }],
    ['s2', { remotes: ['b', 'c'] }],
  ]),
}

/** Every instance has documents of its own. */
export const UNDIVIDED: Network = { ...NETWORK, leader: null, shards: new Map() }

export type Sent = {
  readonly to: string
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly headers: { readonly [name: string]: string }
  readonly signal: AbortSignal | null
}
/** A value is answered as JSON; `status` and `code` are those of an error. */
export type Reply = { readonly json: unknown } | { readonly status: number; readonly code: string }

type Given = {
  readonly network?: Network
  readonly unreached?: readonly string[]
  readonly queries?: object
  readonly list?: (request: object) => unknown
  readonly answer?: (sent: Sent) => Reply | Promise<Reply>
  readonly searchMs?: number
  readonly now?: () => number
}

export const jsonBytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))

/** `c` lacks writes, so that `b` is preferred where both are owners. */
export function searchesWith(given: Given) {
  const { network = NETWORK, unreached = [], queries = {}, list, answer, searchMs = 1000 } = given
  const sent: Sent[] = []
  const topology = { serving: network, unreached, isPartial: () => false }
  const engine = {
    topology,
    documents: { list: async (_uid: string, request: object) => jsonBytes(list?.(request)) },
    queries: { foreignUids: () => [], ranksByScores: () => false, boosts: () => [], ...queries },
  } as unknown as Engine
  const { now = () => performance.now() } = given
  const availability = new Availability(now)
  availability.behind('c', Number.MAX_SAFE_INTEGER)
  const searches = new NetworkSearches({
    engine,
    send: async ({ method, url, headers, body, signal, take }) => {
      const { hostname: to, pathname, search } = new URL(url)
      const parsed: unknown = body === null ? null : JSON.parse(Buffer.from(body).toString())
      const one = { to, method, path: pathname + search, body: parsed, headers, signal }
      if (headers[PROXY_SEARCH] !== 'true') throw new Error('an instance must not call others')
      sent.push(one)
      const reply = await (answer?.(one) ?? { status: 500, code: 'internal' })
      if (!('json' in reply)) return { status: reply.status, body: jsonBytes({ code: reply.code }) }
      const bytes = reply.json instanceof Uint8Array ? reply.json : jsonBytes(reply.json)
      if (take?.(bytes.length) !== true) throw new Error('no room')
      return { status: 200, body: bytes }
    },
    availability,
    connectMs: 1000,
    searchMs,
    hedges: false,
    now,
  })
  return { searches, sent, availability, topology }
}

export const CONTEXT: SearchContext = {
  requestUid: '0193a7f0-0000-7000-8000-000000000001',
  queryUid: null,
  features: { foreignKeys: false } as SearchContext['features'],
  signal: new AbortController().signal,
}
