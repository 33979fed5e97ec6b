// The effect of records on the state of the queue.
import { describe, expect, it } from 'vitest'
import { asBatchUid, asTaskUid } from '../../../format/ids.ts'
import { UID_NONE, utf8Of } from '../../../format/tasks/index.ts'
import { countTasks } from './counts.ts'
import { finishedDetails, STATUS } from './kinds.ts'
import { Names, NO_NAME } from './names.ts'
import { countEndedSecrets, holdsEndedSecret } from './secrets.ts'
import { TaskState } from './state.ts'
import { packMetadata } from './task-network.ts'
import { FLAG_INLINE, FLAG_METADATA, FLAG_NAMED } from './task-table.ts'
import {
  finishedOf,
  KINDS,
  NAMING,
  PLAIN,
  RETRIED,
  rowOfTask,
  SECRET,
  setStatus,
  stateWith,
  viewOf,
} from './test-tasks.ts'
import type { TaskStatus } from './types.ts'

const uidsOf = (...uids: readonly number[]) => uids.map(asTaskUid)
const [T0, T1, T2] = uidsOf(0, 1, 2) as [never, never, never]
const B = asBatchUid

describe('an accepted task', () => {
  it('has a row with the members of its record', () => {
    const state = stateWith([])
    const view = viewOf(3, {
      kind: NAMING,
      index: 'a',
      names: ['b', 'c'],
      flags: 5,
      count: 2,
      bodyBytes: 2 ** 33,
      metadata: utf8Of('m'),
      inline: new Uint8Array(1),
    })
    state.enqueued(view, 40, 2 ** 33)
    expect(rowOfTask(state, 3)).toMatchObject({
      status: STATUS.enqueued,
      kind: NAMING,
      flags: 5 | FLAG_NAMED | FLAG_METADATA | FLAG_INLINE,
      index: state.names.find('a'),
      count: 2,
      bodyBytes: 2 ** 32 - 1,
      recordBytes: 2 ** 32 - 1,
      enqueuedAt: 30,
      offset: 40,
    })
    const row = state.tasks.find(asTaskUid(3))
    const names = state.indexesOf(row).map((number) => state.names.textOf(number))
    expect(names).toEqual(['a', 'b', 'c'])
    expect([state.nextTask, state.nextApplied]).toEqual([4, 4])
    expect([state.pending.oldest(), [...state.pending.indexes].length]).toEqual([3, 3])
    state.enqueued(viewOf(5, { flags: 1 }), 60, 1)
    expect(rowOfTask(state, 5).flags).toBe(1)
    expect(state.indexesOf(state.tasks.find(asTaskUid(5)))).toEqual([])
    expect(state.pending.oldestOfIndex(NO_NAME)).toBe(5)
  })

  it('needs its body until it ends', () => {
    const state = stateWith([viewOf(0, { bodyFile: 7 }), viewOf(1, { bodyFile: 4 }), viewOf(2)])
    expect([state.neededBodies(), state.lastBodyFile]).toEqual([[7, 4], 7])
    state.network.unconfirmed.heldBodies.set(asTaskUid(9), 1)
    expect(state.neededBodies()).toEqual([7, 4, 1])
  })

  it('of a leader waits for its remotes, with the bytes of its file', () => {
    const network = { kind: 'leader', version: 'v', remotes: ['x'] } as const
    const metadata = utf8Of(packMetadata(null, network)!)
    const state = stateWith([
      viewOf(0, { metadata, bodyBytes: 5, bodyFile: 1 }),
      viewOf(1, { metadata, bodyBytes: 9 }),
    ])
    expect(state.network.unconfirmed.dueCount('x')).toBe(2)
    expect(state.network.unconfirmed.fileBytesDue('x')).toBe(5)
    const answers = { x: { taskUid: asTaskUid(4), error: null } } as const
    expect(state.answered(asTaskUid(9), answers)).toBeNull()
    expect(state.network.unconfirmed.dueCount('x')).toBe(2)
    state.answered(T1, answers)
    expect(state.network.unconfirmed.dueCount('x')).toBe(1)
  })

  it.each([
    [{ kind: KINDS.count }, 'a kind'],
    [{}, '> 3'],
  ])('is refused if the log cannot hold it (%j)', (more, words) => {
    const state = stateWith([viewOf(3)])
    const uid = 'kind' in more ? 4 : 3
    expect(() => state.enqueued(viewOf(uid, more), 9, 1)).toThrow(words)
  })
})

