// The tasks of an engine in memory: when they run, what ends them, and who is notified.
import { afterEach, expect, test } from 'vitest'
import type { TaskUid } from '../../format/ids.ts'
import { FakeDisk } from '../store/storage/index.ts'
import {
  addDocuments,
  allTasks,
  documentsOf,
  enqueue,
  openTestEngine,
  type TestEngine,
} from '../testing/test-engine.ts'

const open: TestEngine[] = []
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close()
})

async function opened(options: Parameters<typeof openTestEngine>[1], disk = new FakeDisk()) {
  const engine = await openTestEngine(disk.mount(), options)
  open.push(engine)
  return engine
}

const statuses = async (engine: TestEngine) => (await allTasks(engine)).map(({ status }) => status)

const until = (attribute: string) =>
  ({
    kind: 'settingsUpdate',
    patch: { expiresAtAttribute: attribute },
    isDeletion: false,
    allowIndexCreation: true,
  }) as const

test('each batch is reported with its tasks', async () => {
  const batches: (readonly [batch: number, tasks: readonly TaskUid[]])[] = []
  const engine = await opened({ onBatch: (batch, tasks) => void batches.push([batch, [...tasks]]) })
  await addDocuments(engine, 'a', [{ id: 1 }])
  await engine.idle()
  await addDocuments(engine, 'a', [{ id: 2 }])
  await engine.idle()
  expect(batches).toEqual([
    [0, [0]],
    [1, [1]],
  ])
  expect(engine.follows ?? null).toBeNull()
})

test('a process that only upgrades runs no other task', async () => {
  const disk = new FakeDisk()
  const before = await opened({ batchTasksMax: 0 }, disk)
  await addDocuments(before, 'a', [{ id: 1 }])
  await before.idle()
  expect(await statuses(before)).toEqual(['enqueued'])
  await open.pop()!.close()
  const engine = await opened({ onlyUpgrade: true }, disk)
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
  expect(await statuses(engine)).toEqual(['enqueued'])
})

test('tasks wait for the next start, which runs them', async () => {
  const disk = new FakeDisk()
  const before = await opened({ batchTasksMax: 0 }, disk)
  await addDocuments(before, 'a', [{ id: 1 }])
  await open.pop()!.close()
  const engine = await opened({}, disk)
  await engine.idle()
  expect(await statuses(engine)).toEqual(['succeeded'])
  expect(await documentsOf(engine, 'a')).toEqual([{ id: 1 }])
})

test('expired documents are hidden at once, and removed between batches', async () => {
  let wallMs = 1000
  const engine = await opened({ wallMs: () => wallMs } as never)
  await enqueue(engine, 'a', until('until'))
  await addDocuments(engine, 'a', [{ id: 1, until: 5 }, { id: 2 }])
  await engine.allMerged()
  expect(await documentsOf(engine, 'a')).toHaveLength(2)
  wallMs = 6000
  await engine.allMerged()
  expect(engine.administration.stats(null).indexes.get('a')).toMatchObject({
    numberOfDocuments: 1,
  })
})
