// The next batch: the order of the queues, topology changes, and the tasks of one index.
import { beforeEach, describe, expect, it } from 'vitest'
import { asIndexUid, asTaskUid, type TaskUid } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { TaskOrigin } from '../../network/records/index.ts'
import { type TaskContent, taskKinds } from '../../task-kinds/index.ts'
import { STATUS, type TaskRequest, TaskState } from '../task-data/index.ts'
import { type BatchLimits, type Choice, chooseBatch, hasEffect, roleOf } from './index.ts'

const NO_LIMITS: BatchLimits = {
  tasksMax: Number.POSITIVE_INFINITY,
  bytesMax: Number.POSITIVE_INFINITY,
}
const CHANGE: TaskOrigin = { remoteName: 'b', taskUid: asTaskUid(7), networkVersion: 'v2' }

let state: TaskState

beforeEach(() => {
  state = new TaskState(taskKinds)
})

/** Lets a task wait and returns its uid. */
function add(
  indexUid: string | null,
  content: TaskContent,
  more: Partial<TaskRequest> = {},
): TaskUid {
  const uid = state.nextTask
  const index = indexUid === null ? null : asIndexUid(indexUid)
  const request = { indexUid: index, content, customMetadata: null, ...more }
  state.enqueued(taskKinds.recordOf(uid, 0, request), 100 + uid, 50)
  return uid
}

function end(uid: number, status: number): void {
  state.tasks.setStatus(state.tasks.find(asTaskUid(uid)), status)
}

const imports = (
  options: Partial<Extract<TaskContent, { kind: 'documentAdditionOrUpdate' }>> = {},
): TaskContent => ({
  kind: 'documentAdditionOrUpdate',
  method: 'replace',
  primaryKey: null,
  skipCreation: false,
  allowIndexCreation: true,
  body: { file: null, inline: new Uint8Array(10), bytes: 10, documents: 1 },
  ...options,
})
const deletes: TaskContent = { kind: 'documentDeletion', by: 'ids', ids: ['1'] }
const creates: TaskContent = { kind: 'indexCreation', primaryKey: null }
const dumps: TaskContent = { kind: 'dumpCreation', dumpUid: 'd' } as unknown as TaskContent
const snapshots: TaskContent = { kind: 'snapshotCreation' } as unknown as TaskContent
const changes: TaskContent = { kind: 'networkTopologyChange', change: {} }
const upgrades: TaskContent = { kind: 'upgradeDatabase', from: 'v1.12.0', to: 'v1.49.0' } as never
const cancels: TaskContent = { kind: 'taskCancelation', query: '?uids=0', targets: IdSet.of([0]) }

/** Adds an import of the documents that another instance hands over. */
const addHandedOver = (indexUid: string, change = CHANGE): TaskUid =>
  add(indexUid, imports(), {
    network: {
      kind: 'import',
      source: {
        remoteName: 'b',
        indexName: indexUid,
        documentCount: 1,
        indexCount: 1,
        totalDocuments: 1,
        key: 'k',
      },
      change,
    },
  })

const choose = (
  limits = NO_LIMITS,
  retried: readonly TaskUid[] = [],
  primaryKey: string | null = null,
): Promise<Choice | null> => chooseBatch(state, () => ({ primaryKey }), limits, new Set(retried))

async function chosen(limits = NO_LIMITS, retried: readonly TaskUid[] = []) {
  const choice = await choose(limits, retried)
  return choice === null ? null : { kind: choice.work.kind, uids: choice.uids }
}

it('does not exist if no task waits', async () => {
  expect(await chosen()).toBeNull()
})

