// Batches of random tasks against a model: running them leaves an index as the tasks would one by
// one, and no task is skipped or overtaken.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { asIndexUid, asTaskUid } from '../../format/ids.ts'
import { FLAG_MAY_CREATE, FLAG_RESET } from '../../format/tasks/index.ts'
import { type Autobatch, Autobatcher, type Candidate } from '../write/batching/autobatch.ts'
import { type TaskContent, taskKinds } from './index.ts'

/** The index of the model; null: it does not exist. */
type Index = { readonly documents: ReadonlySet<string>; readonly stopWords: unknown } | null

const EMPTY: Index = { documents: new Set(), stopWords: null }

const ids = fc.uniqueArray(fc.constantFrom('1', '2', '3', '4'), { minLength: 1 })
const content: fc.Arbitrary<TaskContent> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(ids, fc.boolean()).map(([all, may]) => importOf(all, may)) },
  ids.map((all): TaskContent => ({ kind: 'documentDeletion', by: 'ids', ids: all })),
  ids.map((all): TaskContent => ({ kind: 'documentDeletion', by: 'filter', filter: all })),
  fc.constant<TaskContent>({ kind: 'documentDeletion', by: 'all' }),
  {
    weight: 3,
    arbitrary: fc
      .record({ word: fc.nat(9), isDeletion: fc.boolean(), allowIndexCreation: fc.boolean() })
      .map(({ word, ...flags }): TaskContent => {
        return { kind: 'settingsUpdate', patch: { stopWords: [word] }, ...flags }
      }),
  },
  fc.constant<TaskContent>({ kind: 'indexDeletion' }),
  fc.constant<TaskContent>({ kind: 'indexCreation', primaryKey: null }),
)

function importOf(all: readonly string[], allowIndexCreation: boolean): TaskContent {
  const inline = Buffer.from(JSON.stringify(all))
  return {
    kind: 'documentAdditionOrUpdate',
    method: 'replace',
    body: { file: null, inline, bytes: inline.length, documents: all.length },
    primaryKey: null,
    skipCreation: false,
    allowIndexCreation,
  }
}

/** The task as the queue sees it: by its record alone. */
function candidateOf(uid: number, task: TaskContent): Candidate {
  const record = taskKinds.recordOf(asTaskUid(uid), 0, {
    indexUid: asIndexUid('a'),
    content: task,
    customMetadata: null,
  })
  const { queue, name } = taskKinds.of(record.kind)
  return {
    uid: asTaskUid(uid),
    kind: name,
    role: queue.of === 'index' ? queue.role(record.flags) : 'alone',
    primaryKey: null,
    mayCreate: (record.flags & (FLAG_MAY_CREATE | FLAG_RESET)) === FLAG_MAY_CREATE,
    bodyBytes: record.bodyBytes,
  }
}

/** Returns the index after one task; the task fails if its index is missing and stays so. */
function afterTask(index: Index, task: TaskContent): Index {
  if (task.kind === 'indexCreation') return index ?? EMPTY
  if (task.kind === 'indexDeletion') return null
  const current = index ?? (candidateOf(0, task).mayCreate ? EMPTY : null)
  if (current === null) return null
  const documents = new Set(current.documents)
  if (task.kind === 'documentAdditionOrUpdate') {
    const all = JSON.parse(Buffer.from(task.body.inline!).toString()) as string[]
    for (const id of all) documents.add(id)
  } else if (task.kind === 'documentDeletion') {
    if (task.by === 'all') documents.clear()
    else
      for (const id of task.by === 'ids' ? task.ids : (task.filter as string[])) {
        documents.delete(id)
      }
  } else if (task.kind === 'settingsUpdate') {
    return { documents, stopWords: task.patch['stopWords'] }
  }
  return { documents, stopWords: current.stopWords }
}

/** Returns the index after a batch: by the state that the batch came to, not task by task. */
function afterBatch(index: Index, batch: Autobatch, tasks: readonly TaskContent[]): Index {
  const { state, mayCreate } = batch
  if (state === 'alone') return afterTask(index, tasks[0]!)
  if (state === 'indexDeletion') return null
  let current = index ?? (mayCreate ? EMPTY : null)
  if (current === null) return null
  if (state === 'clear' || state === 'clearAndSettings')
    current = { ...current, documents: new Set() }
  const hasEffect = (task: TaskContent): boolean =>
    state !== 'clear' && (state !== 'clearAndSettings' || task.kind === 'settingsUpdate')
  for (const task of tasks.filter(hasEffect)) current = afterTask(current, task)
  return current
}

const shown = (index: Index): string =>
  index === null ? 'missing' : JSON.stringify([[...index.documents].sort(), index.stopWords])

it('batches leave an index as their tasks would one by one', () => {
  const sizes = new Map<number, number>()
  const limits = fc.record({ tasksMax: fc.integer({ min: 1, max: 9 }), bytesMax: fc.nat(60) })
  fc.assert(
    fc.property(fc.array(content, { maxLength: 12 }), fc.boolean(), limits, (tasks, has, most) => {
      let batched: Index = has ? EMPTY : null
      let single: Index = batched
      for (let next = 0; next < tasks.length; ) {
        const facts = batched === null ? null : { primaryKey: 'id' }
        const batcher = new Autobatcher(facts, most)
        for (let uid = next; uid < tasks.length; uid++) {
          if (!batcher.offer(candidateOf(uid, tasks[uid]!))) break
        }
        const batch = batcher.finish()
        // Tasks in order, without a gap, within the limits.
        expect(batch.uids).toEqual(batch.uids.map((_, i) => next + i))
        expect(batch.uids.length).toBeLessThanOrEqual(most.tasksMax)
        const all = batch.uids.map((uid) => tasks[uid]!)
        const bytes = all.map((task, uid) => candidateOf(uid, task).bodyBytes)
        const sum = bytes.reduce((total, one) => total + one, 0)
        if (all.length > 1) expect(sum).toBeLessThanOrEqual(Math.max(most.bytesMax, bytes[0]!))
        batched = afterBatch(batched, batch, all)
        for (const task of all) single = afterTask(single, task)
        const kinds = all.map((task) => JSON.stringify(task))
        expect([batch.state, kinds, shown(batched)]).toEqual([batch.state, kinds, shown(single)])
        next += all.length
        sizes.set(all.length, (sizes.get(all.length) ?? 0) + 1)
      }
    }),
    { numRuns: 150 },
  )
  expect(sizes.get(1)).toBeGreaterThan(10)
  const large = [...sizes].reduce((all, [size, count]) => (size > 2 ? all + count : all), 0)
  expect(large).toBeGreaterThan(10)
})
