// Documents with their scores so far, compared with a map; sums of levels, compared with sums.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { Candidates } from './candidates.ts'
import { Impacts, LEVELS, type Sums, WINDOW_IDS, WindowSums } from './impacts.ts'
import { TOP_MAX } from './limits.ts'

const id = fc.nat(30)
const score = fc.integer({ min: 0, max: 9 })
const part = fc
  .uniqueArray(fc.tuple(id, score), { selector: ([one]) => one, maxLength: 12 })
  .map((all) => all.sort(([a], [b]) => a - b))

const added = (candidates: Candidates, all: readonly (readonly [number, number])[]): void =>
  candidates.add(
    Uint32Array.from(all, ([one]) => one),
    Float64Array.from(all, ([, points]) => points),
  )

describe('candidates', () => {
  it('have the sums of their scores, best first and then by id', () => {
    const property = fc.property(fc.array(part, { maxLength: 5 }), fc.nat(40), (parts, count) => {
      const candidates = new Candidates(count)
      const sums = new Map<number, number>()
      for (const one of parts) {
        added(candidates, one)
        for (const [doc, points] of one) sums.set(doc, (sums.get(doc) ?? 0) + points)
      }
      expect([...candidates.set().toArray()]).toEqual([...sums.keys()].sort((a, b) => a - b))
      const universe = IdSet.range(0, 31)
      const all = [...sums]
      const least = [...sums.values()].sort((a, b) => b - a)[count - 1] ?? 0
      if (least === 0) {
        for (const doc of universe.toArray()) if (!sums.has(doc)) all.push([doc, 0])
      }
      all.sort((a, b) => b[1] - a[1] || a[0] - b[0])
      const { ids, scores, isCut } = candidates.best(universe, true)
      expect([...ids]).toEqual(all.map(([doc]) => doc))
      expect([...scores]).toEqual(all.map(([, points]) => points))
      expect(isCut).toBe(true)
    })
    fc.assert(property, { numRuns: 200 })
  })

  it('are dropped if they cannot reach the best, and closed if no other one can', () => {
    const candidates = new Candidates(2)
    expect(candidates.isClosed(0)).toBe(false)
    added(candidates, [
      [1, 9],
      [2, 4],
      [3, 7],
      [4, 3],
    ])
    candidates.drop(4)
    // The second score is 7: below 3 a document cannot reach it.
    expect([...candidates.set().toArray()]).toEqual([1, 2, 3, 4])
    candidates.drop(3.9)
    expect([...candidates.set().toArray()]).toEqual([1, 2, 3])
    expect([6.9, 7, 7.1].map((left) => candidates.isClosed(left))).toEqual([true, false, false])
    candidates.drop(0)
    expect([...candidates.best(IdSet.range(0, 9), false).ids]).toEqual([1, 3])
  })

  it('are all left if they are fewer than wanted', () => {
    const candidates = new Candidates(3)
    added(candidates, [
      [1, 9],
      [2, 1],
    ])
    candidates.drop(0)
    expect([candidates.set().size, candidates.isClosed(0)]).toEqual([2, false])
    const none = new Candidates(0)
    added(none, [
      [1, 9],
      [2, 1],
    ])
    none.drop(0)
    expect(none.set().size).toBe(2)
  })

  it('are dropped alike if more are wanted than a heap holds', () => {
    const count = TOP_MAX + 1
    const candidates = new Candidates(count)
    added(
      candidates,
      Array.from({ length: 3000 }, (_, i) => [i, ((i * 7) % 3000) + 1]),
    )
    candidates.drop(0)
    expect(candidates.set().size).toBe(count)
    expect(candidates.isClosed(3000 - count + 0.9)).toBe(true)
    expect(candidates.isClosed(3000 - count + 1.1)).toBe(false)
  })
})

const offsets = fc.uniqueArray(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 60 })
const ascending = (all: readonly number[]): Uint32Array => Uint32Array.from(all).sort()
const roomFor = (): Sums => ({
  offsets: new Uint16Array(WINDOW_IDS),
  sums: new Float32Array(WINDOW_IDS),
  unread: new Float32Array(WINDOW_IDS),
})
const shown = ({ offsets: all, sums }: Sums, count: number) =>
  Array.from(all.subarray(0, count), (offset, i) => [offset, sums[i]] as const)