describe('tasks of one index', () => {
  it('run together from the oldest on, and those of other indexes later', async () => {
    for (const indexUid of ['a', 'b', 'a', 'b']) add(indexUid, imports())
    expect(await choose()).toEqual({
      uids: [0, 2],
      work: { kind: 'documents', indexUid: 'a', mayCreate: true },
      strategy: 'batched all enqueued tasks for index `a`',
    })
    end(0, STATUS.succeeded)
    end(2, STATUS.succeeded)
    expect(await choose()).toMatchObject({ uids: [1, 3], strategy: 'batched all enqueued tasks' })
  })

  it.each([
    [deletes, 'documents', false],
    [{ kind: 'documentDeletion', by: 'filter', filter: 'a = 1' }, 'documents', false],
    [{ kind: 'documentDeletion', by: 'all' }, 'clear', false],
    [imports({ allowIndexCreation: false }), 'documents', false],
    [
      { kind: 'settingsUpdate', patch: {}, isDeletion: false, allowIndexCreation: true },
      'settings',
      true,
    ],
    // A reset of settings never creates an index.
    [
      { kind: 'settingsUpdate', patch: {}, isDeletion: true, allowIndexCreation: true },
      'settings',
      false,
    ],
    [{ kind: 'indexDeletion' }, 'indexDeletion', false],
  ] as const)('%j is work of %s', async (content, kind, mayCreate) => {
    add('a', content as TaskContent)
    expect((await choose())!.work).toEqual({ kind, indexUid: 'a', mayCreate })
  })

  it('that fit no other run alone', async () => {
    add('a', creates)
    add('a', imports())
    expect(await choose()).toEqual({
      uids: [0],
      work: { kind: 'indexCreation', indexUid: 'a', mayCreate: false },
      strategy:
        'created batch containing only task with id 0 of type `indexCreation` ' +
        'that cannot be batched with any other task.',
    })
  })

  it('are in order: a task that does not fit ends the batch', async () => {
    add('a', imports())
    add('a', creates)
    add('a', imports())
    expect(await chosen()).toEqual({ kind: 'documents', uids: [0] })
  })

  it('stay within the limits, by the bytes of their bodies', async () => {
    for (let i = 0; i < 4; i++) add('a', imports())
    expect(await chosen({ ...NO_LIMITS, tasksMax: 3 })).toMatchObject({ uids: [0, 1, 2] })
    expect(await chosen({ ...NO_LIMITS, bytesMax: 20 })).toMatchObject({ uids: [0, 1] })
  })

  it('agree on the primary key, which deletions do not name', async () => {
    add('a', imports({ primaryKey: 'id' }))
    add('a', deletes)
    add('a', imports({ primaryKey: 'sku' }))
    expect(await chosen()).toMatchObject({ uids: [0, 1] })
    expect(await choose(NO_LIMITS, [], 'other')).toMatchObject({
      uids: [0],
      strategy: expect.stringContaining('different from the primary key of the index `other`'),
    })
  })

  it('without an index run in order', async () => {
    add(null, { kind: 'indexSwap', swaps: [] })
    expect(await choose()).toMatchObject({
      uids: [0],
      work: { kind: 'indexSwap', indexUid: null },
    })
  })
})

