// Terms of the leadership, and addresses of instances.
import { expect, test } from 'vitest'
import { type Engine, type Network, NO_NETWORK } from '../../../engine/index.ts'
import type { InstanceDescription } from '../calls/instance-identity.ts'
import { checkAddresses, Leadership, nextLeadership } from './leadership.ts'

const described = (
  process: string,
  term = 0,
  leader: string | null = null,
): InstanceDescription => ({
  id: `id of ${process}`,
  process,
  self: null,
  leader,
  leaderId: leader === null ? null : `id of ${leader}`,
  term,
  hasDocuments: false,
})

test('a new leader begins a term later than all that members know', () => {
  const before: Network = { ...NO_NETWORK, self: 'a', term: 2 }
  const members = new Map([
    ['b', described('b', 5, 'c')],
    ['c', described('c', 1)],
  ])
  expect(nextLeadership('me', before, members)).toEqual({ leaderId: 'me', term: 6 })
  expect(nextLeadership('me', before, new Map())).toEqual({ leaderId: 'me', term: 3 })
})

test('a leader stays in its term, and changes nothing after a later one has begun', () => {
  const before: Network = { ...NO_NETWORK, self: 'a', leader: 'a', leaderId: 'me', term: 2 }
  const follower = new Map([['b', described('b', 2, 'a')]])
  expect(nextLeadership('me', before, follower)).toEqual({ leaderId: 'me', term: 2 })
  const later = new Map([['b', described('b', 3, 'c')]])
  expect(() => nextLeadership('me', before, later)).toThrow('a later leader than this one: `c`')
})

test('addresses of one instance under two names are refused', () => {
  const own = described('p0')
  const check = (processes: { readonly [name: string]: string }) => () =>
    checkAddresses(
      own,
      'a',
      new Map(Object.entries(processes).map(([name, process]) => [name, described(process)])),
    )
  expect(check({ a: 'p0', b: 'p1', c: 'p2' })).not.toThrow()
  expect(check({ b: 'p1' })).not.toThrow()
  expect(check({ b: 'p1', c: 'p1' })).toThrow('The urls of `b` and `c` lead to the same instance')
  expect(check({ b: 'p0' })).toThrow('The urls of `a` and `b` lead to the same instance')
  expect(check({ a: 'p1' })).toThrow('The url of `a`, the name of this instance, leads to another')
})

test('a leader steps down to a later one, once it learns of it', async () => {
  const remote = (name: string) => ({
    url: `http://${name}`,
    searchApiKey: null,
    writeApiKey: null,
  })
  let network: Network = {
    ...NO_NETWORK,
    self: 'a',
    leader: 'a',
    leaderId: 'id of a',
    term: 2,
    remotes: new Map(['a', 'b', 'c'].map((name) => [name, remote(name)])),
  }
  const answers: { readonly [url: string]: InstanceDescription | null } = {
    'http://b/network/identity': null,
    'http://c/network/identity': described('c', 3, 'c'),
  }
  const reports: string[] = []
  const stale: string[] = []
  const engine = {
    network: {
      get: () => network,
      update: async (change: (known: Network) => Network) => (network = change(network)),
    },
    replication: {
      remotesDue: () => ['b'],
      giveUp: async (name: string, reason: string) => void stale.push(`${name} ${reason}`),
    },
  } as unknown as Engine
  const leadership = new Leadership({
    engine,
    times: { connectMs: 10, requestMs: 10 },
    report: (message) => reports.push(message),
    steppedDown: () => stale.push('no other'),
    send: async ({ url }) => {
      const found = answers[url] ?? null
      const status = found === null ? 500 : 200
      return { status, headers: {}, body: Buffer.from(JSON.stringify(found)) } as never
    },
  })
  await leadership.check(new AbortController().signal)
  expect(network).toMatchObject({ self: 'a', leader: 'c', leaderId: 'id of c', term: 3 })
  expect(reports).toEqual([expect.stringContaining('`c` leads the network now')])
  // Its searches use other owners of its shards.
  expect(stale).toEqual(['a absent', 'no other'])
  await leadership.check(new AbortController().signal)
  expect(reports).toHaveLength(1)
})

test('a check that is stopped ends without an error, and other faults are reported', async () => {
  const self = { url: 'http://a', searchApiKey: null, writeApiKey: null }
  const remotes = new Map([
    ['a', self],
    ['b', { ...self, url: 'http://b' }],
  ])
  const network: Network = { ...NO_NETWORK, self: 'a', leader: 'a', leaderId: 'me', remotes }
  const fault = new Error('the answer cannot be read')
  const leadership = (abort: AbortController | null) =>
    new Leadership({
      engine: { network: { get: () => network } } as unknown as Engine,
      times: { connectMs: 10, requestMs: 10 },
      report: () => undefined,
      steppedDown: () => undefined,
      send: async () => {
        abort?.abort(fault)
        throw fault
      },
    })
  const stopped = new AbortController()
  await expect(leadership(stopped).check(stopped.signal)).resolves.toBeUndefined()
  await expect(leadership(null).check(new AbortController().signal)).rejects.toBe(fault)
})
