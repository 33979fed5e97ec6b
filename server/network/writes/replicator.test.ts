// A leader that is replaced while it sends a task: what the members answer concerns it no more.
import { expect, test } from 'vitest'
import {
  type Engine,
  type Network,
  NO_NETWORK,
  OutgoingFault,
  type RemoteResult,
} from '../../../engine/index.ts'
import { asTaskUid } from '../../../format/ids.ts'
import { LACKING } from '../calls/index.ts'
import { Replicator } from './replicator.ts'

const remote = (name: string) => ({ url: `http://${name}`, searchApiKey: null, writeApiKey: null })

const MEMBERS = new Map(['a', 'b', 'c'].map((name) => [name, remote(name)]))
const ORIGIN = 'X-Svc-Proxy-Origin-Remote'
const PARTS = {
  times: { connectMs: 1000, requestMs: 1000, backoffMs: 1000 },
  now: () => performance.now(),
  report: () => undefined,
  checkLeadership: async () => undefined,
  backlogBytesMax: Number.POSITIVE_INFINITY,
  behind: () => undefined,
  unreachable: () => undefined,
  reachable: () => undefined,
}

/** Refuses a task of `a`; meanwhile `leader` becomes the leader. Returns who counts as stale. */
async function refusedUnder(leader: string): Promise<readonly string[]> {
  let network: Network = {
    ...NO_NETWORK,
    self: 'a',
    leader: 'a',
    remotes: MEMBERS,
    shards: new Map([['s', { remotes: ['a', 'b'] }]]),
  }
  const due = [0]
  const stale: string[] = []
  const replication = {
    remotesDue: () => (due.length > 0 ? ['b'] : []),
    oldestDue: () => due[0] ?? null,
    canceledDue: async () => [],
    sentTask: async () => ({
      uid: 0,
      content: { kind: 'indexDeletion' },
      indexUid: 'x',
      version: '',
    }),
    results: () => ({}),
    answered: async () => void due.pop(),
    stale: () => new Map(),
    isLacking: () => false,
    giveUp: async (name: string) => void stale.push(name),
  }
  const topology = {
    change: null,
    get networkOfNextTask() {
      return network
    },
    get serving() {
      return network
    },
  }
  const engine = { network: { get: () => network }, replication, topology }
  const replicator = new Replicator({
    engine: engine as unknown as Engine,
    send: async () => {
      network = { ...network, leader }
      return { status: 400, headers: {}, body: Buffer.from('{"code":"bad_request"}') } as never
    },
    ...PARTS,
  })
  await replicator.replicate(asTaskUid(0), { kind: 'leader', version: '', remotes: ['b'] })
  await replicator.stop()
  return stale
}

test('a member that refuses a task is stale only for the leader', async () => {
  expect(await refusedUnder('a')).toEqual(['b'])
  expect(await refusedUnder('b')).toEqual([])
  expect(await refusedUnder('c')).toEqual([])
})

/** `owners`: those of the only shard by the network; `places`: those that have its documents. */
type Away = {
  readonly change?: object | null
  readonly owners?: readonly string[]
  readonly places?: readonly string[]
  readonly remotes?: readonly string[]
  /** A change whose registration has begun. */
  readonly registered?: object
  /** Ends the version of a change that the disk has not recorded. */
  readonly unrecorded?: string
}

