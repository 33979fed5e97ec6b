// Batches of thousands of tasks let other work run while they are planned, sealed and applied.
import { expect, it } from 'vitest'
import { allSucceeded } from '../batching/outcomes.ts'
import { deletesIds, filterOf, openQueue } from './test-support.ts'

const TASKS = 9000
const NO_LIMITS = { tasksMax: Number.POSITIVE_INFINITY, bytesMax: Number.POSITIVE_INFINITY }

/** Returns the result of work, and how often other work ran meanwhile. */
async function turnsOf<T>(work: () => Promise<T>): Promise<{ result: T; turns: number }> {
  let isDone = false
  const running = work().finally(() => {
    isDone = true
  })
  let turns = 0
  for (; !isDone; turns++) await new Promise((resolve) => setImmediate(resolve))
  return { result: await running, turns }
}

it('after each few hundred or thousand tasks, not after each one', async () => {
  const { queue } = await openQueue()
  const { lifecycle, lists } = queue
  const registerAll = () =>
    Promise.all(Array.from({ length: TASKS }, () => queue.register(deletesIds('a', ['1']))))
  const turns: { [work: string]: number } = {}
  const noted = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const { result, turns: count } = await turnsOf(work)
    turns[name] = count
    return result
  }
  await registerAll()
  const plan = (await noted('plan', () => lifecycle.begin(() => null, NO_LIMITS)))!
  expect(plan.tasks).toHaveLength(TASKS)
  const sealed = await noted('seal', () => lifecycle.seal(plan, allSucceeded(plan)))
  await noted('apply', () => lifecycle.settle(sealed, false))
  await registerAll()
  await queue.registerCancelation(filterOf({ statuses: ['enqueued'] }), '?', null)
  const cancelation = (await lifecycle.begin(() => null, NO_LIMITS))!
  const canceled = await noted('cancel', () => lifecycle.sealOwn(cancelation))
  await noted('applyCanceled', () => lifecycle.settle(canceled, false))
  await queue.registerDeletion(filterOf({ kinds: ['documentDeletion'] }), '?', null)
  const deletion = (await lifecycle.begin(() => null, NO_LIMITS))!
  const deleted = await noted('delete', () => lifecycle.sealOwn(deletion))
  await noted('applyDeleted', () => lifecycle.settle(deleted, false))
  expect(lists.counts().statuses).toMatchObject({ enqueued: 0, succeeded: 2, canceled: 0 })
  // A turn for each 256 tasks, 1024, 4096 and so on, and few besides.
  const expected = { plan: 35, seal: 8, apply: 2, cancel: 8, applyCanceled: 2 }
  for (const [name, count] of Object.entries({ ...expected, delete: 2, applyDeleted: 6 })) {
    expect(turns[name], name).toBeGreaterThanOrEqual(count)
    expect(turns[name], name).toBeLessThanOrEqual(count + 3)
  }
})
