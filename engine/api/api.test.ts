// The ports of one open engine: each port shows the state that the others have written.
import { afterEach, expect, it } from 'vitest'
import { asIndexUid, asTaskUid } from '../../format/ids.ts'
import { FakeDisk } from '../store/storage/index.ts'
import { codeOf } from '../testing/test-code.ts'
import { addDocuments, enqueue, openTestEngine, type TestEngine } from '../testing/test-engine.ts'

let open: TestEngine | null = null
afterEach(async () => {
  await open?.close()
  open = null
})
const opened = async (): Promise<TestEngine> =>
  (open = await openTestEngine(new FakeDisk().mount()))

it('documents and indexes: shows results of tasks, throws faults for unknown uids', async () => {
  const engine = await opened()
  expect(codeOf(() => engine.documents.index(asIndexUid('books')))).toBe('index_not_found')
  expect(codeOf(() => engine.documents.indexStats(asIndexUid('books')))).toBe('index_not_found')
  expect(codeOf(() => engine.documents.settings(asIndexUid('books')))).toBe('index_not_found')
  await addDocuments(engine, 'books', [{ id: 1 }, { id: 2 }])
  await engine.idle()
  expect(engine.documents.index(asIndexUid('books'))).toMatchObject({
    uid: 'books',
    primaryKey: 'id',
  })
  expect(engine.documents.indexStats(asIndexUid('books'))).toMatchObject({
    numberOfDocuments: 2,
    isIndexing: false,
  })
  expect(engine.documents.listIndexes(null).map(({ uid }) => uid)).toEqual(['books'])
  expect(engine.documents.listIndexes(() => false)).toEqual([])
  expect(engine.documents.settings(asIndexUid('books'))).toHaveProperty('rankingRules')
})

it('tasks: notifies watchers of tasks that finished together and of a restart', async () => {
  const engine = await opened()
  const announced: number[][] = []
  engine.tasks.watch((tasks) => announced.push([...tasks]))
  const content = { kind: 'indexCreation', primaryKey: null } as const
  const { uid } = await enqueue(engine, 'books', content)
  await engine.idle()
  expect(announced).toEqual([[uid]])
  expect(await engine.tasks.get(uid, null)).toMatchObject({ uid, status: 'succeeded' })
  await expect(engine.tasks.documents(uid, null)).rejects.toMatchObject({
    code: 'task_file_not_found',
  })
  await expect(engine.tasks.documents(asTaskUid(99), null)).rejects.toMatchObject({
    code: 'task_not_found',
  })
  expect(engine.tasks.needsRestart).toBe(false)
  await engine.tasks.compact()
  expect(engine.tasks.needsRestart).toBe(true)
})

it('administration: shows the latest features in all ports', async () => {
  const engine = await opened()
  expect(engine.administration.features.metrics).toBe(false)
  expect(await engine.administration.setFeatures({ metrics: true })).toMatchObject({
    metrics: true,
  })
  expect(engine.administration.features.metrics).toBe(true)
  expect(engine.administration.storageProblem()).toBe(null)
  expect(engine.administration.measures()).toMatchObject({ runningBatches: [] })
  expect([...engine.administration.stats(null).indexes]).toEqual([])
  await addDocuments(engine, 'books', [{ id: 1 }, { id: 2 }])
  await engine.idle()
  const { databaseSize, indexes } = engine.administration.stats(null)
  const books = indexes.get('books')!.indexSize
  expect(books).toBeGreaterThan(0)
  expect(engine.administration.sizes()).toEqual({
    databaseSize,
    indexes: new Map([['books', books]]),
  })
})
