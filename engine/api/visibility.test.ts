// Requests that wait for tasks: how they end, and how many there may be.
import { describe, expect, it, onTestFinished } from 'vitest'
import { asTaskUid } from '../../format/ids.ts'
import { Canceled } from '../model/index.ts'
import { type Network, NO_NETWORK } from '../network/records/index.ts'
import { FakeDisk } from '../store/storage/index.ts'
import { addDocuments, openTestEngine } from '../testing/test-engine.ts'
import { TASK_WAITERS_MAX } from './limits.ts'
import { LocalVisibility } from './visibility.ts'

async function opened() {
  const engine = await openTestEngine(new FakeDisk(1).mount())
  onTestFinished(() => engine.close())
  return engine
}

const HOUR_MS = 3_600_000
const never = (): boolean => false

it('ends when the condition holds after a batch', async () => {
  const engine = await opened()
  const { visibility } = engine
  const wait = { ms: HOUR_MS, signal: new AbortController().signal }
  const uid = asTaskUid(0)
  const isVisible = visibility.until(uid, () => visibility.newest(null) >= uid, wait)
  await addDocuments(engine, 'a', [{ id: 1 }])
  expect(await isVisible).toBe(true)
})

it('ends at once when its client leaves, and when the time is over', async () => {
  const { visibility } = await opened()
  const client = new AbortController()
  const waiting = visibility.until(asTaskUid(9), never, { ms: HOUR_MS, signal: client.signal })
  client.abort()
  await expect(waiting).rejects.toBeInstanceOf(Canceled)
  const gone = visibility.until(asTaskUid(9), never, { ms: HOUR_MS, signal: client.signal })
  await expect(gone).rejects.toBeInstanceOf(Canceled)
  const { signal } = new AbortController()
  expect(await visibility.until(asTaskUid(9), never, { ms: 1, signal })).toBe(false)
})

it('does not begin when too many wait, and begins again when one has left', async () => {
  const { visibility } = await opened()
  const clients = Array.from({ length: TASK_WAITERS_MAX }, () => new AbortController())
  const waiting = clients.map(({ signal }) =>
    visibility.until(asTaskUid(9), never, { ms: HOUR_MS, signal }).catch(() => 'left'),
  )
  expect(visibility.isFull).toBe(true)
  const { signal } = new AbortController()
  expect(await visibility.until(asTaskUid(9), never, { ms: HOUR_MS, signal })).toBe(false)
  clients[0]!.abort()
  expect(await waiting[0]).toBe('left')
  expect(visibility.isFull).toBe(false)
  for (const client of clients) client.abort()
  await Promise.all(waiting)
})

it('waits for a registered task once that task is there, not before', async () => {
  const engine = await opened()
  const visibility = engine.visibility as LocalVisibility
  const client = new AbortController()
  const waiting = visibility.until(asTaskUid(1), never, { ms: HOUR_MS, signal: client.signal })
  await addDocuments(engine, 'a', [{ id: 1 }])
  expect([visibility.newestKnown, visibility.isAwaited]).toEqual([0, false])
  await addDocuments(engine, 'a', [{ id: 2 }])
  expect([visibility.newestKnown, visibility.isAwaited]).toEqual([1, true])
  client.abort()
  await expect(waiting).rejects.toBeInstanceOf(Canceled)
  expect(visibility.isAwaited).toBe(false)
})

it('asks once before it waits, and does not wait without time', async () => {
  const { visibility } = await opened()
  const { signal } = new AbortController()
  expect(await visibility.until(asTaskUid(9), () => true, { ms: 0, signal })).toBe(true)
  expect(await visibility.until(asTaskUid(9), never, { ms: 0, signal })).toBe(false)
  expect((visibility as LocalVisibility).isAwaited).toBe(false)
})

it('leaves nothing behind when it ends', async () => {
  const { visibility } = await opened()
  const local = visibility as LocalVisibility
  const { signal } = new AbortController()
  let isDone = false
  let asked = 0
  const isMet = () => {
    asked++
    return isDone
  }
  const wait = { ms: HOUR_MS, signal }
  const waiting = local.until(asTaskUid(-1), isMet, wait)
  local.changed()
  expect([asked, local.isAwaited]).toEqual([2, true])
  isDone = true
  local.changed()
  expect(await waiting).toBe(true)
  local.changed()
  expect([asked, local.isAwaited]).toEqual([3, false])
})

