// Runs of like segments: which join, which are left alone, and what is left when all have joined.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BUSY, likeRun, liveBytes, type Weighed } from './index.ts'

const KIB = 1024
const limits = { growth: 2, countMin: 2, bytesMax: Number.POSITIVE_INFINITY }
const weighed = (segment: number, bytes: number, deadCount = 0): Weighed => {
  return { segment, bytes, documents: 100, deadCount }
}
const numbers = (segments: readonly Weighed[]): number[] => segments.map(({ segment }) => segment)

describe('a run', () => {
  it('is the smallest segments up to the last that is of like size', () => {
    const all = [weighed(1, 100 * KIB), weighed(2, 30 * KIB), weighed(3, 20 * KIB)]
    expect(numbers(likeRun(all, limits))).toEqual([3, 2, 1])
    expect(numbers(likeRun([...all, weighed(4, 301 * KIB)], limits))).toEqual([3, 2, 1])
    expect(numbers(likeRun([...all, weighed(4, 300 * KIB)], limits))).toEqual([3, 2, 1, 4])
  })

  it('is empty when each segment is much larger than the smaller ones', () => {
    expect(likeRun([], limits)).toEqual([])
    expect(likeRun([weighed(1, KIB)], limits)).toEqual([])
    expect(likeRun([weighed(1, 9 * KIB), weighed(2, 30 * KIB)], limits)).toEqual([])
  })

  it('takes the tiny ones as they come: the copy costs the same', () => {
    expect(numbers(likeRun([weighed(1, 10), weighed(2, 3000)], limits))).toEqual([1, 2])
  })

  it('counts the live bytes alone', () => {
    const all = [weighed(1, 10 * KIB), weighed(2, 50 * KIB, 90)]
    expect(numbers(likeRun(all, limits))).toEqual([2, 1])
    expect(liveBytes(all[1]!)).toBe(5 * KIB)
  })

  it('is empty when fewer segments than wanted are of like size', () => {
    const all = [1, 2, 3].map((segment) => weighed(segment, 20 * KIB))
    const few = { ...limits, ...BUSY }
    expect(likeRun(all, few)).toEqual([])
    expect(likeRun([...all, weighed(4, 900 * KIB)], few)).toEqual([])
    expect(numbers(likeRun([...all, weighed(4, 90 * KIB)], few))).toEqual([1, 2, 3, 4])
  })

  it('has no more bytes than allowed', () => {
    const all = [weighed(1, 20 * KIB), weighed(2, 20 * KIB), weighed(3, 20 * KIB)]
    expect(numbers(likeRun(all, { ...limits, bytesMax: 50 * KIB }))).toEqual([1, 2])
    expect(likeRun(all, { ...limits, bytesMax: 30 * KIB })).toEqual([])
  })

  it('does not depend on the order of the segments', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 1 << 24 }), { maxLength: 30 })
    fc.assert(
      fc.property(sizes, (list) => {
        const all = list.map((bytes, i) => weighed(i, bytes))
        expect(likeRun(all.toReversed(), limits)).toEqual(likeRun(all, limits))
      }),
    )
  })
})
