// Answers name the instances whose documents had not moved when they were made, also if these move
// before the answer is complete.
import { expect, test } from 'vitest'
import type { Engine, JsonBytes, Network, SearchContext } from '../../../engine/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import { Availability } from '../calls/index.ts'
import { networkDocuments } from './documents.ts'
import { NetworkSearches } from './searches.ts'

const remote = { url: 'http://x', searchApiKey: null, writeApiKey: null }
const serving = {
  self: 'a',
  leader: 'a',
  version: '0193a7f0-0000-7000-8000-000000000000',
  remotes: new Map([
    ['a', remote],
    ['b', remote],
  ]),
  shards: new Map([['s', { remotes: ['a'] }]]),
} as unknown as Network

test('a list of documents names an instance whose documents move while it is read', async () => {
  const topology = { serving, unreached: ['b'] as readonly string[], isPartial: () => false }
  const own = Buffer.from('{}') as JsonBytes
  let reported: unknown
  const engine = {
    topology,
    documents: {
      list: async () => {
        topology.unreached = []
        return own
      },
    },
    queries: {
      mergeDocuments: async (_uid: string, { remoteErrors }: { remoteErrors: object }) => {
        reported = remoteErrors
        return own
      },
    },
  } as unknown as Engine
  const now = (): number => performance.now()
  const searches = new NetworkSearches({
    engine,
    send: () => Promise.reject(new Error('no other instance has a shard')),
    availability: new Availability(now),
    connectMs: 1000,
    searchMs: 1000,
    hedges: false,
    now,
  })
  const request = { offset: 0, limit: 20, filter: null } as Parameters<
    Engine['documents']['list']
  >[1]
  const context = { features: { foreignKeys: false }, signal: null } as unknown as SearchContext
  await networkDocuments(searches, asIndexUid('films'), request, context)
  expect(reported).toMatchObject({ b: { code: 'remote_could_not_send_request' } })
  await networkDocuments(searches, asIndexUid('films'), request, context)
  expect(reported).toEqual({})
})
