// Calls the routes of searches with an engine, other instances and a provider that the test plays.
import { FEATURES, type Features } from '../../../engine/index.ts'
import type { ApiError } from '../../errors/index.ts'
import { EVERYTHING } from '../../http/index.ts'
import type { Caller, Reply, Route } from '../../http/messages/index.ts'
import type { RouteOptions } from '../context/index.ts'
import { multiSearchRoutes } from './multi-search.ts'
import { networkForeignRoutes } from './network-foreign.ts'
import { networkSearchRoutes } from './network-searches.ts'
import { networkSimilarRoutes } from './network-similar.ts'
import { searchRoutes } from './search.ts'
import { similarRoutes } from './similar.ts'
import { suggestRoutes } from './suggest.ts'

export type World = {
  readonly features?: readonly (keyof Features)[]
  readonly leader?: string | null
  readonly remotes?: readonly string[]
  readonly isMember?: boolean
  readonly caller?: Partial<Caller>
  readonly headers?: { readonly [name: string]: string }
  readonly uid?: string
  /** Answers of the engine; by default the name of the call. */
  readonly answer?: (method: string) => unknown
  /** Settings of each index; with them, a provider orders hits. */
  readonly settings?: { readonly [name: string]: unknown }
}

const ROUTES = [
  multiSearchRoutes,
  networkForeignRoutes,
  networkSearchRoutes,
  networkSimilarRoutes,
  searchRoutes,
  similarRoutes,
  suggestRoutes,
]

/** Calls a route; returns its answer, or its refusal, and the calls that it made. */
export async function call(target: string, body: object | null, world: World = {}) {
  const calls: (readonly unknown[])[] = []
  const contexts: unknown[] = []
  const answering =
    (name: string) =>
    async (...given: readonly unknown[]): Promise<unknown> => {
      calls.push([name, ...given.slice(0, 2)])
      contexts.push(given.at(-1))
      const answer = await world.answer?.(name)
      return answer ?? Buffer.from(JSON.stringify(name))
    }
  const features = Object.fromEntries(
    FEATURES.map((name) => [name, world.features?.includes(name) ?? false]),
  )
  const methods = ['search', 'facetSearch', 'similar', 'suggest', 'foreign', 'statistics']
  const queries = Object.fromEntries(
    [...methods, 'federatedSearch'].map((name) => [name, answering(name)]),
  )
  const remotes = new Map((world.remotes ?? []).map((name) => [name, { url: `http://${name}` }]))
  const network = { leader: world.leader ?? null, remotes, self: 'a', shards: new Map() }
  const otherNetwork = { shards: new Map([['t', {}]]) }
  const waiting = (name: string) => async (): Promise<boolean> => {
    calls.push([name])
    return true
  }
  const personalizer = {
    personalize: async (
      answer: Uint8Array,
      { userContext, query }: { [name: string]: unknown },
    ) => {
      calls.push(['personalize', Buffer.from(answer).toString(), userContext, query])
      return [Buffer.from('"ordered"')]
    },
  }
  const options = {
    engine: {
      administration: { features },
      network: { get: () => network },
      topology: {
        serving: { ...network, version: 'v1' },
        alsoServed: (version: string) => (version === 'v2' ? otherNetwork : null),
        isPartial: () => false,
        lacking: new Set(),
      },
      visibility: { isFull: false },
      documents: { settings: () => world.settings ?? {} },
      queries: {
        ...queries,
        foreignUids: () => [],
        multiSearch: async (...given: readonly unknown[]) => {
          calls.push(['multiSearch', ...given])
          const results = (given[0] as readonly unknown[]).map(() => 'own')
          return [Buffer.from(JSON.stringify({ results }))]
        },
      },
    },
    instances: {
      isMember: () => world.isMember ?? false,
      contained: { newest: () => null, own: waiting('own'), others: waiting('others') },
      searches: {
        search: answering('network search'),
        federated: answering('network federated'),
        similar: answering('network similar'),
        several: async (...given: readonly unknown[]) => {
          calls.push(['network several', ...given])
          return (given[0] as readonly unknown[]).map(() => Buffer.from('"network"'))
        },
      },
    },
    personalizer: world.settings === undefined ? null : personalizer,
    events: { personalizedSearch: () => undefined },
  } as unknown as RouteOptions
  const [method = '', path = ''] = target.split(' ')
  const route = ROUTES.flatMap((routes): readonly Route[] => routes(options)).find(
    (one) => one.method === method && one.path === path,
  )!
  const request = {
    params: { indexUid: world.uid ?? 'films' },
    query: '',
    uid: 'request',
    address: '',
    signal: new AbortController().signal,
    caller: { ...EVERYTHING, ...world.caller },
    header: (name: string) => world.headers?.[name],
    read: (declared: {
      read: (bytes: Uint8Array, ...more: unknown[]) => unknown
      details: () => unknown[]
    }) => Promise.resolve(declared.read(Buffer.from(JSON.stringify(body)), ...declared.details())),
  }
  const reply = await Promise.resolve()
    .then(() => route.handle(request as never))
    .catch((error: unknown) => error)
  const shown = (): unknown => {
    if (!(reply instanceof Error)) return bytesOf(reply as Reply)
    const { code, status, message } = reply as ApiError
    return { refused: code, status, message }
  }
  return {
    calls,
    contexts,
    names: calls.map(([name]) => name),
    /** Text of the answer, or the refusal. */
    get shown() {
      return shown()
    },
    isRefused: reply instanceof Error,
  }
}

const bytesOf = ({ body, parts }: Reply): string =>
  Buffer.concat((parts ?? [body]) as Uint8Array[]).toString()

export const NETWORK = { features: ['network'], remotes: ['b'] } as const satisfies World
