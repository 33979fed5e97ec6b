// The lines of the log about batches: a failed task is a warning at each level that shows some.
import { expect, test } from 'vitest'
import { FakeDisk } from '../../engine/store/storage/index.ts'
import { enqueue, openTestEngine } from '../../engine/testing/test-engine.ts'
import { asTaskUid } from '../../format/ids.ts'
import { Log } from '../log/index.ts'
import { batchLog } from './batch-log.ts'

async function linesOf(level: 'WARN' | 'ERROR'): Promise<string[]> {
  const lines: string[] = []
  const log = new Log({ level, mode: 'json', write: (line) => lines.push(line), now: () => 0 })
  const engine = await openTestEngine(new FakeDisk().mount())
  engine.tasks.watch(batchLog(engine.tasks, log))
  await enqueue(engine, 'films', { kind: 'indexCreation', primaryKey: null })
  await enqueue(engine, `none\n${'x'.repeat(3000)}`, { kind: 'indexDeletion' })
  await engine.idle()
  await new Promise((done) => setImmediate(done))
  await engine.close()
  return lines
}

test('a failed task is a warning, with what failed and why', async () => {
  const [line, ...others] = await linesOf('WARN')
  expect(others).toEqual([])
  const { level, target, fields } = JSON.parse(line!)
  expect([level, target]).toEqual(['WARN', 'svc::engine'])
  expect(fields).toMatchObject({
    message: 'task failed',
    uid: 1,
    type: 'indexDeletion',
    code: 'index_not_found',
    error: expect.stringMatching(/^Index `none\n/),
  })
  expect(fields.error.length).toBeLessThan(2100)
})

test('of many failed tasks the first hundred are shown, and how many more there are', async () => {
  const lines: string[] = []
  const log = new Log({
    level: 'WARN',
    mode: 'json',
    write: (line) => lines.push(line),
    now: () => 0,
  })
  const stats = { status: { failed: 130 }, types: {}, indexUids: {}, progressTrace: {} }
  const failed = { kind: 'indexDeletion', indexUid: 'a', error: { code: 'internal', message: 'x' } }
  const ended = {
    get: async () => ({ batchUid: 7 }),
    batch: async () => ({ uid: 7, startedAt: 0, finishedAt: 1, stats }),
    list: async (_filter: unknown, { limit }: { limit: number }) => ({
      results: Array.from({ length: limit }, (_, uid) => ({ uid, ...failed })),
      total: 130,
    }),
  }
  batchLog(ended as unknown as Parameters<typeof batchLog>[0], log)([asTaskUid(1)])
  await new Promise((done) => setImmediate(done))
  expect(lines).toHaveLength(101)
  expect(JSON.parse(lines[99]!).fields).toMatchObject({ uid: 99, index: 'a', code: 'internal' })
  const { message, tasks } = JSON.parse(lines[100]!).fields
  expect([message, tasks]).toEqual(['further tasks of the batch failed', 30])
})

test('an error level shows none of them', async () => {
  expect(await linesOf('ERROR')).toEqual([])
})
