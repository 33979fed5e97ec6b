// Offsets of occurrences: which lists are kept, in one segment and in several with one limit.
import { describe, expect, it } from 'vitest'
import { LruCache } from '../cache/index.ts'
import { noteOffset, OccurrenceOffsets } from './occurrence-offsets.ts'

const limitOf = (offsets: number) => new LruCache<OccurrenceOffsets, OccurrenceOffsets>(offsets)

describe('offsets of occurrences', () => {
  it('of many segments have one limit', () => {
    const limit = limitOf(1000)
    const [first, second] = [new OccurrenceOffsets(500, limit), new OccurrenceOffsets(500, limit)]
    const kept = first.of(0, 400)
    expect(first.of(0, 400)).toBe(kept)
    second.of(0, 500)
    expect(first.of(0, 400)).toBe(kept)
    const last = second.of(1, 300)
    expect(limit.cost).toBe(800)
    expect(first.of(0, 400)).not.toBe(kept)
    expect(limit.cost).toBe(400)
    expect(second.of(1, 300)).not.toBe(last)
  })

  it('are dropped with a list that does not fit, and when the segment is closed', () => {
    const limit = limitOf(1e9)
    const offsets = new OccurrenceOffsets(1, limit)
    for (let base = 0; base < 64; base++) offsets.of(base, 16_384)
    expect(limit.cost).toBe(64 * 16_384)
    const before = offsets.of(0, 16_384)
    offsets.of(64, 16_384)
    expect(limit.cost).toBe(16_384)
    expect(offsets.of(0, 16_384)).not.toBe(before)
    offsets.clear()
    expect(limit.cost).toBe(0)
  })

  it('of a list longer than half of a segment may have are not kept', () => {
    const limit = limitOf(1e9)
    const offsets = new OccurrenceOffsets(1, limit)
    expect(offsets.of(0, 8 * 524_288)).not.toBeNull()
    expect(offsets.of(1, 8 * 524_288 + 1)).toBeNull()
    expect(limit.cost).toBe(524_288)
  })

  it('are those of each document of a list of up to 16,384, of every eighth of a longer one', () => {
    const offsets = new OccurrenceOffsets(1, limitOf(1e9))
    expect(offsets.of(0, 16_384)).toMatchObject({ shift: 0, offsets: { length: 16_384 } })
    expect(offsets.of(1, 16_385)).toMatchObject({ shift: 3, offsets: { length: 2049 } })
  })

  it('are recorded in order, and up to two bytes long', () => {
    const list = new OccurrenceOffsets(1, limitOf(1e9)).of(0, 200)!
    noteOffset(list, 2, 9)
    noteOffset(list, 1, 65_536)
    expect([list.known[0], list.offsets[1]]).toEqual([0, 0])
    noteOffset(list, 1, 65_535)
    expect([list.known[0], list.offsets[1]]).toEqual([1, 65_535])
  })
})
