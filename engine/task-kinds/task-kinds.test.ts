// The registry of kinds, and a test's own kind from its request to another database: a new kind
// needs its module and its row, and nothing else.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { MiB } from '../../format/bytes/index.ts'
import { asIndexUid, asTaskUid } from '../../format/ids.ts'
import { decodeEnqueued, encodeEnqueued } from '../../format/tasks/index.ts'
import { fillFromDump } from '../imports/import-dump.ts'
import { FakeDisk } from '../store/storage/index.ts'
import {
  addDocuments,
  EVERY_TASK,
  openTestEngine,
  type TestEngine,
} from '../testing/test-engine.ts'
import { type DeletionWork, TaskKinds } from '../write/task-data/index.ts'
import { TaskQueue } from '../write/tasks/index.ts'
import { MemoryTaskLog } from '../write/tasks/test-memory-log.ts'
import { encodedDeletion } from './documents/index.ts'
import { TASK_KINDS, taskKinds } from './index.ts'
import type { TaskKind } from './kind/index.ts'
import { ENDLESS, type TallyContent, tally } from './test-toy-kind.ts'

const deletionKind = taskKinds.named('documentDeletion')
const kinds = new TaskKinds<TaskKind>([...taskKinds.all, tally])
const PAGE = { from: null, limit: 20, reverse: false }

const open: TestEngine[] = []
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close()
})

async function opened(
  disk: FakeDisk,
  options: Parameters<typeof openTestEngine>[1] = {},
): Promise<TestEngine> {
  const engine = await openTestEngine(disk.mount(), { kinds, ...options })
  open.push(engine)
  return engine
}

async function close(engine: TestEngine): Promise<void> {
  open.splice(open.indexOf(engine), 1)
  await engine.close()
}

const tallies = (engine: TestEngine, prefix: string) => {
  const content: TallyContent = { kind: 'tally', prefix }
  return engine.tasks.enqueue({ indexUid: null, content, customMetadata: 'mine' })
}

