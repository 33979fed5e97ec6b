// The building blocks of columns: orders, ranks, interners, packed arrays.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CorruptionError } from '../errors.ts'
import { IdSet } from '../idset/index.ts'
import { hilbertKey, hilbertOrder } from './hilbert.ts'
import { ByteInterner, NumberInterner } from './intern.ts'
import { Members } from './members.ts'
import { packedBytes, Uint32List, widthFor } from './packed.ts'
import type { PartReader } from './parts.ts'
import { compareSlices, sortedStrings } from './sort-strings.ts'
import { blockOf } from './test-block.ts'

/** Concatenated strings, as slices. */
function slicesOf(strings: readonly Uint8Array[]) {
  const bytes = Uint8Array.from(strings.flatMap((string) => [...string]))
  const starts = new Uint32Array(strings.length)
  const ends = new Uint32Array(strings.length)
  let at = 0
  for (const [i, string] of strings.entries()) {
    starts[i] = at
    ends[i] = at += string.length
  }
  return { bytes, starts, ends }
}

const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 12 }),
  fc.uint8Array({ maxLength: 10, max: 2 }),
  fc.uint8Array({ maxLength: 4, max: 1 }).map((tail) => Uint8Array.of(7, 7, 7, 7, 7, 7, ...tail)),
)

describe('sorting strings', () => {
  it('gives the order of bytes, equal ones by index', () => {
    fc.assert(
      fc.property(fc.array(anyBytes, { maxLength: 200 }), (strings) => {
        const { bytes, starts, ends } = slicesOf(strings)
        const expected = strings
          .map((_, i) => i)
          .sort((a, b) => Buffer.compare(strings[a]!, strings[b]!) || a - b)
        expect([...sortedStrings(bytes, starts, ends, strings.length)]).toEqual(expected)
      }),
    )
  })

  it('compares slices in the order of their strings', () => {
    fc.assert(
      fc.property(anyBytes, anyBytes, (a, b) => {
        const { bytes, starts, ends } = slicesOf([a, b])
        const got = compareSlices(bytes, starts[0]!, ends[0]!, bytes, starts[1]!, ends[1]!)
        expect(Math.sign(got)).toBe(Buffer.compare(a, b))
      }),
    )
  })
})

describe('interning', () => {
  it('gives equal strings one id, in order of first appearance', () => {
    fc.assert(
      fc.property(fc.array(anyBytes, { maxLength: 300 }), (strings) => {
        const interner = new ByteInterner()
        const known: string[] = []
        for (const string of strings) {
          const text = Buffer.from(string).toString('hex')
          if (!known.includes(text)) known.push(text)
          const padded = Uint8Array.of(9, ...string, 9)
          expect(interner.intern(padded, 1, padded.length - 1)).toBe(known.indexOf(text))
        }
        const { bytes, starts } = interner
        const kept = known.map((_, i) => bytes.subarray(starts[i]!, starts[i + 1]!))
        expect(kept.map((string) => Buffer.from(string).toString('hex'))).toEqual(known)
        expect(interner.count).toBe(known.length)
      }),
      { numRuns: 30 },
    )
  })

  it('gives equal numbers one id, and -0 its own', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(0, -0), fc.integer(), fc.double())),
        (numbers) => {
          const interner = new NumberInterner()
          const known: number[] = []
          for (const number of numbers) {
            if (!known.some((other) => Object.is(other, number))) known.push(number)
            expect(interner.intern(number)).toBe(
              known.findIndex((other) => Object.is(other, number)),
            )
          }
          expect([...interner.values]).toEqual(known)
          expect(interner.residues).toBeNull()
        },
      ),
    )
  })

  it('gives numbers with other residues other ids', () => {
    const interner = new NumberInterner()
    const pairs = Array.from({ length: 100 }, (_, i) => [2 ** 60 + (i >>> 1) * 256, i % 2] as const)
    for (let round = 0; round < 2; round++) {
      expect(pairs.map(([value, residue]) => interner.intern(value, residue))).toEqual(
        pairs.map((_, i) => i),
      )
    }
    expect([...interner.values]).toEqual(pairs.map(([value]) => value))
    expect([...interner.residues!]).toEqual(pairs.map(([, residue]) => residue))
  })
})

