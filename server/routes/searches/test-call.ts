// Calls the routes of searches with an engine, other instances and a provider that the test plays.
import type { ApiError } from '../../errors/index.ts'
import type { Reply, Route } from '../../http/messages/index.ts'
import { type FakeInstance, fakePorts, fakeRequest } from '../../testing/fake-instance.ts'
import type { RouteOptions } from '../context/index.ts'
import { multiSearchRoutes } from './multi-search.ts'
import { networkForeignRoutes } from './network-foreign.ts'
import { networkSearchRoutes } from './network-searches.ts'
import { networkSimilarRoutes } from './network-similar.ts'
import { searchRoutes } from './search.ts'
import { similarRoutes } from './similar.ts'
import { suggestRoutes } from './suggest.ts'

export type World = FakeInstance & {
  readonly isMember?: boolean
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
  const methods = ['search', 'facetSearch', 'similar', 'suggest', 'foreign', 'statistics']
  const queries = Object.fromEntries(
    [...methods, 'federatedSearch'].map((name) => [name, answering(name)]),
  )
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
      ...fakePorts(world),
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
  const reply = await Promise.resolve()
    .then(() => route.handle(fakeRequest(world, body) as never))
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