describe('a finished task of a rewritten log', () => {
  it('has a row with the members of its record', () => {
    const state = stateWith([])
    const more = { batch: B(2), canceledBy: asTaskUid(8), startedAt: 5, finishedAt: 6, count: 3 }
    state.finishedTask(
      finishedOf(1, { ...more, names: [utf8Of('b')], metadata: utf8Of('m') }),
      40,
      9,
    )
    expect(rowOfTask(state, 1)).toMatchObject({
      status: STATUS.succeeded,
      flags: FLAG_NAMED | FLAG_METADATA,
      offset: -40,
      recordBytes: 9,
      ...more,
    })
    state.finishedTask(finishedOf(2, { status: STATUS.canceled }), 50, 9)
    const { flags, startedAt, finishedAt } = rowOfTask(state, 2)
    expect([flags, startedAt, finishedAt]).toEqual([0, Number.NaN, Number.NaN])
    expect([state.pending.oldest(), state.nextTask]).toEqual([-1, 3])
  })

  it.each([0, 1, 5])('is refused with the status %i', (status) => {
    const state = stateWith([])
    expect(() => state.finishedTask(finishedOf(1, { status }), 9, 1)).toThrow('a final status')
    expect(state.tasks.size).toBe(0)
  })

  it('that came from another instance is remembered with its end; that of a leader is not', () => {
    const state = stateWith([])
    const origin = { remoteName: 'x', taskUid: asTaskUid(70), networkVersion: 'v' }
    const source = { remoteName: 'x', indexName: 'i', documentCount: 1, key: null }
    const more = { indexCount: 1, totalDocuments: 1 }
    const networks = [
      { kind: 'origin', origin },
      { kind: 'leader', version: 'v', remotes: ['x'] },
      { kind: 'import', source: { ...source, ...more }, change: origin },
    ] as const
    for (const [uid, network] of networks.entries()) {
      const metadata = utf8Of(packMetadata(null, network)!)
      state.finishedTask(finishedOf(uid, { metadata, status: STATUS.failed }), 9, 1)
    }
    expect(state.network.copyOf(origin)).toBe(0)
    expect(state.network.originOf(T0)).toBeNull()
    expect(state.network.unconfirmed.dueCount('x')).toBe(0)
    expect(state.network.importsOf('v')).toMatchObject([{ hasEnded: true, hasFailed: true }])
  })
})

describe('a batch', () => {
  const views = [
    viewOf(0, { index: 'a' }),
    viewOf(1, { kind: NAMING, index: 'a', names: ['b'] }),
    viewOf(2, { kind: RETRIED }),
  ]

  it('begins with all of its tasks', () => {
    const state = stateWith(views)
    state.beginBatch(B(4), 99, [T0, T1])
    for (const uid of [0, 1]) {
      expect(rowOfTask(state, uid)).toMatchObject({
        status: STATUS.processing,
        batch: 4,
        startedAt: 99,
        finishedAt: Number.NaN,
      })
    }
    const row = state.batches.find(B(4))
    const { kinds, statuses, startedAt, finishedAt, tasks } = state.batches
    expect([kinds[row], statuses[row], startedAt[row], finishedAt[row], tasks[row]]).toEqual([
      (1 << PLAIN) | (1 << NAMING),
      1 << STATUS.processing,
      99,
      Number.NaN,
      2,
    ])
    const indexes = state.batches.indexesOf(row).map((number) => state.names.textOf(number))
    expect([indexes, state.nextBatch]).toEqual([['a', 'b'], 5])
    expect(() => state.beginBatch(B(5), 1, uidsOf(77))).toThrow('exist')
  })

  it('is as if it had never begun when it is requeued', () => {
    const state = stateWith(views)
    state.beginBatch(B(4), 99, [T0, T1])
    setStatus(state, 1, 'succeeded')
    state.requeueBatch(B(4), [T0, T1, ...uidsOf(77)])
    expect(rowOfTask(state, 0)).toMatchObject({
      status: STATUS.enqueued,
      batch: UID_NONE,
      startedAt: Number.NaN,
    })
    expect(rowOfTask(state, 1)).toMatchObject({ status: STATUS.succeeded, batch: 4 })
    expect([state.batches.find(B(4)), state.nextBatch]).toEqual([-1, 4])
    state.beginBatch(B(4), 1, [T0])
    state.beginBatch(B(5), 1, [T2])
    state.requeueBatch(B(4), [T0])
    expect(state.nextBatch).toBe(6)
  })

  it('is noted when its record is in the log', () => {
    const state = stateWith(views)
    state.beginBatch(B(4), 99, [T0])
    state.batchSaved(B(4), 800)
    expect([state.batches.offset[state.batches.find(B(4))], state.nextSavedBatch]).toEqual([800, 5])
    state.batchSaved(B(2), 900)
    expect(state.nextSavedBatch).toBe(5)
  })

  it('may be shown to begin early, and not', () => {
    const state = stateWith(views)
    expect([state.beginEarly(T0, 7), state.beginEarly(T0, 8)]).toEqual([true, false])
    expect(state.beginEarly(asTaskUid(77), 7)).toBe(false)
    expect(rowOfTask(state, 0)).toMatchObject({ status: STATUS.processing, startedAt: 7 })
    expect([state.endEarly(T0), state.endEarly(T0)]).toEqual([true, false])
    expect(rowOfTask(state, 0)).toMatchObject({ status: STATUS.enqueued, startedAt: Number.NaN })
    expect(state.endEarly(asTaskUid(77))).toBe(false)
    state.beginBatch(B(4), 99, [T0])
    expect(state.endEarly(T0)).toBe(false)
  })
})