/** Has too many tasks for `remotes`, which are away. Returns who is stale. */
async function backlogged(given: Away): Promise<readonly string[]> {
  const { change = null, owners = ['a', 'b'], places = owners, remotes = ['b'] } = given
  const { registered = null, unrecorded = '' } = given
  const shardsOf = (names: readonly string[]) => new Map([['s', { remotes: names }]])
  const network: Network = {
    ...NO_NETWORK,
    self: 'a',
    leader: 'a',
    remotes: MEMBERS,
    shards: shardsOf(owners),
  }
  const stale = new Map<string, object>()
  const replication = {
    remotesDue: () => [],
    oldestDue: () => 5,
    canceledDue: async () => [],
    sentTask: async () => ({ uid: 5, content: { kind: 'indexDeletion' }, indexUid: 'x' }),
    results: () => ({}),
    answered: async () => undefined,
    backlog: () => ({ tasks: 1, logBytes: 100, fileBytes: 0 }),
    stale: () => new Map(stale),
    isLacking: (name: string) => stale.has(name),
    giveUp: async (name: string) => {
      // The mark is durable some time later.
      await new Promise((resolve) => setTimeout(resolve, 5))
      stale.set(name, { reason: 'backlog', before: 6 })
    },
  }
  const all = new Map([...MEMBERS, ['gone', MEMBERS.get('b')!] as const])
  const serving = { ...network, remotes: all, shards: shardsOf(places) }
  const networkOfNextTask = { ...network, version: network.version + unrecorded }
  const topology = { change, networkOfNextTask, serving }
  const replicator = new Replicator({
    ...PARTS,
    times: { ...PARTS.times, backoffMs: 0 },
    backlogBytesMax: 1,
    engine: { network: { get: () => network }, replication, topology } as unknown as Engine,
    send: async () => {
      throw new OutgoingFault('unreachable', 'refused')
    },
  })
  if (registered !== null) {
    void replicator.inTurn(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      topology.change = registered
    })
  }
  await replicator.replicate(asTaskUid(5), { kind: 'leader', version: '', remotes })
  await replicator.stop()
  return [...stale.keys()]
}

/** `absent` stays if it is one of `remotes`. */
const changeAt = (uid: number, absent: readonly string[] = [], remotes = MEMBERS) => ({
  uid,
  absent,
  after: { remotes },
})

test('a member is not stale before it knows of the change that waits for it', async () => {
  expect(await backlogged({})).toEqual(['b'])
  expect(await backlogged({ change: changeAt(5) })).toEqual([])
  expect(await backlogged({ change: changeAt(5, ['b']) })).toEqual([])
  expect(await backlogged({ change: changeAt(5, ['b'], new Map()) })).toEqual(['b'])
  expect(await backlogged({ change: changeAt(4) })).toEqual(['b'])
  // Also while the change is registered, and until the disk has recorded it.
  expect(await backlogged({ registered: changeAt(5) })).toEqual([])
  expect(await backlogged({ registered: changeAt(4) })).toEqual(['b'])
  expect(await backlogged({ unrecorded: '2' })).toEqual([])
})

test('a member is not stale while no other one has its documents', async () => {
  // The network names other owners, but its change was canceled, or has not ended.
  expect(await backlogged({ places: ['b'] })).toEqual([])
  expect(await backlogged({ places: ['b', 'gone'] })).toEqual([])
  expect(await backlogged({ places: ['b', 'gone', 'a'] })).toEqual(['b'])
})

test('two owners of a shard are not given up for the sake of each other', async () => {
  const remotes = ['b', 'c']
  expect(await backlogged({ owners: remotes, remotes })).toHaveLength(1)
  expect(await backlogged({ owners: ['a', ...remotes], remotes })).toHaveLength(2)
})

const stored = ({ remotes, shards, ...rest }: Network): object => ({
  ...rest,
  remotes: Object.fromEntries(remotes),
  shards: Object.fromEntries(shards),
})

// A client writes to the new leader while the task of the change becomes durable: that starts the
// sending, and the change is the oldest task.
test.each([
  ['forms a network', NO_NETWORK],
  ['takes over', { ...NO_NETWORK, self: 'a', leader: 'b', remotes: MEMBERS }],
])('a change that %s is sent also before its network is active', async (_, current) => {
  const after: Network = { ...NO_NETWORK, self: 'a', leader: 'a', remotes: MEMBERS }
  const change = { oldNetwork: stored(current), newNetwork: stored(after) }
  const due = [0]
  const answered: RemoteResult[] = []
  const replication = {
    remotesDue: () => (due.length > 0 ? ['b'] : []),
    oldestDue: () => due[0] ?? null,
    canceledDue: async () => [],
    isCanceled: () => false,
    sentTask: async () => ({ uid: 0, content: { kind: 'networkTopologyChange', change } }),
    results: () => ({}),
    isLacking: (name: string) => name === 'b',
    answered: async (_uid: number, _remote: string, result: RemoteResult) => {
      due.pop()
      answered.push(result)
    },
  }
  const topology = { change: null, networkOfNextTask: after }
  const engine = { network: { get: () => current }, replication, topology }
  const sent: unknown[] = []
  const replicator = new Replicator({
    ...PARTS,
    engine: engine as unknown as Engine,
    send: async ({ headers }) => {
      const { [ORIGIN]: origin, [LACKING]: lacking } = headers as {
        readonly [name: string]: string
      }
      sent.push({ origin, lacking })
      return { status: 202, headers: {}, body: Buffer.from('{"taskUid":7}') } as never
    },
  })
  await replicator.replicate(asTaskUid(0), { kind: 'leader', version: '', remotes: ['b'] })
  await replicator.stop()
  expect(answered).toEqual([{ taskUid: 7, error: null }])
  expect(sent).toEqual([{ origin: 'a', lacking: 'true' }])
})