describe('the levels of a window', () => {
  const WINDOW = 3
  const BASE = WINDOW * WINDOW_IDS
  const levelOf = (one: number): number => (one % 5) + 1
  const readWord = (all: readonly number[]): Impacts => {
    const impacts = new Impacts(ascending(all).map((offset) => BASE + offset))
    impacts.read(WINDOW, (ids) => Uint8Array.from(ids, (one) => levelOf(one - BASE)))
    return impacts
  }

  it('are summed for the ids with any word, and those with enough are collected', () => {
    const property = fc.property(offsets, offsets, fc.nat(12), (first, second, needed) => {
      const [a, b] = [readWord(first), readWord(second)]
      const sums = new WindowSums()
      const counts = [a.add(WINDOW, 1, sums), b.add(WINDOW, 2, sums)]
      expect(counts).toEqual([first.length, second.length])
      const wanted = [...new Set([...first, ...second])]
        .sort((x, y) => x - y)
        .map((one) => {
          const sum = (first.includes(one) ? 1 : 0) + (second.includes(one) ? 2 : 0)
          return [one, sum * levelOf(one)] as const
        })
        .filter(([, sum]) => sum >= needed)
      const some = roomFor()
      if (needed % 2 === 0) {
        expect(shown(some, sums.collect(needed, some))).toEqual(wanted)
      } else {
        let count = a.collect(WINDOW, sums, needed, some, 0)
        count = b.collect(WINDOW, sums, needed, some, count)
        sums.order(some, count)
        expect(shown(some, count)).toEqual(wanted)
      }
      expect(sums.sums.every((sum) => sum === 0)).toBe(true)
      expect(sums.marks.every((mark) => mark === 0)).toBe(true)
    })
    fc.assert(property, { numRuns: 60 })
  })

  it('are added to ids that are left, and those with too little are left out', () => {
    const property = fc.property(offsets, offsets, fc.nat(12), (first, second, needed) => {
      const [a, b] = [readWord(first), readWord(second)]
      const sums = new WindowSums()
      const some = roomFor()
      a.add(WINDOW, 1, sums)
      const before = sums.collect(0, some)
      const count = b.addAmong(WINDOW, 2, some, before, needed)
      const wanted = [...ascending(first)]
        .map((one) => [one, levelOf(one) * (second.includes(one) ? 3 : 1)] as const)
        .filter(([, sum]) => sum >= needed)
      expect(shown(some, count)).toEqual(wanted)
      expect(some.unread.subarray(0, count).every((part) => part === 0)).toBe(true)
    })
    fc.assert(property, { numRuns: 60 })
  })

  it('are the largest possible until they are read', () => {
    const impacts = new Impacts(Uint32Array.of(BASE + 1, BASE + 4, BASE + 2 * WINDOW_IDS))
    expect([impacts.from, impacts.to, impacts.size]).toEqual([WINDOW, WINDOW + 3, 3])
    const windows = [2, 3, 4, 5, 6]
    expect(windows.map((window) => impacts.largest(window))).toEqual([0, LEVELS, 0, LEVELS, 0])
    expect(windows.map((window) => impacts.sizeIn(window))).toEqual([0, 2, 0, 1, 0])
    expect(windows.map((window) => impacts.isRead(window))).toEqual([
      true,
      false,
      true,
      false,
      true,
    ])
    const some = roomFor()
    some.offsets.set([1, 2])
    some.sums.set([10, 10])
    expect(impacts.addAmong(WINDOW, 1, some, 2, 0)).toBe(2)
    expect([...some.sums.subarray(0, 2)]).toEqual([10 + LEVELS, 10])
    expect([...some.unread.subarray(0, 2)]).toEqual([LEVELS, 0])
    // Windows are read together while they have few documents.
    expect(impacts.read(WINDOW, (ids) => Uint8Array.from(ids, (one) => one % 7))).toBe(3)
    expect(impacts.largest(3)).toBe(Math.max((BASE + 1) % 7, (BASE + 4) % 7))
    expect(windows.every((window) => impacts.isRead(window))).toBe(true)
    expect(impacts.addAmong(9, 1, some, 2, 300)).toBe(0)
    const sums = new WindowSums()
    expect([impacts.add(2, 1, sums), impacts.add(6, 1, sums)]).toEqual([0, 0])
    expect(impacts.collect(2, sums, 0, some, 2)).toBe(2)
  })

  it('are read together only for so many documents', () => {
    const window = Array.from({ length: 5000 }, (_, i) => i)
    const ids = [0, 1, 2].flatMap((w) => window.map((offset) => w * WINDOW_IDS + offset))
    const impacts = new Impacts(Uint32Array.from(ids))
    const read: number[] = []
    const levelsOf = (all: Uint32Array): Uint8Array => {
      read.push(all.length)
      return new Uint8Array(all.length).fill(1)
    }
    expect(impacts.read(1, levelsOf)).toBe(5000)
    expect([0, 1, 2].map((w) => impacts.isRead(w))).toEqual([false, true, false])
    impacts.read(0, levelsOf)
    impacts.read(2, levelsOf)
    expect(read).toEqual([5000, 5000, 5000])
    expect([0, 1, 2].map((w) => impacts.largest(w))).toEqual([1, 1, 1])
  })
})
