// An instance of a network and its requests, for tests that call single routes.
import { FEATURES, type Features } from '../../engine/index.ts'
import { EVERYTHING } from '../http/index.ts'
import type { Caller } from '../http/messages/index.ts'

export type FakeInstance = {
  readonly features?: readonly (keyof Features)[]
  readonly leader?: string | null
  readonly remotes?: readonly string[]
  readonly caller?: Partial<Caller>
  readonly headers?: { readonly [name: string]: string }
  readonly query?: string
  readonly uid?: string
}

/** An instance of a network that has remotes. */
export const NETWORK = { features: ['network'], remotes: ['b'] } as const satisfies FakeInstance

/** Returns the ports of the engine that tell a route of features and of the network. */
export function fakePorts({ features, leader = null, remotes = [] }: FakeInstance) {
  const others = new Map(remotes.map((name) => [name, { url: `http://${name}` }]))
  const network = { leader, remotes: others, self: 'a', shards: new Map() }
  const earlier = { shards: new Map([['t', {}]]) }
  return {
    administration: {
      features: Object.fromEntries(
        FEATURES.map((name) => [name, features?.includes(name) ?? false]),
      ),
    },
    network: { get: () => network },
    topology: {
      serving: { ...network, version: 'v1' },
      alsoServed: (version: string) => (version === 'v2' ? earlier : null),
      isPartial: () => false,
      lacking: new Set(),
    },
    visibility: { isFull: false },
  }
}

type Declared = {
  readonly read: (bytes: Uint8Array, ...more: readonly unknown[]) => unknown
  readonly details: (params: unknown) => readonly unknown[]
}

/** Returns a request with a JSON body. */
export const fakeRequest = (
  { caller, headers, query = '', uid = 'films' }: FakeInstance,
  body: unknown,
) => ({
  params: { indexUid: uid, documentId: '1' },
  query,
  uid: 'request',
  address: '',
  signal: new AbortController().signal,
  caller: { ...EVERYTHING, ...caller },
  header: (name: string) => headers?.[name],
  read: async ({ read, details }: Declared) =>
    read(Buffer.from(JSON.stringify(body)), ...details({ indexUid: uid })),
})
