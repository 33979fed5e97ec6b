// Waiting tasks, compared with a list of all tasks.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import { PendingTasks } from './pending.ts'
import { KINDS, PLAIN, RETRIED, SECRET } from './test-tasks.ts'

type Waiting = { readonly uid: number; readonly kind: number; readonly indexes: readonly number[] }

const STEP = fc.oneof(
  fc.record({
    kind: fc.constantFrom(PLAIN, PLAIN, RETRIED, SECRET),
    indexes: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 3 }),
  }),
  // The position of a waiting task that ends.
  fc.double({ min: 0, max: 0.99, noNaN: true }),
)

it('queues yield the tasks of a plain list', () => {
  const property = fc.property(fc.array(STEP, { maxLength: 40 }), (steps) => {
    const ended = new Set<number>()
    const pending = new PendingTasks(KINDS, (uid) => !ended.has(uid))
    let all: Waiting[] = []
    let next = 0
    for (const step of steps) {
      if (typeof step === 'number') {
        const one = all[Math.floor(step * all.length)]
        if (one === undefined) continue
        ended.add(one.uid)
        all = all.filter(({ uid }) => uid !== one.uid)
      } else {
        all.push({ ...step, uid: next })
        pending.add(asTaskUid(next++), step.kind, step.indexes)
      }
      const of = (isOf: (task: Waiting) => boolean) => all.filter(isOf).map(({ uid }) => uid)
      const isOfIndexes = ({ kind }: Waiting): boolean => kind === PLAIN
      expect(pending.oldest()).toBe(all[0]?.uid ?? -1)
      expect(pending.oldestOfIndexes()).toBe(of(isOfIndexes)[0] ?? -1)
      for (const number of [RETRIED, SECRET]) {
        const uids = of(({ kind }) => kind === number)
        expect(pending.allOfKind(number)).toEqual(uids)
        expect(pending.oldestOfKind(number)).toBe(uids[0] ?? -1)
        expect(pending.newestOfKind(number)).toBe(uids.at(-1) ?? -1)
      }
      for (const index of [0, 1, 2, 3]) {
        const uids = of((task) => isOfIndexes(task) && task.indexes.includes(index))
        expect([...pending.ofIndex(index)]).toEqual(uids)
        expect(pending.oldestOfIndex(index)).toBe(uids[0] ?? -1)
        if (uids.length > 0) expect([...pending.indexes]).toContain(index)
      }
    }
    pending.clear()
    expect([pending.oldest(), [...pending.indexes]]).toEqual([-1, []])
  })
  fc.assert(property, { numRuns: 80 })
})

it('an index without waiting tasks is forgotten', () => {
  const pending = new PendingTasks(KINDS, (uid) => uid > 0)
  pending.add(asTaskUid(0), PLAIN, [1])
  pending.add(asTaskUid(1), PLAIN, [2])
  expect([...pending.indexes]).toEqual([1, 2])
  expect(pending.oldestOfIndexes()).toBe(1)
  expect([...pending.indexes]).toEqual([2])
})

it('a long queue keeps its order while most of its tasks end', () => {
  let first = 0
  const pending = new PendingTasks(KINDS, (uid) => uid >= first)
  const count = 5000
  for (let uid = 0; uid < count; uid++) pending.add(asTaskUid(uid), PLAIN, [1])
  for (first = 0; first < count; first += 499) {
    expect(pending.oldestOfIndex(1)).toBe(first)
    const rest = [...pending.ofIndex(1)]
    expect([rest.length, rest[0], rest.at(-1)]).toEqual([count - first, first, count - 1])
  }
  first = count
  expect(pending.oldestOfIndex(1)).toBe(-1)
  pending.add(asTaskUid(count), PLAIN, [1])
  expect(pending.oldestOfIndex(1)).toBe(count)
  expect(() => pending.add(asTaskUid(count), PLAIN, [1])).toThrow('ascending')
})