describe('members', () => {
  it('have ranks', () => {
    const anyIds = fc.oneof(
      fc.uniqueArray(fc.nat(200), { maxLength: 150 }),
      fc.uniqueArray(fc.nat(100_000), { maxLength: 50 }),
      fc.nat(300).map((count) => Array.from({ length: count }, (_, i) => i + 40)),
    )
    fc.assert(
      fc.property(anyIds, anyIds, (some, asked) => {
        const ids = [...some].sort((a, b) => a - b)
        const wanted = [...new Set([...asked, ...some])].sort((a, b) => a - b)
        const members = new Members(IdSet.of(ids))
        const ranks = new Int32Array(wanted.length)
        members.ranks(Uint32Array.from(wanted), 0, wanted.length, ranks)
        expect([...ranks]).toEqual(wanted.map((id) => ids.indexOf(id)))
        for (const id of wanted) expect(members.rankOf(id)).toBe(ids.indexOf(id))
        for (const [rank, id] of ids.entries()) expect(members.idAt(rank)).toBe(id)
      }),
    )
  })
})

it('members with a single gap are no run', () => {
  const ids = [5, 6, 7, 9]
  const members = new Members(IdSet.of(ids))
  expect([5, 7, 8, 9, 10].map((id) => members.rankOf(id))).toEqual([0, 2, -1, 3, -1])
  expect(ids.map((_, rank) => members.idAt(rank))).toEqual(ids)
})

describe('the Hilbert curve', () => {
  it('goes from a cell to a neighbour', () => {
    const cells = new Map<number, readonly [number, number]>()
    for (let x = 0; x < 32; x++) for (let y = 0; y < 32; y++) cells.set(hilbertKey(x, y), [x, y])
    expect([...cells.keys()].sort((a, b) => a - b)).toEqual(
      Array.from({ length: 1024 }, (_, i) => i),
    )
    for (let key = 1; key < 1024; key++) {
      const [a, b] = [cells.get(key - 1)!, cells.get(key)!]
      expect(Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1])).toBe(1)
    }
  })

  it('orders points by key, equal ones by rank', () => {
    const same = new Float64Array([5, 5, 1, 1, 5, 5, 9, 9, 1, 1, 5, 5])
    const order = [...hilbertOrder(same, 6)]
    expect(order.filter((rank) => [0, 2, 5].includes(rank))).toEqual([0, 2, 5])
    expect(order.filter((rank) => [1, 4].includes(rank))).toEqual([1, 4])
    expect([...hilbertOrder(new Float64Array([3, 3, 3, 3]), 2)]).toEqual([0, 1])
  })
})

describe('parts of a block', () => {
  const opened = () =>
    blockOf((head, parts) => {
      head.u8(9)
      parts.add(Uint8Array.of(1, 2, 3), 1)
      parts.add(Uint8Array.of(4, 5, 6, 7), 4)
    }).open().reader
  const refusal = (run: (reader: PartReader) => unknown): string => {
    const reader = opened()
    try {
      run(reader)
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error
      return error.message
    }
    return ''
  }

  it('are found in order, each at its alignment', () => {
    const reader = opened()
    expect([reader.part(3, 1), reader.part(0, 8), reader.part(4, 4)]).toEqual([1, 4, 4])
    expect(reader.part(0, 8)).toBe(8)
    expect(reader.head.u8()).toBe(9)
    reader.finish()
  })

  it('are refused past the end, and if some were not read', () => {
    expect(refusal((reader) => reader.part(8, 1))).toBe(
      'DATA @1: bad_length, expected 8 bytes, got 7',
    )
    expect(refusal((reader) => reader.part(7, 1))).toBe('')
    expect(refusal((reader) => reader.part(5, 4))).toBe(
      'DATA @4: bad_length, expected 5 bytes, got 4',
    )
    const unfinished = (reader: PartReader): void => {
      reader.head.u8()
      reader.part(3, 1)
      reader.finish()
    }
    expect(refusal(unfinished)).toBe('DATA @4: bad_length, expected 8, got 4')
    expect(refusal((reader) => reader.expect(false, 'a kind', 7))).toBe(
      'DATA @0: bad_value, expected a kind, got 7',
    )
    expect(refusal((reader) => reader.expect(true, 'a kind', 7))).toBe('')
  })
})

describe('packed arrays', () => {
  it('are as narrow as their largest value allows', () => {
    expect([0, 255, 256, 65535, 65536, 2 ** 32 - 1].map(widthFor)).toEqual([1, 1, 2, 2, 4, 4])
    const values = Uint32Array.of(1, 258, 9)
    expect([...packedBytes(values, 2, 2)]).toEqual([1, 0, 2, 1])
    expect([...packedBytes(values, 1, 4)]).toEqual([1, 0, 0, 0])
  })

  it('are collected in lists that grow', () => {
    const list = new Uint32List(1)
    for (let i = 0; i < 1000; i++) list.push(i * 3)
    expect([list.length, list.last, list.view()[500]]).toEqual([1000, 2997, 1500])
  })
})
