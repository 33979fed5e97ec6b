// Filters of tasks, compared with a filter over plain objects.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asIndexUid, asTaskUid } from '../../../format/ids.ts'
import { STATUS } from './kinds.ts'
import { NO_FILTER, type TaskFilter } from './lists.ts'
import { countByStatus, matcherOf, matchingUids, oldestFinished } from './match.ts'
import type { TaskState } from './state.ts'
import { CHUNK_ROWS, rowIn } from './task-table.ts'
import { KINDS, NAMING, stateWith, viewOf } from './test-tasks.ts'
import { TASK_STATUSES } from './types.ts'

const NAMES = ['a', 'b', 'c']
const small = fc.integer({ min: 0, max: 6 })
const time = fc.option(small, { nil: null })

type Plain = {
  readonly status: (typeof TASK_STATUSES)[number]
  readonly kind: number
  readonly index: string | null
  readonly others: readonly string[]
  readonly batch: number
  readonly canceledBy: number
  readonly at: readonly number[]
  readonly isRemoved: boolean
}

const TASK: fc.Arbitrary<Plain> = fc.record({
  status: fc.constantFrom(...TASK_STATUSES),
  kind: fc.integer({ min: 0, max: KINDS.count - 1 }),
  index: fc.constantFrom(null, ...NAMES),
  others: fc.subarray(NAMES, { maxLength: 2 }),
  batch: small,
  canceledBy: small,
  at: fc.tuple(small, small, small),
  isRemoved: fc.boolean(),
})

const listOf = <T>(one: fc.Arbitrary<T>) =>
  fc.option(fc.array(one, { maxLength: 3 }), { nil: null })
const uids = listOf(small) as fc.Arbitrary<never>
const FILTER: fc.Arbitrary<TaskFilter> = fc.record({
  uids,
  batchUids: uids,
  canceledBy: uids,
  kinds: listOf(fc.constantFrom(...KINDS.names)),
  statuses: listOf(fc.constantFrom(...TASK_STATUSES)),
  indexUids: listOf(fc.constantFrom('a', 'b', 'never').map(asIndexUid)),
  afterEnqueuedAt: time,
  beforeEnqueuedAt: time,
  afterStartedAt: time,
  beforeStartedAt: time,
  afterFinishedAt: time,
  beforeFinishedAt: time,
})
/** A filter with few restrictions, so that it matches something. */
const LOOSE = fc
  .tuple(FILTER, fc.subarray(Object.keys(NO_FILTER), { maxLength: 2 }))
  .map(([filter, chosen]): TaskFilter => {
    const named = Object.entries(filter).filter(([name]) => chosen.includes(name))
    return { ...NO_FILTER, ...Object.fromEntries(named) }
  })

function stateOf(tasks: readonly Plain[]): TaskState {
  const state = stateWith(
    tasks.map(({ kind, index, others, at }, uid) =>
      viewOf(uid, { kind, index, names: kind === NAMING ? others : [], enqueuedAt: at[0]! }),
    ),
  )
  for (const [uid, { status, batch, canceledBy, at, isRemoved }] of tasks.entries()) {
    const row = state.tasks.find(asTaskUid(uid))
    const [chunk, r] = [state.tasks.chunkOf(row), rowIn(row)]
    state.tasks.setStatus(row, STATUS[status])
    chunk.batch[r] = batch as never
    chunk.canceledBy[r] = canceledBy as never
    chunk.startedAt[r] = at[1]!
    chunk.finishedAt[r] = at[2]!
    if (isRemoved) state.tasks.remove(row)
  }
  return state
}

const namesOf = ({ kind, index, others }: Plain): readonly string[] => [
  ...(index === null ? [] : [index]),
  ...(kind === NAMING ? others : []),
]

