// Answers of remotes to tasks of the leader, against a plain model.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import { isConfirmed, type RemoteResult } from '../../network/records/index.ts'
import { UnconfirmedTasks } from './unconfirmed.ts'

const error = { message: 'm', code: 'remote_timeout', type: 'system', link: '' } as const
const RESULTS: { readonly [name: string]: RemoteResult } = {
  accepted: { taskUid: asTaskUid(5), error: null },
  refused: { error, isFinal: true },
  late: { error, isFinal: false },
}
const REMOTES = ['a', 'b', 'c']

it('keeps a confirmation although an error for the waiting client arrives after it', () => {
  const tasks = new UnconfirmedTasks()
  tasks.added(asTaskUid(1), ['a'], 10)
  tasks.answered(asTaskUid(1), { a: RESULTS['accepted']! })
  expect(tasks.oldestDue('a')).toBe(-1)
  tasks.answered(asTaskUid(1), { a: RESULTS['late']! })
  expect(tasks.results(asTaskUid(1))).toEqual({ a: RESULTS['accepted'] })
})

it('holds a task until every remote has confirmed it, in any order of answers', () => {
  const answer = fc.record({
    uid: fc.nat(3),
    remote: fc.constantFrom(...REMOTES),
    result: fc.constantFrom(...Object.keys(RESULTS)),
  })
  fc.assert(
    fc.property(fc.array(answer, { maxLength: 40 }), (answers) => {
      const tasks = new UnconfirmedTasks()
      for (let uid = 0; uid <= 3; uid++) tasks.added(asTaskUid(uid), REMOTES, 7)
      const confirmed = new Set<string>()
      for (const { uid, remote, result } of answers) {
        tasks.answered(asTaskUid(uid), { [remote]: RESULTS[result]! })
        const isFinal = isConfirmed(RESULTS[result])
        if (isFinal) confirmed.add(`${uid} ${remote}`)
        if (confirmed.has(`${uid} ${remote}`))
          expect(isConfirmed(tasks.results(asTaskUid(uid))[remote])).toBe(true)
        else expect(tasks.results(asTaskUid(uid))[remote]).toEqual(RESULTS[result])
      }
      for (const remote of REMOTES) {
        const due = [0, 1, 2, 3].filter((uid) => !confirmed.has(`${uid} ${remote}`))
        expect(tasks.oldestDue(remote)).toBe(due[0] ?? -1)
        expect(tasks.dueCount(remote)).toBe(due.length)
        expect(tasks.fileBytesDue(remote)).toBe(7 * due.length)
      }
      for (let uid = 0; uid <= 3; uid++) {
        expect(tasks.isOpen(asTaskUid(uid))).toBe(
          REMOTES.some((remote) => !confirmed.has(`${uid} ${remote}`)),
        )
      }
    }),
  )
})

it('drops again after a restart what came before the newest accepted task', () => {
  const before = new UnconfirmedTasks()
  const restarted = new UnconfirmedTasks()
  for (const tasks of [before, restarted]) {
    for (let uid = 1; uid <= 5; uid++) tasks.added(asTaskUid(uid), ['a', 'b'], 10)
    tasks.answered(asTaskUid(1), { a: RESULTS['late']! })
  }
  before.dropped('a', asTaskUid(3))
  for (const tasks of [before, restarted]) {
    for (let uid = 1; uid <= 2; uid++) tasks.answered(asTaskUid(uid), { b: RESULTS['accepted']! })
    tasks.answered(asTaskUid(3), { a: RESULTS['accepted']! })
    tasks.answered(asTaskUid(5), { a: RESULTS['refused']! })
  }
  expect(restarted.dueCount('a')).toBe(3)
  restarted.droppedBefore()
  for (const tasks of [before, restarted]) {
    expect(tasks.oldestDue('a')).toBe(4)
    expect(tasks.dueCount('a')).toBe(1)
    expect(tasks.fileBytesDue('a')).toBe(10)
    expect(tasks.oldestDue('b')).toBe(3)
    expect(tasks.isOpen(asTaskUid(2))).toBe(false)
  }
})

it('drops the tasks of a remote that come before another one', () => {
  const tasks = new UnconfirmedTasks()
  for (const uid of [1, 2, 3].map(asTaskUid)) tasks.added(uid, ['a', 'b'], 10)
  tasks.canceled(asTaskUid(1))
  tasks.heldBodies.set(asTaskUid(2), 22)
  expect(tasks.dropped('b', asTaskUid(2))).toEqual([])
  expect([tasks.canceledDue('b', 9), tasks.oldestDue('b')]).toEqual([[], 2])
  expect(tasks.dropped('a', asTaskUid(3))).toEqual([])
  expect([tasks.oldestDue('a'), tasks.dueCount('a')]).toEqual([3, 1])
  // No other remote needs the body.
  expect(tasks.dropped('b', asTaskUid(3))).toEqual([22])
  expect(tasks.dropped('c', asTaskUid(3))).toEqual([])
})

it('takes the newest accepted task of several, in any order of answers', () => {
  for (const accepted of [
    [2, 4],
    [4, 2],
  ]) {
    const tasks = new UnconfirmedTasks()
    for (const uid of [1, 2, 3, 4, 5].map(asTaskUid)) tasks.added(uid, ['a'], 10)
    for (const uid of accepted) tasks.answered(asTaskUid(uid), { a: RESULTS['accepted']! })
    tasks.droppedBefore()
    expect([tasks.oldestDue('a'), tasks.dueCount('a')]).toEqual([5, 1])
  }
})

it('cancels a task on remotes that may have it, until each has done so', () => {
  const uids = [1, 2, 3].map(asTaskUid)
  const [first, third] = [asTaskUid(1), asTaskUid(3)]
  const tasks = new UnconfirmedTasks()
  for (const uid of uids) tasks.added(uid, ['a', 'b'], 10)
  tasks.answered(first, { b: RESULTS['refused']! })
  for (const uid of uids) tasks.canceled(uid)
  expect([tasks.dueCount('a'), tasks.fileBytesDue('a')]).toEqual([0, 0])
  expect(['a', 'b', 'c'].map((name) => tasks.cancelingCount(name))).toEqual([3, 2, 0])
  for (const [max, due] of [
    [0, []],
    [2, [1, 2]],
    [3, [1, 2, 3]],
    [9, [1, 2, 3]],
  ] as const) {
    expect(tasks.canceledDue('a', max)).toEqual(due)
  }
  // It had refused the first one.
  expect(tasks.canceledDue('b', 9)).toEqual([2, 3])
  expect([tasks.isCanceled(first, 'a'), tasks.isCanceled(first, 'b')]).toEqual([true, false])
  expect(tasks.remotesDue()).toEqual(['a', 'b'])
  expect([tasks.isOpen(third), tasks.oldestOpen]).toEqual([true, 1])
  expect(tasks.canceledDue('c', 9)).toEqual([])
})