/** The tasks of which a cancelation learns that they run on `b`, an owner that may not answer. */
async function tooLate(given: {
  readonly owners: readonly string[]
  readonly stale?: readonly string[]
  readonly answer?: string
  /** Whether the disk has not recorded yet the change by which `b` joins. */
  readonly isUnrecorded?: boolean
  /** Whether `b` leaves, and whether it has to send documents. */
  readonly leaving?: { readonly isNeeded: boolean }
}): Promise<readonly number[]> {
  const { owners, stale = [], answer, isUnrecorded = false, leaving } = given
  const former: Network = {
    ...NO_NETWORK,
    self: 'a',
    leader: 'a',
    remotes: new Map([...MEMBERS].filter(([name]) => name !== 'c')),
    shards: new Map([['s', { remotes: owners }]]),
  }
  const network = leaving === undefined ? former : { ...former, remotes: new Map() }
  const change = leaving === undefined ? null : { before: former, after: network }
  const isNeeded = () => leaving?.isNeeded
  // `b` has accepted 2, a change, and 3; perhaps it has got 4; 5 was not sent to it.
  const confirmed: { readonly [uid: number]: object } = {
    2: { b: { error: null } },
    3: { b: { error: null } },
  }
  const replication = {
    remotesDue: () => [],
    oldestDue: () => 4,
    groups: async (uids: readonly number[]) => [{ version: 'v', uids }],
    results: (uid: number) => confirmed[uid] ?? {},
    stale: () => new Map(stale.map((name) => [name, { reason: 'backlog', before: 0 }])),
    writesOf: async (uids: readonly number[]) => uids.filter((uid) => uid !== 2),
    isCanceled: () => true,
  }
  let hold = async (_: readonly number[]): Promise<ReadonlySet<number>> => new Set()
  const engine = {
    network: { get: () => (isUnrecorded ? NO_NETWORK : network) },
    replication,
    topology: { change, networkOfNextTask: network, serving: former, isNeeded },
    onReplicated: () => undefined,
    onCanceling: (asked: typeof hold) => {
      hold = asked
    },
  }
  const replicator = new Replicator({
    ...PARTS,
    engine: engine as unknown as Engine,
    send: async () => {
      if (answer === undefined) throw new OutgoingFault('unreachable', 'refused')
      return { status: 200, headers: {}, body: Buffer.from(answer) } as never
    },
  })
  replicator.start()
  const ran = await hold([2, 3, 4, 5])
  await replicator.stop()
  return [...ran]
}

test('a write that the only right owner may have is not canceled while that owner is away', async () => {
  expect(await tooLate({ owners: ['b'] })).toEqual([3, 4])
  expect(await tooLate({ owners: ['b'], answer: '{"ran":[2]}' })).toEqual([2])
  expect(await tooLate({ owners: ['b'], answer: '{"ran":[2]}', isUnrecorded: true })).toEqual([2])
  const leaving = { isNeeded: true }
  expect(await tooLate({ owners: ['b'], answer: '{"ran":[2]}', leaving })).toEqual([2])
  expect(await tooLate({ owners: ['b'], leaving })).toEqual([3, 4])
  expect(await tooLate({ owners: ['a', 'b'], leaving: { isNeeded: false } })).toEqual([])
  // Another owner sends it the shard again, without the write.
  expect(await tooLate({ owners: ['a', 'b'] })).toEqual([])
  expect(await tooLate({ owners: ['b'], stale: ['b'] })).toEqual([])
  expect(await tooLate({ owners: ['a', 'b'], stale: ['a'] })).toEqual([3, 4])
})