function passes(task: Plain, uid: number, filter: TaskFilter): boolean {
  const within = (value: number, after: number | null, before: number | null): boolean =>
    (after === null || value > after) && (before === null || value < before)
  const has = (list: readonly unknown[] | null, value: unknown): boolean =>
    list === null || list.includes(value)
  const [enqueuedAt, startedAt, finishedAt] = task.at as [number, number, number]
  return (
    !task.isRemoved &&
    has(filter.uids, uid) &&
    has(filter.batchUids, task.batch) &&
    has(filter.canceledBy, task.canceledBy) &&
    has(filter.kinds, KINDS.names[task.kind]) &&
    has(filter.statuses, task.status) &&
    (filter.indexUids === null ||
      namesOf(task).some((name) => filter.indexUids!.includes(asIndexUid(name)))) &&
    within(enqueuedAt, filter.afterEnqueuedAt, filter.beforeEnqueuedAt) &&
    within(startedAt, filter.afterStartedAt, filter.beforeStartedAt) &&
    within(finishedAt, filter.afterFinishedAt, filter.beforeFinishedAt)
  )
}

/** A restricted caller, or one that filters by index, sees no global task. */
function isSeen(task: Plain, filter: TaskFilter, visible: readonly string[] | null): boolean {
  if (visible === null && filter.indexUids === null) return true
  if (KINDS.isGlobal(task.kind)) return false
  return visible === null || namesOf(task).every((name) => visible.includes(name))
}

describe('matching tasks', () => {
  it('are those that pass the filter and that the caller may see', () => {
    const visibility = fc.option(fc.subarray(NAMES), { nil: null })
    const tasks = fc.array(TASK, { maxLength: 12 })
    const property = fc.property(tasks, LOOSE, visibility, (plain, filter, visible) => {
      const state = stateOf(plain)
      const isVisible = visible === null ? null : (uid: string) => visible.includes(uid)
      const expected = plain.flatMap((task, uid) =>
        passes(task, uid, filter) && isSeen(task, filter, visible) ? [uid] : [],
      )
      expect([...matchingUids(state, filter, isVisible)]).toEqual(expected)
    })
    fc.assert(property, { numRuns: 300 })
  })

  it('are counted without reading rows if only statuses are restricted', () => {
    const tasks = fc.array(TASK, { minLength: 1, maxLength: 12 })
    const property = fc.property(tasks, LOOSE, (plain, filter) => {
      const state = stateOf(plain)
      const count = countByStatus(state.tasks.chunks[0]!, matcherOf(state, filter))
      const { statuses: _, ...others } = filter
      const isPlain = Object.values(others).every((one) => one === null)
      expect(count !== null).toBe(isPlain)
      if (count !== null) expect(count).toBe(matchingUids(state, filter, null).length)
    })
    fc.assert(property, { numRuns: 150 })
  })

  it('are found by uid in every chunk, at its ends and in gaps', () => {
    const state = stateWith(
      Array.from({ length: 2 * CHUNK_ROWS + 5 }, (_, i) => viewOf(i * 2 + 1, { index: 'a' })),
    )
    const last = (2 * CHUNK_ROWS + 4) * 2 + 1
    const wanted = [0, 1, 2, 3, 2 * CHUNK_ROWS - 1, 2 * CHUNK_ROWS + 1, last, last + 2, 3]
    const filter = { ...NO_FILTER, uids: wanted.map(asTaskUid) }
    const found = [1, 3, 2 * CHUNK_ROWS - 1, 2 * CHUNK_ROWS + 1, last]
    expect([...matchingUids(state, filter, null)]).toEqual(found)
    expect(matchingUids(state, { ...NO_FILTER, uids: [] }, null)).toHaveLength(0)
  })

  it('ask the server once for each index', () => {
    const state = stateWith([0, 1, 2, 3].map((uid) => viewOf(uid, { index: 'ab'[uid % 2]! })))
    const asked: string[] = []
    const visible = (uid: string): boolean => {
      asked.push(uid)
      return uid === 'a'
    }
    expect([...matchingUids(state, NO_FILTER, visible)]).toEqual([0, 2])
    expect(asked).toEqual(['a', 'b'])
  })
})

it('the oldest finished tasks are those of any final status, up to a number', () => {
  const tasks = fc.array(TASK, { maxLength: 12 })
  const property = fc.property(tasks, small, (plain, count) => {
    const finished = plain.flatMap(({ status, isRemoved }, uid) =>
      isRemoved || status === 'enqueued' || status === 'processing' ? [] : [uid],
    )
    expect([...oldestFinished(stateOf(plain), count)]).toEqual(finished.slice(0, count))
  })
  fc.assert(property, { numRuns: 100 })
})
