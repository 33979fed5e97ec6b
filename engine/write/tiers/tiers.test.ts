// Runs of similar segments: which join, which stay, and the result when all have joined.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KiB } from '../../../format/bytes/index.ts'
import { asSegmentNo } from '../../../format/ids.ts'
import { BUSY, liveBytes, similarRun, type Weighed } from './index.ts'

const limits = { growth: 2, countMin: 2, bytesMax: Number.POSITIVE_INFINITY }
const weighed = (segment: number, bytes: number, deadCount = 0): Weighed => {
  return { segment: asSegmentNo(segment), bytes, documents: 100, deadCount }
}
const numbers = (segments: readonly Weighed[]): number[] => segments.map(({ segment }) => segment)

describe('a run', () => {
  it('is the smallest segments up to the last of similar size', () => {
    const all = [weighed(1, 100 * KiB), weighed(2, 30 * KiB), weighed(3, 20 * KiB)]
    expect(numbers(similarRun(all, limits))).toEqual([3, 2, 1])
    expect(numbers(similarRun([...all, weighed(4, 301 * KiB)], limits))).toEqual([3, 2, 1])
    expect(numbers(similarRun([...all, weighed(4, 300 * KiB)], limits))).toEqual([3, 2, 1, 4])
  })

  it('is empty when each segment is much larger than the smaller ones', () => {
    expect(similarRun([], limits)).toEqual([])
    expect(similarRun([weighed(1, KiB)], limits)).toEqual([])
    expect(similarRun([weighed(1, 9 * KiB), weighed(2, 30 * KiB)], limits)).toEqual([])
  })

  it('joins tiny segments of any size, which cost the same to copy', () => {
    expect(numbers(similarRun([weighed(1, 3000), weighed(2, 10)], limits))).toEqual([1, 2])
    expect(numbers(similarRun([weighed(1, 10), weighed(2, 8 * KiB)], limits))).toEqual([1, 2])
    expect(similarRun([weighed(1, 10), weighed(2, 8 * KiB + 1)], limits)).toEqual([])
  })

  it('counts only live bytes', () => {
    const all = [weighed(1, 10 * KiB), weighed(2, 50 * KiB, 90)]
    expect(numbers(similarRun(all, limits))).toEqual([2, 1])
    expect(liveBytes(all[1]!)).toBe(5 * KiB)
  })

  it('is empty when too few segments are of similar size', () => {
    const all = [1, 2, 3].map((segment) => weighed(segment, 20 * KiB))
    const few = { ...limits, ...BUSY }
    expect(similarRun(all, few)).toEqual([])
    expect(similarRun([...all, weighed(4, 900 * KiB)], few)).toEqual([])
    expect(numbers(similarRun([...all, weighed(4, 90 * KiB)], few))).toEqual([1, 2, 3, 4])
  })

  it('has no more bytes than allowed', () => {
    const all = [weighed(1, 20 * KiB), weighed(2, 20 * KiB), weighed(3, 20 * KiB)]
    expect(numbers(similarRun(all, { ...limits, bytesMax: 50 * KiB }))).toEqual([1, 2])
    expect(similarRun(all, { ...limits, bytesMax: 30 * KiB })).toEqual([])
    expect(numbers(similarRun(all, { ...limits, bytesMax: 40 * KiB }))).toEqual([1, 2])
    expect(numbers(similarRun(all, { ...limits, bytesMax: 60 * KiB }))).toEqual([1, 2, 3])
    const dying = [weighed(1, 20 * KiB), weighed(2, 40 * KiB, 50)]
    expect(numbers(similarRun(dying, { ...limits, bytesMax: 40 * KiB }))).toEqual([1, 2])
  })

  it('has no more documents than a segment may hold', () => {
    const of = (segment: number, documents: number, deadCount = 0): Weighed => {
      return { ...weighed(segment, 20 * KiB, deadCount), documents }
    }
    const all = [of(1, 2 ** 23), of(2, 2 ** 23 - 1), of(3, 2 ** 22)]
    expect(numbers(similarRun(all, limits))).toEqual([1, 2])
    expect(similarRun([of(1, 2 ** 23), of(2, 2 ** 23)], limits)).toEqual([])
    expect(numbers(similarRun([of(1, 2 ** 23), of(2, 2 ** 23, 1)], limits))).toHaveLength(2)
  })

  it('does not depend on the order of the segments', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 1 << 24 }), { maxLength: 30 })
    fc.assert(
      fc.property(sizes, (list) => {
        const all = list.map((bytes, i) => weighed(i, bytes))
        expect(similarRun(all.toReversed(), limits)).toEqual(similarRun(all, limits))
      }),
    )
  })
})