it.each<[TaskStatus, readonly boolean[]]>([
  ['enqueued', [true, true, false, false]],
  ['processing', [true, true, false, false]],
  ['succeeded', [false, false, true, true]],
  ['failed', [false, true, false, true]],
  ['canceled', [false, false, false, true]],
])('a task that is %s', (status, [waits, waitsIfRetried, hasRun, isFinished]) => {
  const state = stateWith([viewOf(0), viewOf(1, { kind: RETRIED })])
  for (const uid of [0, 1]) setStatus(state, uid, status)
  expect([state.waits(T0), state.waits(T1)]).toEqual([waits, waitsIfRetried])
  expect([state.hasRun(T0), state.isFinished(T0)]).toEqual([hasRun, isFinished])
  // One that was deleted may have run.
  const gone = asTaskUid(9)
  expect([state.waits(gone), state.hasRun(gone), state.isFinished(gone)]).toEqual([
    false,
    true,
    false,
  ])
})

it('queues that are built at the end of a replay are those of the tasks that wait', () => {
  const state = new TaskState(KINDS)
  state.isReplaying = true
  const kinds = [PLAIN, RETRIED, PLAIN, SECRET, RETRIED, PLAIN]
  for (const [uid, kind] of kinds.entries()) {
    state.enqueued(viewOf(uid, { kind, index: kind === PLAIN ? 'a' : null }), uid + 1, 1)
  }
  setStatus(state, 0, 'succeeded')
  setStatus(state, 1, 'failed')
  state.tasks.remove(state.tasks.find(T2))
  expect(state.pending.oldest()).toBe(-1)
  state.isReplaying = false
  for (const _ of [1, 2]) {
    state.rebuildPending()
    expect(state.pending.oldestOfIndexes()).toBe(5)
    expect(state.pending.allOfKind(RETRIED)).toEqual([1, 4])
    expect(state.pending.allOfKind(SECRET)).toEqual([3])
  }
})

it('names have numbers from 1, and the same number each time', () => {
  const names = new Names()
  expect([names.numberOf(null), names.numberOfBytes(null), names.textOf(NO_NAME)]).toEqual([
    NO_NAME,
    NO_NAME,
    null,
  ])
  expect(names.indexUid(NO_NAME)).toBeNull()
  const bytes = utf8Of('a').slice()
  expect([names.numberOfBytes(bytes), names.numberOf('b'), names.numberOf('a')]).toEqual([1, 2, 1])
  // The caller may reuse its bytes.
  bytes.set(utf8Of('b'))
  expect([names.numberOfBytes(bytes), names.numberOfBytes(utf8Of('a'))]).toEqual([2, 1])
  expect([names.textOf(1), names.indexUid(2), names.count]).toEqual(['a', 'b', 3])
  expect([names.find('b'), names.find('c')]).toEqual([2, null])
})

