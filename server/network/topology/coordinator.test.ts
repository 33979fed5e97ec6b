// Changes run one after the other, again after failures, and others learn that one was canceled.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { NO_NETWORK, type TopologyChange } from '../../../engine/index.ts'
import { Coordinator, type CoordinatorParts } from './coordinator.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const networkOf = (self: string | null, names: readonly string[]) => ({
  ...NO_NETWORK,
  self,
  remotes: new Map(
    names.map((name) => [name, { url: `http://${name}`, searchApiKey: null, writeApiKey: null }]),
  ),
})
/** A change of the leader `a`, which is alone, so that it needs no answers. */
const changeOf = (uid: number, more: object = {}): TopologyChange =>
  ({
    uid,
    before: networkOf('a', ['a']),
    after: networkOf('a', ['a']),
    absent: [],
    origin: { remoteName: 'a', taskUid: uid, networkVersion: '' },
    ...more,
  }) as unknown as TopologyChange

type Sent = { readonly message: { readonly type: string } }
type Given = {
  /** The status of a task whose change has ended. */
  readonly status?: string
  /** The status of the answer of a remote. */
  readonly answer?: (name: string) => number
  /** Called before a change ends. */
  readonly progress?: (uid: number) => void
  /** Changes that wait for older tasks. */
  readonly waits?: ReadonlySet<number>
}

function coordinating(given: Given = {}) {
  const { status = 'succeeded', answer = () => 200, progress, waits = new Set() } = given
  const log: string[] = []
  let notify: () => void = () => undefined
  const topology = {
    change: null as TopologyChange | null,
    onTopology: (listener: () => void) => {
      notify = listener
    },
    get isRouted() {
      return !waits.has(this.change?.uid ?? -1)
    },
    hasOlderTasks: () => {
      log.push(`waits ${topology.change?.uid}`)
      return true
    },
    messages: () => ({ finished: {}, routed: ['a', 'b', 'c'] }),
    isNeeded: () => false,
    showProgress: async ({ uid }: TopologyChange) => progress?.(uid),
    complete: ({ uid }: TopologyChange) => {
      log.push(`completed ${uid}`)
      begin(null)
    },
  }
  const begin = (change: TopologyChange | null) => {
    topology.change = change
    notify()
  }
  const tasks = { get: async (uid: number) => ({ uid, status }) }
  const parts = {
    engine: { topology, tasks },
    send: async ({ url, body }: { readonly url: string; readonly body: Uint8Array | null }) => {
      const { host, pathname } = new URL(url)
      const sent = body === null ? null : (JSON.parse(Buffer.from(body).toString()) as Sent)
      log.push(`${sent?.message.type ?? 'question'} to ${host}${pathname}`)
      return { status: answer(host), headers: {}, body: Buffer.from('{}') }
    },
    times: { connectMs: 1, requestMs: 1 },
    now: () => Date.now(),
    report: (message: string, error: Error) => log.push(`${message} ${error.message}`),
  }
  const coordinator = new Coordinator(parts as unknown as CoordinatorParts)
  return { coordinator, topology, begin, log }
}

const passed = (ms = 0) => vi.advanceTimersByTimeAsync(ms)

test('runs the change of the start, and each that begins later', async () => {
  const { coordinator, topology, begin, log } = coordinating()
  topology.change = changeOf(1)
  coordinator.start()
  await passed()
  expect(log).toEqual(['completed 1'])
  begin(changeOf(2))
  await passed()
  begin(changeOf(3))
  await passed()
  expect(log).toEqual(['completed 1', 'completed 2', 'completed 3'])
  await coordinator.stop()
  begin(changeOf(4))
  await passed(10_000)
  expect(log).toHaveLength(3)
})

test('reports a failure, and tries again after a pause', async () => {
  let failures = 2
  const { coordinator, begin, log } = coordinating({
    progress: () => {
      if (failures-- > 0) throw new Error('disk')
    },
  })
  coordinator.start()
  begin(changeOf(1))
  const failure = 'A change of the network does not go on. disk'
  await passed(999)
  expect(log).toEqual([failure])
  await passed(1)
  expect(log).toEqual([failure, failure])
  await passed(1000)
  expect(log).toEqual([failure, failure, 'completed 1'])
  await coordinator.stop()
})