describe('in a network', () => {
  const remote = { url: 'http://x', searchApiKey: null, writeApiKey: null }
  const MEMBERS = { ...NO_NETWORK, remotes: new Map(['a', 'b'].map((name) => [name, remote])) }

  /** The numberings that the queue was asked with are part of its answers. */
  function local(network: Network, oldestDue = -1, isLacking = false) {
    const numbered: unknown[] = []
    const known = { newest: 7 }
    const queue = {
      contained: {
        newest: (indexes: unknown, numbering: unknown) => {
          numbered.push([indexes, numbering])
          return 5
        },
        newestKnown: (numbering: unknown) => {
          numbered.push(numbering)
          return known.newest
        },
        hasEnded: (uid: number) => uid < 3,
      },
      network: { unconfirmed: { oldestDue: () => oldestDue } },
    }
    const parts = { queue, network: { get: () => network }, stale: { isLacking: () => isLacking } }
    return { visibility: new LocalVisibility(parts as never), numbered, known }
  }

  it.each<[string, Network]>([
    ['without a leader', MEMBERS],
    ['on the leader', { ...MEMBERS, self: 'a', leader: 'a' }],
  ])('uids are those of this instance: %s', (_, network) => {
    const { visibility, numbered } = local(network)
    expect([visibility.newest(null), visibility.newestKnown]).toEqual([5, 7])
    expect(numbered).toEqual([[null, null], null])
    expect(visibility.confirmed).toBe(-1)
    expect([2, 3].map((uid) => visibility.hasEnded(asTaskUid(uid)))).toEqual([true, false])
  })

  it('uids are those of the leader elsewhere, up to the greatest that it confirmed', () => {
    const { visibility, numbered } = local({ ...MEMBERS, self: 'b', leader: 'a' })
    expect([visibility.confirmed, visibility.newest(null)]).toEqual([-1, 5])
    visibility.arrived('a', asTaskUid(4))
    expect(visibility.confirmed).toBe(4)
    visibility.arrived('a', asTaskUid(3))
    expect([visibility.confirmed, visibility.newestKnown]).toEqual([4, 7])
    expect(numbered).toEqual([[null, { leader: 'a', arrived: -1 }], { leader: 'a', arrived: 4 }])
    // A message of another leader counts once that one leads.
    visibility.arrived('c', asTaskUid(2))
    expect(visibility.confirmed).toBe(-1)
  })

  it('an arrival lets waiting requests look', async () => {
    const { visibility } = local({ ...MEMBERS, self: 'b', leader: 'a' })
    const { signal } = new AbortController()
    const isMet = () => visibility.confirmed >= 4
    const waiting = visibility.until(asTaskUid(4), isMet, { ms: HOUR_MS, signal })
    visibility.arrived('a', asTaskUid(4))
    expect(await waiting).toBe(true)
  })

  it('a registered task lets those look that wait for it, once', async () => {
    const { visibility, known } = local(MEMBERS)
    const looks: number[] = []
    const client = new AbortController()
    const wait = { ms: HOUR_MS, signal: client.signal }
    const waiting = [7, 8, 9].map((uid) => {
      const isMet = () => {
        looks.push(uid)
        return false
      }
      return visibility.until(asTaskUid(uid), isMet, wait).catch(() => 'left')
    })
    looks.length = 0
    known.newest = 8
    visibility.registered()
    visibility.registered()
    expect(looks).toEqual([8])
    client.abort()
    expect(await Promise.all(waiting)).toEqual(['left', 'left', 'left'])
  })

  const LEADS = { ...MEMBERS, self: 'a', leader: 'a' }
  it.each<[string, Network, number, boolean, number]>([
    ['every task if none is due', LEADS, -1, false, 7],
    ['the tasks before the oldest that is due', LEADS, 6, false, 5],
    ['none if the first one is due', LEADS, 0, false, -1],
    ['none if it lacks writes', LEADS, -1, true, -1],
    ['none if another instance leads', { ...LEADS, leader: 'b' }, -1, false, -1],
    ['none without a leader', MEMBERS, -1, false, -1],
    ['none if it is not a member', { ...LEADS, remotes: new Map() }, -1, false, -1],
  ])('a remote has received %s', (_, network, oldestDue, isLacking, expected) => {
    const { visibility } = local(network, oldestDue, isLacking)
    expect(visibility.arrivedAt('b')).toBe(expected)
  })
})
