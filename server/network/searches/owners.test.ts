// One document: its owners are called one after another, available ones first.
import { expect, it } from 'vitest'
import { ApiError } from '../../errors/index.ts'
import { FIRST_MS } from '../calls/index.ts'
import { callOwners } from './owners.ts'
import { CONTEXT, NETWORK, type Reply, type Sent, searchesWith } from './test-searches.ts'

const network = {
  ...NETWORK,
  remotes: new Map([...NETWORK.remotes].map(([name, one]) => [name, { ...one }])),
  shards: new Map([['s', { remotes: ['a', 'b', 'c'] }]]),
}
const FAILED: Reply = { status: 503, code: 'internal' }
const lacks = (error: { readonly code: string }): boolean => error.code === 'remote_bad_request'
const request = { path: '/x', body: () => ({ a: 1 }), signal: CONTEXT.signal, state: undefined }

it('an answer ends the calls; refusals and failures are kept apart', async () => {
  const called = async (ofB: Reply, ofC: Reply) => {
    const answer = ({ to }: Sent): Reply => (to === 'b' ? ofB : ofC)
    const { searches, sent } = searchesWith({ network, answer })
    const { bytes, failure, refusals } = await callOwners(searches, '1', request, lacks)
    expect(searches.room().held()).toBe(0)
    const found = bytes === null ? null : JSON.parse(Buffer.from(bytes).toString())
    return [found, failure?.code ?? null, refusals.length, sent.map(({ to }) => to).join()]
  }
  const lacking: Reply = { status: 404, code: 'x' }
  expect(await called({ json: 1 }, FAILED)).toEqual([1, null, 0, 'b'])
  expect(await called(lacking, { json: 2 })).toEqual([2, null, 1, 'b,c'])
  expect(await called(FAILED, lacking)).toEqual([null, 'remote_remote_error', 1, 'b,c'])
  expect(await called(lacking, lacking)).toEqual([null, null, 2, 'b,c'])
})

it('paused owners are the last', async () => {
  const { searches, sent, availability } = searchesWith({ network, answer: () => FAILED })
  availability.set('c', 'available')
  availability.failed('b')
  await callOwners(searches, '1', request, lacks)
  expect(sent.map(({ to }) => to)).toEqual(['c', 'b'])
})

it.each([
  [new TypeError('broken'), [FIRST_MS]],
  [new ApiError('remote_timeout', 'late'), [FIRST_MS, 2 * FIRST_MS]],
])('only the last owner may take all the time that is left (%s)', async (error, expected) => {
  let now = 0
  const searchMs = 3 * FIRST_MS
  const made = searchesWith({ network, searchMs, now: () => now })
  const times: number[] = []
  const call = async (_: unknown, { ms }: { readonly ms: number }): Promise<Uint8Array> => {
    times.push(ms)
    now += ms
    throw error
  }
  const searches = {
    parts: made.searches.parts,
    latencies: made.searches.latencies,
    plan: () => made.searches.plan(),
    room: () => made.searches.room(),
  }
  const done = callOwners({ ...searches, call }, '1', request, lacks)
  if (error instanceof ApiError) expect(await done).toMatchObject({ failure: error })
  else await expect(done).rejects.toBe(error)
  expect(times).toEqual(expected)
})
