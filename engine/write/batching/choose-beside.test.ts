// The small batch beside a long one: against a naive model, and what never runs beside it.
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { asBatchUid, asIndexUid, asTaskUid, type TaskUid } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { type TaskContent, taskKinds } from '../../task-kinds/index.ts'
import {
  LONG_BATCH_BYTES_MIN,
  LONG_BATCH_DOCUMENTS_MIN,
  SMALL_BATCH_BYTES_MAX,
  SMALL_BATCH_DOCUMENTS_MAX,
  STATUS,
  TaskState,
} from '../task-data/index.ts'
import { type Choice, chooseBatch, chooseBeside, isLong, mayHaveBeside } from './index.ts'

const NO_LIMITS = { tasksMax: Number.POSITIVE_INFINITY, bytesMax: Number.POSITIVE_INFINITY }
const LOOKUP = () => ({ primaryKey: null })

let state: TaskState

beforeEach(() => {
  state = new TaskState(taskKinds)
})

function add(indexUid: string | null, content: TaskContent): TaskUid {
  const uid = state.nextTask
  const index = indexUid === null ? null : asIndexUid(indexUid)
  const request = { indexUid: index, content, customMetadata: null }
  state.enqueued(taskKinds.recordOf(uid, 0, request), 100 + uid, 50)
  return uid
}

const imports = (bytes = 10, documents = 1): TaskContent => ({
  kind: 'documentAdditionOrUpdate',
  method: 'replace',
  primaryKey: null,
  skipCreation: false,
  allowIndexCreation: true,
  body: { file: 1, inline: null, bytes, documents },
})
const deletes = (count = 1): TaskContent => ({
  kind: 'documentDeletion',
  by: 'ids',
  ids: Array.from({ length: count }, (_, i) => String(i)),
})
const filters: TaskContent = { kind: 'documentDeletion', by: 'filter', filter: 'a = 1' }
const clears: TaskContent = { kind: 'documentDeletion', by: 'all' }
const sets: TaskContent = {
  kind: 'settingsUpdate',
  patch: {},
  isDeletion: false,
  allowIndexCreation: true,
}
const creates: TaskContent = { kind: 'indexCreation', primaryKey: null }
const compacts: TaskContent = { kind: 'indexCompaction' }
const dumps: TaskContent = { kind: 'dumpCreation', dumpUid: 'd' } as unknown as TaskContent
const cancels = (...uids: number[]): TaskContent => ({
  kind: 'taskCancelation',
  query: '?',
  targets: IdSet.of(uids),
})
const swaps = (a: string, b: string): TaskContent => ({
  kind: 'indexSwap',
  swaps: [{ indexes: [asIndexUid(a), asIndexUid(b)], rename: false }],
})

/** Begins the next batch. */
async function begun(): Promise<Choice> {
  const choice = (await chooseBatch(state, LOOKUP, NO_LIMITS, new Set()))!
  state.beginBatch(asBatchUid(0), 0, choice.uids)
  return choice
}

const beside = (long: Choice, free: readonly TaskUid[] = []) =>
  chooseBeside(state, LOOKUP, NO_LIMITS, long, new Set(free))

describe('a long batch', () => {
  it.each([
    ['many bytes', [imports(LONG_BATCH_BYTES_MIN)], true],
    ['many documents', [imports(10, LONG_BATCH_DOCUMENTS_MIN)], true],
    ['many bytes together', [1, 2].map(() => imports(LONG_BATCH_BYTES_MIN / 2)), true],
    ['many ids', [deletes(LONG_BATCH_DOCUMENTS_MIN)], true],
    ['less', [imports(LONG_BATCH_BYTES_MIN - 1, LONG_BATCH_DOCUMENTS_MIN - 1)], false],
    ['settings', [sets], false],
  ])('is long by its requests: %s', async (_, contents, expected) => {
    for (const content of contents) add('a', content)
    expect(isLong(state, await begun())).toBe(expected)
  })

  it.each([
    [imports(), true],
    [clears, true],
    [sets, true],
    [compacts, true],
    [creates, false],
    [{ kind: 'indexDeletion' } as TaskContent, false],
    [{ kind: 'indexUpdate', primaryKey: 'id', newUid: null } as TaskContent, false],
  ])('of one index may have small ones beside it: %j', async (content, expected) => {
    add('a', content)
    expect(mayHaveBeside(await begun())).toBe(expected)
  })

  it.each([
    ['a swap', swaps('a', 'b')],
    ['a dump', dumps],
    ['a cancelation', cancels(5)],
  ])('of several indexes may not: %s', async (_, content) => {
    add(null, content)
    const long = await begun()
    expect(mayHaveBeside(long)).toBe(false)
    expect(isLong(state, long)).toBe(false)
  })
})