describe('kinds with their own queues', () => {
  it('run before tasks of indexes, in their order', async () => {
    add('a', imports())
    const dump = add(null, dumps)
    const snapshot = add(null, snapshots)
    add(null, dumps)
    add(null, snapshots)
    expect(await choose()).toEqual({
      uids: [snapshot, snapshot + 2],
      work: { kind: 'snapshotCreation', indexUid: null, mayCreate: false },
      strategy:
        'stopped after the last task of type `snapshotCreation` ' +
        'because they cannot be batched with tasks of any other type.',
    })
    end(snapshot, STATUS.succeeded)
    end(snapshot + 2, STATUS.canceled)
    expect(await choose()).toMatchObject({
      uids: [dump],
      strategy: expect.stringMatching(/^created batch containing only task with id 1 /),
    })
  })

  it('run the newest cancelation first', async () => {
    add('a', imports())
    add(null, cancels)
    const newest = add(null, cancels)
    expect(await chosen()).toEqual({ kind: 'taskCancelation', uids: [newest] })
  })

  it('prefer a cancelation that arrives while the tasks of an index are examined', async () => {
    // The examination pauses after this many tasks.
    for (let i = 0; i < 8192; i++) add('a', imports())
    const choice = chosen()
    const late = add(null, cancels)
    expect(await choice).toEqual({ kind: 'taskCancelation', uids: [late] })
  })

  it('let no other kind overtake an examination', async () => {
    for (let i = 0; i < 8192; i++) add('a', imports())
    const choice = chosen()
    add(null, dumps)
    expect(await choice).toMatchObject({ kind: 'documents' })
  })

  it('wait behind a failed upgrade until it is tried again', async () => {
    const upgrade = add(null, upgrades)
    add('a', imports())
    end(upgrade, STATUS.failed)
    expect(await chosen(NO_LIMITS, [upgrade])).toBeNull()
    expect(await chosen()).toEqual({ kind: 'upgradeDatabase', uids: [upgrade] })
    const other = add(null, upgrades)
    expect(await chosen(NO_LIMITS, [upgrade])).toEqual({
      kind: 'upgradeDatabase',
      uids: [upgrade, other],
    })
  })

  it('know no other failures', async () => {
    const dump = add(null, dumps)
    expect(await chosen(NO_LIMITS, [dump])).toEqual({ kind: 'dumpCreation', uids: [dump] })
  })
})

describe('a topology change', () => {
  let change: TaskUid

  beforeEach(() => {
    add('a', imports())
    change = add(null, changes)
    add('a', imports())
    state.network.follow({ uid: change, version: CHANGE.networkVersion })
  })

  it('lets older tasks run, and holds newer ones', async () => {
    expect(await chosen()).toEqual({ kind: 'documents', uids: [0] })
    end(0, STATUS.succeeded)
    expect(await chosen()).toBeNull()
  })

  it('runs when it is ready', async () => {
    state.network.ready = change
    expect(await choose()).toMatchObject({
      uids: [change],
      strategy: `stopped after task with id ${change} because it is a network topology change task`,
    })
  })

  it('lets its imports run, and nothing with them', async () => {
    end(0, STATUS.succeeded)
    const first = addHandedOver('a')
    add('a', imports())
    const second = addHandedOver('a')
    expect(await chosen()).toEqual({ kind: 'documents', uids: [first, second] })
  })

  it('holds its imports while older tasks run', async () => {
    addHandedOver('a')
    expect(await chosen()).toEqual({ kind: 'documents', uids: [0] })
  })

  it('does not hold kinds with later queues', async () => {
    const dump = add(null, dumps)
    expect(await chosen()).toEqual({ kind: 'dumpCreation', uids: [dump] })
  })

  it('that has ended leaves imports to be canceled, before all other work', async () => {
    const orphan = addHandedOver('a', { ...CHANGE, networkVersion: 'v1' })
    add(null, cancels)
    expect(await choose()).toEqual({
      uids: [orphan],
      work: { kind: 'orphans', indexUid: null, mayCreate: false },
      strategy: 'batched all imports of network topology changes that have ended',
    })
  })
})

it('tasks before imports of a change do not include those', async () => {
  add('a', imports())
  state.network.follow({ uid: asTaskUid(9), version: CHANGE.networkVersion })
  addHandedOver('a')
  add('a', imports())
  state.network.orphans = () => []
  expect(await chosen()).toEqual({ kind: 'documents', uids: [0, 2] })
})

it('absorbed tasks have no effect', () => {
  const work = (kind: string) => ({ kind, indexUid: asIndexUid('a'), mayCreate: false })
  expect(hasEffect(work('documents'), 'import')).toBe(true)
  expect(hasEffect(work('clear'), 'import')).toBe(false)
  expect(hasEffect(work('clear'), 'clear')).toBe(true)
  expect(hasEffect(work('dumpCreation'), 'alone')).toBe(true)
})

it('kinds with their own queues have no role among others', () => {
  add(null, dumps)
  add('a', deletes)
  expect([0, 1].map((uid) => roleOf(state, state.tasks.find(asTaskUid(uid))))).toEqual([
    'alone',
    'ids',
  ])
})
