// The network member of tasks: its text in records, and the state of copies, imports and refusals.
import { describe, expect, it } from 'vitest'
import { asTaskUid, type TaskUid } from '../../../format/ids.ts'
import type { TaskNetwork } from '../../network/records/index.ts'
import { NetworkTasks, networkIn, packMetadata, unpackMetadata } from './task-network.ts'

const uid = asTaskUid
const uids = (...all: readonly number[]): TaskUid[] => all.map(uid)
const originOf = (taskUid: number, networkVersion = 'v', remoteName = 'a') => ({
  remoteName,
  taskUid: uid(taskUid),
  networkVersion,
})
const importTo = (networkVersion: string): TaskNetwork => ({
  kind: 'import',
  source: {
    remoteName: 'a',
    indexName: null,
    documentCount: 1,
    indexCount: 1,
    totalDocuments: 1,
    key: null,
  },
  change: originOf(1, networkVersion),
})

describe('the text of a record', () => {
  const leader: TaskNetwork = { kind: 'leader', version: 'v', remotes: ['a', 'b'] }
  const nanos = { enqueuedAt: 1, startedAt: 2, finishedAt: 3 }

  it.each([
    ['no metadata', null, null, undefined],
    ['metadata of the client', 'mine', null, undefined],
    ['metadata that begin as JSON of the record does', '\u0000{}', null, undefined],
    ['a leader', null, leader, undefined],
    ['an origin', 'mine', { kind: 'origin', origin: originOf(7) } as const, undefined],
    ['an import', null, importTo('w'), nanos],
    ['nanoseconds alone', 'mine', null, nanos],
  ])('has %s', (_, metadata, network, times) => {
    const packed = packMetadata(metadata, network, times)
    const bytes = packed === null ? null : Buffer.from(packed)
    expect(unpackMetadata(bytes)).toEqual({ metadata, network, ...(times && { nanos: times }) })
    expect(networkIn(bytes)).toEqual(network)
  })

  it('is that of the client where nothing else is to be kept', () => {
    expect(packMetadata('mine', null)).toBe('mine')
    expect(packMetadata(null, undefined)).toBeNull()
  })

  it.each(['\u0000', '\u0000[]', '\u0000{"metadata":1,"network":null}', '\u0000{"network":null}'])(
    'is refused: %j',
    (text) => expect(() => unpackMetadata(Buffer.from(text))).toThrow(/network|JSON/),
  )
})

describe('copies of tasks of an origin', () => {
  it('are found by its name, its uid and its version', () => {
    const tasks = new NetworkTasks()
    tasks.added(uid(5), { kind: 'origin', origin: originOf(2) }, 0)
    tasks.added(uid(6), { kind: 'origin', origin: originOf(3) }, 0)
    expect(tasks.copyOf(originOf(2))).toBe(5)
    expect(tasks.copyOf(originOf(2, 'other'))).toBeNull()
    expect(tasks.copyOf(originOf(2, 'v', 'b'))).toBeNull()
    expect([tasks.newestOf('a'), tasks.newestOf('b')]).toEqual([3, -1])
    expect([tasks.originOf(uid(5)), tasks.originOf(uid(6))]).toEqual([2, 3])
    tasks.ended(uid(5), true)
    expect([tasks.originOf(uid(5)), tasks.copyOf(originOf(2))]).toEqual([null, 5])
  })

  it('are remembered in a limited number, the oldest is forgotten', () => {
    const tasks = new NetworkTasks()
    const add = (i: number) => tasks.added(uid(i), { kind: 'origin', origin: originOf(i) }, 0)
    for (let i = 0; i < 65_536; i++) add(i)
    expect(tasks.copyOf(originOf(0))).toBe(0)
    add(0)
    add(65_536)
    expect(tasks.copyOf(originOf(0))).toBe(0)
    expect([tasks.copyOf(originOf(1)), tasks.copyOf(originOf(2))]).toEqual([null, 2])
  })

  it('may be refused before they arrive', () => {
    const tasks = new NetworkTasks()
    expect(tasks.isRefused(originOf(0))).toBe(false)
    for (let i = 0; i < 4096; i++) tasks.refuse(originOf(i))
    expect([tasks.isRefused(originOf(0)), tasks.isRefused(originOf(4096))]).toEqual([true, false])
    tasks.refuse(originOf(4096))
    expect([0, 1, 4096].map((i) => tasks.isRefused(originOf(i)))).toEqual([false, true, true])
    expect(tasks.isRefused(originOf(1, 'other'))).toBe(false)
  })
})

describe('imports of a topology change', () => {
  function importing() {
    const tasks = new NetworkTasks()
    for (const i of [4, 3, 9]) tasks.added(uid(i), importTo('new'), 0)
    tasks.added(uid(6), importTo('old'), 0)
    tasks.follow({ uid: uid(2), version: 'new' })
    return tasks
  }

  it('are known until their change has ended', () => {
    const tasks = importing()
    const partsOf = (version: string) =>
      tasks.importsOf(version).map(({ hasEnded, hasFailed }) => [hasEnded, hasFailed])
    tasks.ended(uid(4), true)
    tasks.ended(uid(9), false)
    tasks.ended(uid(6), true)
    expect(partsOf('new')).toEqual([
      [true, false],
      [false, false],
      [true, true],
    ])
    expect([3, 4, 7].map((i) => tasks.isImport(uid(i)))).toEqual([true, false, false])
    expect(partsOf('old')).toEqual([[true, false]])
    tasks.follow({ uid: uid(2), version: 'new' })
    expect([partsOf('old'), partsOf('new').length]).toEqual([[], 3])
    tasks.follow(null)
    expect(partsOf('new')).toEqual([[false, false]])
  })

  it('run in the order of arrival, those of the running change alone', () => {
    const tasks = importing()
    expect([tasks.oldestImport(uid(2)), tasks.oldestImport(uid(1))]).toEqual([4, -1])
    tasks.ended(uid(4), true)
    tasks.ended(uid(4), false)
    expect(tasks.importsOf('new')[0]).toMatchObject({ hasFailed: false })
    expect(tasks.oldestImport(uid(2))).toBe(3)
  })

  it('of other changes are orphans, ascending', () => {
    const tasks = importing()
    expect(tasks.orphans(uid(2))).toEqual(uids(6))
    expect(tasks.orphans(uid(1))).toEqual(uids(3, 4, 6, 9))
    for (const i of [3, 4, 6, 9]) tasks.ended(uid(i), true)
    expect(tasks.orphans(uid(1))).toEqual([])
    for (let i = 10; i < 10 + 4097; i++) tasks.added(uid(i), importTo('old'), 0)
    expect(tasks.orphans(uid(2))).toHaveLength(4096)
  })
})

it('a deleted task has neither details nor answers of remotes', () => {
  const tasks = new NetworkTasks()
  const answer = { a: { taskUid: uid(5), error: null } }
  tasks.added(uid(1), { kind: 'leader', version: 'v', remotes: ['a'] }, 7)
  tasks.details.set(uid(1), {})
  tasks.unconfirmed.answered(uid(1), answer)
  expect(tasks.unconfirmed.results(uid(1))).toEqual(answer)
  tasks.removed(uid(1))
  expect([tasks.unconfirmed.results(uid(1)) ?? {}, tasks.details.size]).toEqual([{}, 0])
})