describe('beside it', () => {
  const isSmall = (content: TaskContent): boolean => {
    if (content.kind === 'documentAdditionOrUpdate') {
      return content.body.bytes <= SMALL_BATCH_BYTES_MAX && content.body.documents <= 256
    }
    return content.kind === 'documentDeletion' && content.by === 'ids' && content.ids.length <= 256
  }
  const loadOf = (content: TaskContent): readonly [number, number] => {
    if (content.kind === 'documentAdditionOrUpdate') {
      return [content.body.bytes, content.body.documents]
    }
    const isByIds = content.kind === 'documentDeletion' && content.by === 'ids'
    return [0, isByIds ? content.ids.length : 0]
  }
  type Waiting = { readonly names: readonly string[]; readonly content: TaskContent }
  const name = fc.constantFrom('a', 'b', 'c', 'd')
  const ofIndex: fc.Arbitrary<TaskContent> = fc.oneof(
    { weight: 6, arbitrary: fc.nat(150).map((documents) => imports(1000, documents)) },
    { weight: 3, arbitrary: fc.nat(SMALL_BATCH_BYTES_MAX).map((bytes) => imports(bytes)) },
    { weight: 2, arbitrary: fc.nat(150).map(deletes) },
    fc.constantFrom(imports(SMALL_BATCH_BYTES_MAX + 1), imports(10, 257), deletes(257)),
    fc.constantFrom(filters, clears, sets, creates),
  )
  const waiting: fc.Arbitrary<Waiting> = fc.oneof(
    { weight: 9, arbitrary: fc.record({ names: fc.tuple(name), content: ofIndex }) },
    fc.tuple(name, name).map(([a, b]) => ({ names: [a, b], content: swaps(a, b) })),
  )

  /** Returns the uids of the batch; `tasks`: the waiting and running ones, by uid. */
  function expected(tasks: readonly Waiting[], running: ReadonlySet<number>): number[] | null {
    for (const [uid, { names, content }] of tasks.entries()) {
      const [own] = names
      const isFirst = !tasks.some((other, at) => at < uid && other.names.includes(own!))
      if (names.length > 1 || own === 'a' || running.has(uid) || !isFirst || !isSmall(content)) {
        continue
      }
      const batch: number[] = []
      let [bytes, documents] = [0, 0]
      for (const [at, other] of tasks.entries()) {
        if (!other.names.includes(own!)) continue
        const [moreBytes, moreDocuments] = loadOf(other.content)
        bytes += moreBytes
        documents += moreDocuments
        const fits = bytes <= SMALL_BATCH_BYTES_MAX && documents <= SMALL_BATCH_DOCUMENTS_MAX
        if (!isSmall(other.content) || !fits) break
        batch.push(at)
      }
      return batch
    }
    return null
  }

  it('runs the oldest small tasks of another index, as a naive model says', async () => {
    let found = 0
    await fc.assert(
      fc.asyncProperty(fc.array(waiting, { maxLength: 14 }), async (more) => {
        state = new TaskState(taskKinds)
        const tasks: Waiting[] = [{ names: ['a'], content: imports() }, ...more]
        for (const { names, content } of tasks) add(names.length > 1 ? null : names[0]!, content)
        const long = await begun()
        const choice = beside(long)
        expect(choice?.uids ?? null).toEqual(expected(tasks, new Set(long.uids)))
        if (choice !== null) found++
      }),
    )
    expect(found).toBeGreaterThan(10)
  })

  it('says why the batch ends', async () => {
    add('a', imports())
    add('b', imports(10, 200))
    add('b', imports(10, 57))
    const long = await begun()
    expect(beside(long)).toEqual({
      uids: [1],
      work: { kind: 'documents', indexUid: 'b', mayCreate: true },
      strategy: 'batched up to the limit of small batches that run beside a longer one',
    })
    state.tasks.setStatus(state.tasks.find(asTaskUid(2)), STATUS.canceled)
    expect(beside(long)?.strategy).toBe('batched all enqueued tasks')
  })

  it('creates no index while the long batch creates one', async () => {
    add('new', imports(LONG_BATCH_BYTES_MIN))
    const long = await begun()
    add('other', imports())
    const known = add('known', imports())
    const having = (...names: string[]) =>
      chooseBeside(
        state,
        (uid) => (names.includes(uid) ? { primaryKey: null } : null),
        NO_LIMITS,
        long,
        new Set(),
      )
    expect(having()).toBe(null)
    expect(having('known')?.uids).toEqual([known])
    expect(having('new')?.work.indexUid).toBe('other')
  })

  it.each([
    ['a dump', null, dumps],
    ['a deletion of tasks', null, { kind: 'taskDeletion', query: '?', targets: IdSet.of([9]) }],
    ['a compaction', 'b', compacts],
    ['an upgrade', null, { kind: 'upgradeDatabase', from: 'v1.12.0', to: 'v1.49.0' }],
    ['a topology change', null, { kind: 'networkTopologyChange', change: {} }],
  ])('nothing begins while one waits of all indexes: %s', async (_, index, content) => {
    add('a', imports())
    add('b', imports())
    const long = await begun()
    expect(beside(long)).not.toBeNull()
    add(index, content as TaskContent)
    expect(beside(long)).toBeNull()
  })

  it('nothing begins while copies of a leader are held', async () => {
    add('a', imports())
    add('b', imports())
    const long = await begun()
    state.network.held.add(asTaskUid(1))
    expect(beside(long)).toBeNull()
  })

  it('small batches run beside a compaction', async () => {
    const compaction = add('a', compacts)
    add('b', imports())
    const long = await begun()
    expect([long.uids, beside(long)?.uids]).toEqual([[compaction], [1]])
  })

  it('cancelations of tasks that are not in it run first', async () => {
    add('a', imports())
    add('b', imports())
    const long = await begun()
    const cancelation = add(null, cancels(1))
    expect(beside(long)).toBeNull()
    expect(beside(long, [cancelation])).toMatchObject({
      uids: [cancelation],
      work: { kind: 'taskCancelation' },
    })
    add(null, cancels(0))
    expect(beside(long, [cancelation])).toBeNull()
  })
})