test('checks a waiting change from time to time, and leaves it for the next one', async () => {
  const { coordinator, begin, log } = coordinating({ waits: new Set([1]) })
  coordinator.start()
  begin(changeOf(1))
  await passed(249)
  const looks = log.length
  expect(looks).toBeGreaterThan(0)
  await passed(1)
  expect(log.length).toBe(looks + 1)
  begin(changeOf(2))
  await passed()
  // The first one ended without a report.
  expect(log.slice(looks + 1).filter((line) => !line.startsWith('waits'))).toEqual(['completed 2'])
  begin(changeOf(1))
  await passed()
  const stopping = coordinator.stop()
  await passed()
  await stopping
  const before = log.length
  await passed(10_000)
  expect(log).toHaveLength(before)
})

const NETWORKS = {
  before: networkOf('a', ['a', 'b', 'c']),
  after: networkOf('a', ['a', 'c', 'd']),
}
const notified = (...names: readonly string[]) =>
  names.map((name) => `changeCanceledForRemote to ${name}/network/control`)

test.each([
  ['canceled', 'a', notified('b', 'c', 'd')],
  ['failed', 'a', notified('b', 'c', 'd')],
  ['succeeded', 'a', []],
  ['canceled', 'b', []],
])('a change that %s, led by %s', async (status, remoteName, expected) => {
  const { coordinator, begin, log } = coordinating({ status, waits: new Set([1]) })
  coordinator.start()
  const origin = { remoteName, taskUid: 1, networkVersion: '' }
  begin(changeOf(1, { ...NETWORKS, origin }))
  await passed()
  begin(null)
  await passed(5000)
  expect(log.filter((line) => line.startsWith('changeCanceled'))).toEqual(expected)
  await coordinator.stop()
})

test('an instance that leaves the network is still the leader of the change', async () => {
  const { coordinator, begin, log } = coordinating({ status: 'canceled', waits: new Set([1]) })
  coordinator.start()
  begin(changeOf(1, { before: NETWORKS.before, after: networkOf(null, ['b', 'c']) }))
  await passed()
  begin(null)
  await passed()
  expect(log.filter((line) => line.startsWith('changeCanceled'))).toEqual(notified('b', 'c'))
  await coordinator.stop()
})

test('the message is repeated to those that do not understand it yet', async () => {
  let isBack = false
  const { coordinator, begin, log } = coordinating({
    status: 'canceled',
    waits: new Set([1]),
    answer: (name) => (name === 'c' && !isBack ? 500 : name === 'b' ? 400 : 200),
  })
  coordinator.start()
  begin(changeOf(1, NETWORKS))
  await passed()
  begin(null)
  await passed()
  expect(log.splice(0).filter((line) => !line.startsWith('waits'))).toEqual(notified('b', 'c', 'd'))
  await passed(1000)
  expect(log.splice(0)).toEqual(notified('c'))
  isBack = true
  await passed(1000)
  await passed(10_000)
  expect(log).toEqual(notified('c'))
  await coordinator.stop()
})

test('a stop ends the pause between two messages, and at last they end by themselves', async () => {
  const cancel = async () => {
    const made = coordinating({ status: 'canceled', waits: new Set([1]), answer: () => 500 })
    made.coordinator.start()
    made.begin(changeOf(1, { before: NO_NETWORK, after: networkOf('a', ['a', 'b']) }))
    await passed()
    made.begin(null)
    await passed()
    made.log.length = 0
    return made
  }
  const stopped = await cancel()
  await stopped.coordinator.stop()
  await passed(10_000)
  expect(stopped.log).toEqual([])
  const { log, coordinator } = await cancel()
  await passed(600_000)
  expect(log).toHaveLength(59)
  await coordinator.stop()
})
