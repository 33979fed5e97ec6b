// Counts of the calls of each instance, and the metrics that show them.
import { expect, test } from 'vitest'
import { type Engine, type Network, OutgoingFault, type Send } from '../../../engine/index.ts'
import { Availability } from './availability.ts'
import { remoteMeasures } from './remote-measures.ts'
import { RemoteTally } from './remote-tally.ts'

const networkOf = (...names: readonly string[]): Network =>
  ({
    self: 'a',
    leader: 'a',
    remotes: new Map(names.map((name) => [name, { url: `http://${name}:1/x` }])),
    shards: new Map([
      ['s1', { remotes: ['a', 'b'] }],
      ['s2', { remotes: ['b'] }],
    ]),
  }) as unknown as Network

function tallyOf() {
  let now = 0
  let network = networkOf('a', 'b', 'not a url')
  const tally = new RemoteTally(
    () => network,
    () => now,
  )
  const call = async (url: string, outcome: number | Error): Promise<void> => {
    const send: Send = async () => {
      now += 500
      if (outcome instanceof Error) throw outcome
      return { status: outcome, body: Buffer.alloc(0) }
    }
    const sent = tally.counted(send)({ url } as Parameters<Send>[0])
    if (outcome instanceof Error) await expect(sent).rejects.toBe(outcome)
    else expect((await sent).status).toBe(outcome)
  }
  return { tally, call, become: (next: Network) => (network = next) }
}

test('calls are counted by instance and outcome', async () => {
  const { tally, call, become } = tallyOf()
  for (const status of [200, 399, 400, 499, 500]) await call('http://b:1/any', status)
  await call('http://b:1/any', new OutgoingFault('unreachable', 'gone'))
  await call('http://b:1/other', new OutgoingFault('unreachable', 'late', true))
  await call('http://b:1/other', new TypeError('broken'))
  await call('http://elsewhere:1/any', 500)
  await call('http://elsewhere:1/any', 500)
  expect([...tally.calls()]).toEqual([
    ['b', { calls: 8, seconds: 4, errors: { unreachable: 1, timeout: 1, refused: 2, failed: 1 } }],
  ])
  become(networkOf('a', 'elsewhere'))
  await call('http://elsewhere:1/any', 200)
  expect([...tally.calls().keys()]).toEqual(['elsewhere'])
})

test('metrics show the state of each instance; only the leader knows what others lack', () => {
  const backlog = (remote: string) => ({ tasks: remote.length, logBytes: 10, fileBytes: 5 })
  const { tally } = tallyOf()
  const measured = (leader: string | null) => {
    const engine = {
      network: { get: () => ({ ...networkOf('a', 'b'), leader }) },
      replication: { stale: () => new Set(['b']), backlog },
    } as unknown as Engine
    return remoteMeasures(engine, new Availability(() => 0), tally, true)
  }
  const common = { isAvailable: true, calls: null }
  expect(measured('a')).toEqual({
    self: 'a',
    areReplicasEqual: true,
    remotes: [
      { ...common, remote: 'a', shards: 1, backlog: null, isStale: false },
      { ...common, remote: 'b', shards: 2, backlog: { tasks: 1, bytes: 15 }, isStale: true },
    ],
  })
  for (const leader of ['b', null]) {
    const { areReplicasEqual, remotes } = measured(leader)
    expect([areReplicasEqual, ...remotes.map((one) => one.backlog)]).toEqual([null, null, null])
  }
})