it('counts tasks by status, kind and index, and knows the oldest that waits', () => {
  const state = stateWith([
    viewOf(0, { index: 'a' }),
    viewOf(1, { index: 'a' }),
    viewOf(2, { index: 'b', kind: NAMING }),
    viewOf(3, { kind: SECRET }),
    viewOf(4, { index: 'c' }),
  ])
  setStatus(state, 0, 'succeeded')
  setStatus(state, 1, 'processing')
  state.tasks.remove(state.tasks.find(asTaskUid(4)))
  expect(countTasks(state)).toEqual({
    statuses: { enqueued: 2, processing: 1, succeeded: 1, failed: 0, canceled: 0 },
    kinds: { plain: 2, naming: 1, retried: 0, secret: 1 },
    indexes: new Map([
      ['a', 2],
      ['b', 1],
    ]),
    oldestWaiting: 10,
  })
  for (const uid of [1, 2, 3]) setStatus(state, uid, 'failed')
  expect(countTasks(state).oldestWaiting).toBeNull()
})

it('an ended task whose first record holds a secret is counted', () => {
  const kinds = [SECRET, SECRET, PLAIN, SECRET, SECRET]
  const state = stateWith(kinds.map((kind, uid) => viewOf(uid, { kind })))
  for (const uid of [0, 2, 3, 4]) setStatus(state, uid, 'canceled')
  const [chunk] = state.tasks.chunks
  chunk!.offset[3] = -4
  state.tasks.remove(state.tasks.find(asTaskUid(4)))
  const held = [0, 1, 2, 3, 4].filter((r) => holdsEndedSecret(KINDS, chunk!, r))
  expect([held, countEndedSecrets(KINDS, state.tasks)]).toEqual([[0], 1])
})

describe('kinds', () => {
  it('are known by number and by name', () => {
    expect([KINDS.names, KINDS.count]).toEqual([['plain', 'naming', 'retried', 'secret'], 4])
    expect(KINDS.of(NAMING).name).toBe('naming')
    expect(() => KINDS.of(4)).toThrow('a kind of task')
    expect([KINDS.find('other'), KINDS.numberOf('secret')]).toEqual([null, SECRET])
    expect(() => KINDS.named('other')).toThrow('known kind')
    expect(KINDS.ownQueues.map(({ number }) => number)).toEqual([SECRET, RETRIED])
  })

  it.each<[string, (number: number) => boolean, readonly number[]]>([
    ['global', (number) => KINDS.isGlobal(number), [RETRIED, SECRET]],
    ['queued apart', (number) => KINDS.hasOwnQueue(number), [RETRIED, SECRET]],
    ['retried', (number) => KINDS.isRetried(number), [RETRIED]],
    ['secret', (number) => KINDS.holdsSecret(number), [SECRET]],
    ['in a global mask', (number) => KINDS.hasGlobal(1 << number), [RETRIED, SECRET]],
  ])('are %s or not', (_, has, expected) => {
    expect([PLAIN, NAMING, RETRIED, SECRET].filter(has)).toEqual(expected)
  })

  it.each<[TaskStatus, object | null, object | null, object | null]>([
    ['succeeded', { a: 1 }, null, { a: 1 }],
    ['succeeded', { a: 1 }, { a: 2, b: 3 }, { a: 2, b: 3 }],
    ['failed', { a: 1 }, null, { a: 1, done: 0, hasFailed: true }],
    ['canceled', { a: 1, done: 9 }, { b: 3 }, { a: 1, done: 0, b: 3, hasFailed: true }],
    ['failed', null, { b: 3 }, null],
  ])('combine details: %s %j with %j', (status, enqueued, result, expected) => {
    const details = finishedDetails(KINDS.of(NAMING), status, enqueued as never, result as never)
    expect(details).toEqual(expected)
  })

  it('make records with the members of their encoding', () => {
    const encoded = { flags: 2, primaryKey: 'id', names: ['b'], content: '{}' }
    const record = KINDS.recordOf(asTaskUid(5), 50, {
      indexUid: 'a' as never,
      content: { kind: 'naming', encoded },
      customMetadata: 'm',
    })
    const texts = { primaryKey: utf8Of('id'), content: utf8Of('{}'), metadata: utf8Of('m') }
    expect(record).toEqual({
      ...viewOf(5, { kind: NAMING, index: 'a', names: ['b'], flags: 2 }),
      ...texts,
    })
    const content = { kind: 'plain' }
    const plain = KINDS.recordOf(asTaskUid(5), 50, {
      indexUid: null,
      content,
      customMetadata: null,
    })
    expect(plain).toEqual(viewOf(5))
  })
})
