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

test('a batch is a line with its counts, and a span with its steps inside of each other', async () => {
  const lines: string[] = []
  const write = (line: string): void => void lines.push(line)
  const log = new Log({ level: 'INFO', mode: 'json', write, now: () => 0 })
  const spans: unknown[] = []
  const types = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`type${i}`, i]))
  const batch = {
    uid: 7,
    startedAt: 5_000_000,
    finishedAt: 5_030_500,
    batchStrategy: 'all of one index',
    stats: {
      status: { succeeded: 3, canceled: 1 },
      types,
      indexUids: Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`type${i}`, i])),
      progressTrace: { a: 10, 'a > x': 4, 'a > x > deep': 1, 'a > y': 6, b: 20 },
    },
  }
  const ended = { get: async () => ({ batchUid: 7 }), batch: async () => batch }
  const given = log.for('svc::engine')
  Object.defineProperty(given, 'stream', {
    value: { span: (target: string, span: unknown) => spans.push([target, span]) },
  })
  const parent = { for: () => given } as unknown as Log
  batchLog(ended as unknown as Parameters<typeof batchLog>[0], parent)([asTaskUid(1)])
  await new Promise((done) => setImmediate(done))
  const counts = Array.from({ length: 10 }, (_, i) => `${i} type${i}`).join(', ')
  expect(lines.map((line) => JSON.parse(line).span)).toEqual([
    {
      name: 'batch',
      uid: 7,
      types: `${counts}, 2 more`,
      indexes: counts,
      ended: '3 succeeded, 1 canceled',
      strategy: 'all of one index',
    },
  ])
  const step = (name: string, beganAt: number, endedAt: number, parts: unknown[] = []) => ({
    name,
    thread: 'index',
    beganAt,
    endedAt,
    parts,
  })
  const inside = [step('x', 5000, 5004, [step('deep', 5000, 5001)]), step('y', 5004, 5010)]
  const steps = [step('a', 5000, 5010, inside), step('b', 5010, 5030)]
  expect(spans).toEqual([['svc::engine', step('batch 7', 5000, 5030.5, steps)]])
})