async function untilRunning(engine: TestEngine): Promise<void> {
  for (let turns = 0; turns < 100_000; turns++) {
    if ((engine.administration.measures().runningBatches[0]?.progress?.steps.length ?? 0) > 1)
      return
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error('the batch does not run')
}

describe('all kinds', () => {
  it('have consecutive numbers in list order', () => {
    expect(taskKinds.all.map(({ number }) => number)).toEqual(TASK_KINDS.map((_, i) => i))
    expect(taskKinds.all.map(({ name }) => taskKinds.numberOf(name))).toEqual(
      TASK_KINDS.map((_, i) => i),
    )
  })

  it('have the numbers of the page of their records', () => {
    const page = readFileSync(new URL('../../format/tasks/TASKS.md', import.meta.url), 'utf8')
    const listed = /^Kinds: ([^(]*) \(/m.exec(page)![1]!
    const expected = TASK_KINDS.map((name, number) => `${number} ${name}`).join(', ')
    expect(listed.replaceAll('\n', ' ')).toBe(expected)
  })

  it('have a run function or are carried out by the queue', () => {
    const idle = taskKinds.all.filter(
      ({ runs, queueWork, documentCounts }) =>
        Object.keys(runs).length === 0 && queueWork === undefined && documentCounts === undefined,
    )
    expect(idle.map(({ name }) => name)).toEqual([])
  })

  it('have one run function for each batch', () => {
    const works = kinds.all.flatMap(({ runs }) => Object.keys(runs))
    expect(new Set(works).size).toBe(works.length)
  })

  it('have distinct places among the queues before the indexes', () => {
    const orders = kinds.ownQueues.map(({ queue }) => queue.order)
    expect(orders).toEqual(orders.map((_, i) => i))
    expect(kinds.ownQueues.map(({ name }) => name).slice(0, 3)).toEqual([
      'taskCancelation',
      'upgradeDatabase',
      'networkTopologyChange',
    ])
  })

  it('are refused if a number is used twice or missing', () => {
    const withNumber = (number: number): TaskKind => ({ ...tally, number }) as TaskKind
    const all = taskKinds.all
    expect(() => new TaskKinds([...all, withNumber(3)])).toThrow('without gaps')
    expect(() => new TaskKinds([...all, withNumber(20)])).toThrow('without gaps')
    const named = { ...tally, name: 'export' } as unknown as TaskKind
    expect(() => new TaskKinds([...all, named])).toThrow('distinct names')
  })
})

describe('a dump', () => {
  it('without a folder fails with a message that says so', async () => {
    const root = mkdtempSync(join(tmpdir(), 'dumps-'))
    writeFileSync(join(root, 'file'), '')
    const dumps = {
      folder: join(root, 'file', 'dumps'),
      describe: () => ({ type: 'system', link: '' }),
    }
    try {
      const engine = await opened(new FakeDisk(), { dumps })
      await engine.tasks.enqueueDump()
      await engine.idle()
      const task = await engine.tasks.get(asTaskUid(0), null)
      expect(task).toMatchObject({ status: 'failed', details: { dumpUid: null } })
      expect(task?.error?.message).toMatch(/^cannot make the folder of dumps: .*ENOTDIR/)
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  })
})

describe('a new kind', () => {
  it('is restored from its record', () => {
    const content: TallyContent = { kind: 'tally', prefix: 'b' }
    const request = { indexUid: null, content, customMetadata: null }
    const view = decodeEnqueued(encodeEnqueued(kinds.recordOf(asTaskUid(7), 1000, request)))
    expect(kinds.contentOf(view)).toEqual(content)
    expect(() => kinds.contentOf({ ...view, content: null })).toThrow('content')
    expect(() => taskKinds.contentOf(view)).toThrow('a kind of task')
  })

  it('is accepted without decoding its details; an encoded content is not encoded again', async () => {
    let looks = 0
    const looked = <T>(value: T): T => {
      looks++
      return value
    }
    const watched: TaskKind = {
      ...deletionKind,
      encode: (content) => looked(deletionKind.encode(content)),
      decode: (view) => looked(deletionKind.decode(view)),
      enqueuedDetails: (view, names) => looked(deletionKind.enqueuedDetails(view, names)),
    }
    const kinds = new TaskKinds(
      taskKinds.all.map((kind) => (kind === deletionKind ? watched : kind)),
    )
    const log = new MemoryTaskLog()
    const bodies = { list: async () => [], remove: async () => undefined }
    const options = { kinds, log, bodies, now: () => 1, report: () => undefined }
    const queue = await TaskQueue.open(options as never)
    const json = new TextEncoder().encode('["a","b"]')
    const content = encodedDeletion.byIds(2, json)
    const { uid } = await queue.register({
      indexUid: asIndexUid('a'),
      content,
      customMetadata: null,
    })
    expect(looks).toBe(0)
    expect((await queue.lists.task(uid, null))!.details).toMatchObject({ providedIds: 2 })
  })

  it('that deletes runs with the bytes of its record', () => {
    const json = new TextEncoder().encode('["a","b"]')
    const content = encodedDeletion.byIds(2, json)
    const record = taskKinds.recordOf(asTaskUid(0), 1, {
      indexUid: asIndexUid('a'),
      content,
      customMetadata: null,
    })
    const view = decodeEnqueued(encodeEnqueued(record))
    const work = taskKinds.contentToRun(view) as DeletionWork
    expect(work).toEqual({ kind: 'documentDeletion', by: 'ids', json, count: 2 })
    expect(work.json.buffer).toBe(view.content!.buffer)
  })

  it('waits, survives a restart, runs alone and is listed', async () => {
    const disk = new FakeDisk()
    const before = await opened(disk, { batchTasksMax: 0 })
    const accepted = await tallies(before, 'b')
    expect(accepted).toMatchObject({ kind: 'tally', status: 'enqueued', customMetadata: 'mine' })
    expect((await before.tasks.get(asTaskUid(0), null))!.details).toEqual({
      prefix: 'b',
      tallied: null,
    })
    await close(before)
    const engine = await opened(disk, { batchTasksMax: 0 })
    expect(await engine.tasks.get(asTaskUid(0), null)).toMatchObject({
      status: 'enqueued',
      kind: 'tally',
    })
    await addDocuments(engine, 'books', [{ id: 1 }, { id: 2 }])
    await close(engine)

    const running = await opened(disk)
    await running.idle()
    // Its queue precedes those of indexes, so there were no documents yet.
    expect(await running.tasks.get(asTaskUid(0), null)).toMatchObject({
      status: 'succeeded',
      details: { prefix: 'b', tallied: 0 },
    })
    await tallies(running, 'b')
    await running.idle()
    const filter = { ...EVERY_TASK, kinds: ['tally'] }
    const { results, total } = await running.tasks.list(filter, PAGE, null)
    expect([total, results.map(({ uid, details }) => [uid, details?.['tallied']])]).toEqual([
      2,
      [
        [2, 2],
        [0, 0],
      ],
    ])
    const batches = await running.tasks.batches(filter, PAGE, null)
    expect(batches.results[0]).toMatchObject({
      details: { prefix: 'b', tallied: 2 },
      stats: { types: { tally: 1 }, progressTrace: { 'processing tasks > counting': /./ } },
      batchStrategy:
        'created batch containing only task with id 2 of type `tally` ' +
        'that cannot be batched with any other task.',
    })
    expect(running.administration.measures().tasks.kinds).toMatchObject({ tally: 2, export: 0 })
    // Restricted callers see no task that is not tied to one index.
    expect(await running.tasks.get(asTaskUid(0), () => true)).toBeNull()
  })

  it('shows its progress, and is canceled while it runs', async () => {
    const engine = await opened(new FakeDisk())
    await tallies(engine, ENDLESS)
    await untilRunning(engine)
    const steps = engine.administration.measures().runningBatches[0]?.progress?.steps
    expect(steps?.at(-1)).toEqual({ currentStep: 'waiting', finished: 0, total: 1 })
    await engine.tasks.enqueueCancelation({ ...EVERY_TASK, uids: [asTaskUid(0)] }, '?uids=0', null)
    await engine.idle()
    expect(await engine.tasks.get(asTaskUid(0), null)).toMatchObject({
      status: 'canceled',
      canceledBy: 1,
      details: { prefix: ENDLESS, tallied: 0 },
    })
  })

  it('is restored from a dump, finished or waiting', async () => {
    const target = new FakeDisk().mount()
    const dumps = {
      folder: '/dumps',
      fileSystem: target,
      describe: () => ({ type: 'invalid_request', link: '' }),
    }
    const engine = await opened(new FakeDisk(), { dumps })
    await tallies(engine, 'b')
    await engine.idle()
    const dump = engine.tasks.enqueueDump()
    await tallies(engine, 'waits')
    const { uid } = await dump
    await engine.idle()
    const name = `${(await engine.tasks.get(uid, null))!.details!['dumpUid']}.dump`
    const disk = new FakeDisk()
    await fillFromDump(disk.mount(), {
      path: '',
      version: '1.50.0',
      dump: { folder: '', name },
      dumpFileSystem: target,
      indexWorker: null,
      indexingMemoryMax: 16 * MiB,
      indexingThreads: 1,
      say: () => undefined,
      progress: () => undefined,
      report: () => undefined,
      kinds,
    })
    const imported = await opened(disk, { batchTasksMax: 0 })
    expect(await imported.tasks.get(asTaskUid(0), null)).toMatchObject({
      kind: 'tally',
      status: 'succeeded',
      details: { prefix: 'b', tallied: 0 },
    })
    expect(await imported.tasks.get(asTaskUid(2), null)).toMatchObject({
      kind: 'tally',
      status: 'enqueued',
      details: { prefix: 'waits', tallied: null },
    })
  })
})
