// Lists of id sets: any sets in any order, and lists with invalid bytes.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CorruptionError } from '../errors.ts'
import { type ListBytes, ListReader, ListWriter, readingCost } from '../fields/lists-v1.ts'
import { Frame } from '../frame/index.ts'
import { encodeFrame } from '../frame/writer-v1.ts'
import { IdUnion } from '../idset/index.ts'

const FIRST = 1000
const LAST = 300_000

/** Returns a reader of a section that holds the parts of `list`. */
function readerOf(list: ListBytes, count: number): ListReader {
  const parts = [list.offsets, list.sets, list.sizes, list.entries]
  const starts = parts.map((_, i) => parts.slice(0, i).reduce((sum, part) => sum + part.length, 0))
  const bytes = encodeFrame('COLS', (writer) => {
    writer.begin('DATA', 1)
    for (const part of parts) writer.write(part)
    writer.end()
  })
  const place = {
    count,
    offsetsAt: starts[0]!,
    setsAt: starts[1]!,
    setsBytes: list.sets.length,
    sizesAt: starts[2]!,
    entriesAt: starts[3]!,
    entriesBytes: list.entries.length,
  }
  const section = Frame.open(bytes, 'COLS').section('DATA')
  return new ListReader(section, place, { first: FIRST, last: LAST, count: 100_000 })
}

function listOf(sets: readonly (readonly number[])[]): ListBytes {
  const writer = new ListWriter(FIRST)
  for (const set of sets) writer.add(Uint32Array.from(set), 0, set.length)
  return writer.finish()
}

const anySet = fc
  .oneof(
    {
      weight: 5,
      arbitrary: fc.uniqueArray(fc.integer({ min: FIRST, max: LAST }), {
        minLength: 1,
        maxLength: 3,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.uniqueArray(fc.integer({ min: FIRST, max: 3000 }), {
        minLength: 1,
        maxLength: 300,
      }),
    },
    fc
      .tuple(fc.integer({ min: FIRST, max: 5000 }), fc.integer({ min: 1, max: 20_000 }))
      .map(([from, count]) => Array.from({ length: count }, (_, i) => from + i * 3)),
  )
  .map((ids) => [...ids].sort((a, b) => a - b))

it.each([
  // A walk over 32 distances; a fixed part, and a set of a header, a container and 33 ids.
  [32, 0, 8 + 4 * 32],
  [33, 82, 64 + 8 + 8 + 66],
])('a set of %i ids takes %i bytes of sets, and costs %i to read', (size, setsBytes, cost) => {
  const ids = Uint32Array.from({ length: size + 2 }, (_, i) => FIRST + i * 2)
  const writer = new ListWriter(FIRST)
  writer.add(ids, 1, size + 1)
  expect(writer.finish().sets).toHaveLength(setsBytes)
  expect(readingCost(ids, 1, size + 1)).toBe(cost)
})

describe('a list of sets', () => {
  it('returns the sets in any order', () => {
    fc.assert(
      fc.property(fc.array(anySet, { minLength: 1, maxLength: 50 }), fc.nat(), (sets, start) => {
        const reader = readerOf(listOf(sets), sets.length)
        const sizes = new Uint32Array(sets.length)
        reader.sizes(0, sets.length, sizes)
        expect([...sizes]).toEqual(sets.map((set) => set.length))
        for (let i = 0; i < sets.length; i++) {
          const index = (start + i * 7) % sets.length
          expect(reader.size(index)).toBe(sets[index]!.length)
          expect([...reader.get(index).toArray()]).toEqual(sets[index])
          expect([...reader.ids(index)]).toEqual(sets[index])
        }
      }),
      { numRuns: 60 },
    )
  })

  it('adds ranges of sets, and counts ids among others', () => {
    fc.assert(
      fc.property(fc.array(anySet, { minLength: 1, maxLength: 30 }), anySet, (sets, others) => {
        const reader = readerOf(listOf(sets), sets.length)
        const [from, to] = [Math.floor(sets.length / 3), sets.length]
        const union = new IdUnion(64)
        reader.addTo(from, to, union)
        const expected = new Set(sets.slice(from, to).flat())
        expect([...union.take().toArray()]).toEqual([...expected].sort((a, b) => a - b))
        const words = new Uint32Array((others.at(-1)! >>> 5) + 1)
        for (const id of others) words[id >>> 5]! |= 1 << (id & 31)
        const set = new Set(others)
        for (const [i, ids] of sets.entries()) {
          expect(reader.countIn(i, words)).toBe(ids.filter((id) => set.has(id)).length)
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe('a damaged list with sound checksums', () => {
  const small = listOf([[1000, 1001], [2000]])
  const large = listOf([Array.from({ length: 400 }, (_, i) => FIRST + i * 2)])

  const refused = (list: ListBytes, count: number): void => {
    const reader = readerOf(list, count)
    expect(() => reader.get(0)).toThrow(CorruptionError)
    expect(() => reader.addTo(0, 1, new IdUnion(64))).toThrow(CorruptionError)
  }

  it('is refused when ids leave the segment, or numbers exceed 32 bits', () => {
    refused({ ...small, entries: Uint8Array.of(0xff, 0xff, 0xff, 0x7f, 0, 0) }, 2)
    refused({ ...small, entries: Uint8Array.of(1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0) }, 2)
  })

  it('is refused when entries end early or late', () => {
    refused({ ...small, entries: small.entries.subarray(0, 2) }, 2)
    refused({ ...small, entries: Uint8Array.of(...small.entries, 0) }, 2)
    refused({ ...small, entries: new Uint8Array(0) }, 2)
  })

  it('is refused when a size is 0, too large, or marked as large although it is small', () => {
    refused({ ...small, sizes: Uint8Array.of(0, 1) }, 2)
    expect([...large.entries.subarray(0, 2)]).toEqual([0x90, 0x03])
    refused({ ...large, entries: Uint8Array.of(5, ...large.entries.subarray(2)) }, 1)
    refused({ ...large, entries: Uint8Array.of(0xff, 0xff, 0x7f, ...large.entries.subarray(2)) }, 1)
  })

  it('is refused when an encoded set is elsewhere, or larger than it may be', () => {
    const place = large.entries.subarray(0, 2)
    refused({ ...large, entries: Uint8Array.of(...place, 200, 7, 1) }, 1)
    refused({ ...large, entries: Uint8Array.of(...place, 0, 2) }, 1)
    const sets = large.sets.slice()
    sets.set([255, 255, 255, 255], 4)
    refused({ ...large, sets }, 1)
  })

  it('is refused for a set beyond the last', () => {
    expect(() => readerOf(small, 2).get(2)).toThrow(CorruptionError)
    expect(() => readerOf(small, 2).size(16)).toThrow(CorruptionError)
  })
})
