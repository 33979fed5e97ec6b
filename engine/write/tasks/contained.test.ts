// Which tasks views contain, for indexes that have waiting tasks and for those that have none; and
// the same by the uids of a leader.
import { describe, expect, it } from 'vitest'
import { asIndexUid, asTaskUid } from '../../../format/ids.ts'
import { allSucceeded } from '../batching/outcomes.ts'
import type { TaskQueue } from './queue.ts'
import { createsIndex, imports, openQueue, swaps } from './test-support.ts'

const NO_LIMITS = { tasksMax: 1, bytesMax: Number.POSITIVE_INFINITY }
const uids = (...names: readonly string[]) => names.map(asIndexUid)
const newest = ({ contained }: TaskQueue, ...names: readonly string[]): number =>
  contained.newest(uids(...names), null)

/** Runs one batch of one task. */
async function runOne({ lifecycle }: TaskQueue): Promise<void> {
  const plan = await lifecycle.begin(() => null, NO_LIMITS)
  const sealed = await lifecycle.seal(plan!, allSucceeded(plan!, { indexedDocuments: 1 }))
  await lifecycle.settle(sealed, false)
}

describe('the newest task of views', () => {
  it('is the one before the oldest that waits in the index', async () => {
    const { queue } = await openQueue()
    expect([newest(queue, 'a'), queue.contained.newest(null, null)]).toEqual([-1, -1])
    for (const name of ['a', 'b', 'a']) await queue.register(imports(name, [{ id: 1 }]))
    expect([newest(queue, 'a'), newest(queue, 'b'), newest(queue, 'a', 'b')]).toEqual([-1, 0, -1])
    expect([newest(queue, 'c'), newest(queue), queue.contained.newest(null, null)]).toEqual([
      2, 2, -1,
    ])
    await runOne(queue)
    expect([
      newest(queue, 'a'),
      newest(queue, 'b'),
      queue.contained.hasEnded(asTaskUid(0)),
    ]).toEqual([1, 0, true])
    await runOne(queue)
    await runOne(queue)
    expect([newest(queue, 'a'), newest(queue, 'b')]).toEqual([2, 2])
    expect(queue.contained.hasEnded(asTaskUid(3))).toBe(false)
  })

  it('may be newer than a task of another index that still runs', async () => {
    const { queue } = await openQueue()
    for (const name of ['a', 'b', 'b']) await queue.register(imports(name, [{ id: 1 }]))
    const { lifecycle } = queue
    await lifecycle.begin(() => null, NO_LIMITS)
    const small = (await lifecycle.beginBeside(() => ({ primaryKey: null }), NO_LIMITS))!
    await lifecycle.settle(await lifecycle.seal(small, allSucceeded(small)), true)
    expect([newest(queue, 'b'), newest(queue, 'a'), newest(queue, 'a', 'b')]).toEqual([1, -1, -1])
    expect(queue.contained.newest(null, null)).toBe(-1)
    expect([0, 1, 2].map((uid) => queue.contained.hasEnded(asTaskUid(uid)))).toEqual([
      false,
      true,
      false,
    ])
  })

  it('counts a swap for both of its indexes, and no index that a test excludes', async () => {
    const { queue } = await openQueue()
    await queue.register(createsIndex('other'))
    await queue.register(swaps(['a', 'b']))
    expect([newest(queue, 'a'), newest(queue, 'b'), newest(queue, 'other')]).toEqual([0, 0, -1])
    const { contained } = queue
    expect(contained.newest((uid) => uid !== 'other', null)).toBe(0)
    expect(contained.newest(() => false, null)).toBe(1)
  })

  it('has the uid of the leader where another instance leads', async () => {
    const { queue } = await openQueue()
    const by = { leader: 'l', arrived: asTaskUid(-1) }
    const copy = async (name: string, uid: number): Promise<unknown> => {
      const origin = { remoteName: 'l', taskUid: asTaskUid(uid), networkVersion: 'v' }
      return queue.register({ ...createsIndex(name), network: { kind: 'origin', origin } })
    }
    await queue.register(createsIndex('a'))
    const { contained } = queue
    expect(contained.newest(uids('a'), by)).toBe(-1)
    await copy('a', 10)
    await copy('b', 12)
    expect(contained.newest(uids('a'), by)).toBe(9)
    expect(contained.newest(uids('b'), by)).toBe(11)
    expect(contained.newest(uids('c'), by)).toBe(12)
    expect(contained.newest(uids('c'), { ...by, arrived: asTaskUid(15) })).toBe(15)
    expect(contained.newest(uids('c'), { ...by, leader: 'm' })).toBe(-1)
    for (let task = 0; task < 3; task++) await runOne(queue)
    expect(contained.newest(uids('a', 'b'), by)).toBe(12)
  })
})
