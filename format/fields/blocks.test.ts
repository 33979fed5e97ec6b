// Lists, postings, rows, sets and whole fields, each against a model.
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { bytesOf, unzigzag } from '../bytes/index.ts'
import { CorruptionError } from '../errors.ts'
import type { FieldId } from '../ids.ts'
import { IdSet, IdUnion } from '../idset/index.ts'
import { exactOrder } from './exact-order.ts'
import type { FieldData, RowsData } from './field-data.ts'
import { FIELD_SETS, writeField } from './field-v1.ts'
import { boundsOf, hilbertOrder } from './hilbert.ts'
import { ListReader, ListWriter } from './lists-v1.ts'
import { Members } from './members.ts'
import { float64View, int16View, packedView } from './packed.ts'
import { Postings, placeList, writeList, writePostings } from './postings-v1.ts'
import { Rows, writeRows } from './rows-v1.ts'
import { FieldSets } from './sets.ts'
import { type Block, blockOf, writtenBlock } from './test-block.ts'

const idsOf = (first: number, count: number, step: number): Uint32Array =>
  Uint32Array.from({ length: count }, (_, i) => first + i * step)

const wordsOf = (ids: Iterable<number>, length: number): Uint32Array => {
  const words = new Uint32Array(length)
  for (const id of ids) if (id >>> 5 < length) words[id >>> 5]! |= 1 << (id & 31)
  return words
}

/** Counts calls that are refused; the others give what is expected. */
function refusals(calls: readonly (readonly [read: () => unknown, expected: unknown])[]): number {
  let refused = 0
  for (const [read, expected] of calls) {
    let got: unknown = null
    try {
      got = read()
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error
      refused++
      continue
    }
    expect(got).toEqual(expected)
  }
  return refused
}

describe('a list', () => {
  const FIRST = 1000
  const sets = [
    ...Array.from({ length: 40 }, (_, i) => idsOf(FIRST + i * 3, 1 + i, 1 + ((i * 37) % 200))),
    idsOf(FIRST, 254, 3),
    idsOf(FIRST + 1, 255, 700),
    idsOf(FIRST, 256, 1),
    idsOf(FIRST + 4, 5000, 2),
    idsOf(FIRST + 60_000, 30_000, 4),
    idsOf(FIRST + 199_000, 1, 1),
    ...Array.from({ length: 6000 }, (_, i) => idsOf(FIRST + i, 3, 30_000)),
  ]
  const bounds = { first: FIRST, last: FIRST + 199_000, count: 40_000 }
  const listOf = (list: readonly Uint32Array[]): Block =>
    blockOf((head, parts) => {
      const writer = new ListWriter(FIRST)
      for (const ids of list) writer.add(ids, 0, ids.length)
      writeList(writer.finish(), head, parts)
    })
  const opened = (block: Block, count: number, within = bounds): ListReader => {
    const { section, reader } = block.open()
    const place = placeList(count, reader)
    reader.finish()
    return new ListReader(section, place, within)
  }
  const union = (list: ListReader, from: number, to: number): number[] => {
    const collected = new IdUnion(0)
    list.addTo(from, to, collected)
    return [...collected.take().toArray()]
  }
  const whole = listOf(sets)

  it('gives sizes, ids, sets, unions and counts', () => {
    const list = opened(whole, sets.length)
    const sizes = new Uint32Array(sets.length + 1)
    list.sizes(2, sets.length, sizes)
    expect([...sizes.subarray(0, -3)]).toEqual(sets.slice(2).map((ids) => ids.length))
    const words = wordsOf(idsOf(FIRST, 30_000, 3), 2500)
    for (const i of [...Array(60).keys(), 6000, 3, 31, 32]) {
      const ids = sets[i]!
      expect(list.size(i)).toBe(ids.length)
      expect(list.ids(i)).toEqual(ids)
      expect([...list.get(i).toArray()]).toEqual([...ids])
      const counted = ids.filter((id) => id < 80_000 && (id - FIRST) % 3 === 0).length
      expect(list.countIn(i, words)).toBe(counted)
    }
    expect(list.countIn(0, new Uint32Array(0)) + list.countIn(44, new Uint32Array(0))).toBe(0)
    for (const [from, to] of [
      [0, 0],
      [3, 4],
      [10, 46],
      [40, 43],
      [43, 60],
    ] as const) {
      const expected = new Set(sets.slice(from, to).flatMap((ids) => [...ids]))
      expect(union(list, from, to)).toEqual([...expected].sort((a, b) => a - b))
    }
  })

  it('reads no damaged page', () => {
    const indexes = [...Array(64).keys(), 900, 2000, 3500, 5000, 6045]
    const calls = (list: ListReader) => [
      ...indexes.map((i) => [() => list.get(i).size, sets[i]!.length] as const),
      ...indexes.map((i) => [() => list.ids(i).slice(), sets[i]!] as const),
      ...indexes.map((i) => [() => list.size(i), sets[i]!.length] as const),
      ...indexes.map((i) => [() => union(list, i, i + 1), [...sets[i]!]] as const),
      ...indexes.map((i) => [() => list.countIn(i, wordsOf([], 2500)), 0] as const),
    ]
    expect(refusals(calls(opened(whole, sets.length)))).toBe(0)
    const damaged = whole.damaged()
    expect(damaged.length).toBe(5)
    for (const block of damaged) {
      const list = opened(block, sets.length)
      const out = new Uint32Array(sets.length)
      expect(refusals(calls(list))).toBeGreaterThan(0)
      refusals([[() => list.sizes(0, 3000, out), undefined]])
    }
  })

  it.each([
    ['an id above the last', idsOf(FIRST, 3, 2), { last: FIRST + 3 }],
    ['more ids than documents', idsOf(FIRST, 3, 1), { count: 2 }],
    ['a larger id in a set', idsOf(FIRST, 60, 2), { last: FIRST + 117 }],
    ['a larger id in a bitmap', idsOf(FIRST, 5000, 2), { last: FIRST + 9997 }],
    ['more ids in a set', idsOf(FIRST, 60, 2), { count: 59 }],
    ['many more ids in a set', idsOf(FIRST, 300, 2), { count: 299 }],
  ])('with %s is refused', (_, ids, less) => {
    const block = listOf([ids])
    const last = ids.at(-1)!
    expect(opened(block, 1, { ...bounds, last, count: ids.length }).get(0).max).toBe(last)
    expect(() => opened(block, 1, { ...bounds, ...less }).get(0)).toThrow(CorruptionError)
  })

  /** A list with these sizes, entries and sets. */
  const raw = (
    sizes: number[],
    entries: number[],
    encoded: Uint8Array = new Uint8Array(0),
  ): ListReader => {
    const block = blockOf((head, parts) => {
      const list = { sizes: Uint8Array.from(sizes), entries: Uint8Array.from(entries) }
      writeList({ ...list, sets: encoded, offsets: new Uint8Array(0) }, head, parts)
    })
    return opened(block, sizes.length)
  }
  const encoded = listOf([idsOf(FIRST, 40, 2)])
  const set = (() => {
    const { section, reader } = encoded.open()
    const { setsAt, setsBytes } = placeList(1, reader)
    return section.bytes.slice(setsAt, setsAt + setsBytes)
  })()
  const withByte = (at: number, value: number): Uint8Array => {
    const bytes = set.slice()
    bytes[at] = value
    return bytes
  }

  it.each([
    ['no ids', [0], [], undefined],
    ['entries that are too long', [1], [5, 5], undefined],
    ['entries that are too short', [2], [5], undefined],
    ['no entries', [1], [], undefined],
    ['a size below the one that is stored', [255], [100, 0, 20], set],
    ['a set past the end', [40], [1, set.length / 2], set],
    ['a set of few bytes', [40], [0, 3], set],
    ['no containers', [40], [0, set.length / 2], withByte(4, 0)],
    ['too many containers', [40], [0, set.length / 2], withByte(4, 40)],
    ['another number of ids', [41], [0, set.length / 2], set],
    ['ids that do not ascend', [40], [0, set.length / 2], withByte(18, set[16]!)],
  ] as const)('with %s is refused', (_, sizes, entries, bytes) => {
    expect(raw([40], [0, set.length / 2], set).ids(0)).toEqual(idsOf(FIRST, 40, 2))
    expect(() => raw([...sizes], [...entries], bytes).ids(0)).toThrow(CorruptionError)
  })

  it('has no set past its end', () => {
    const list = raw([1], [5])
    for (const read of [() => list.size(1), () => list.get(1), () => list.get(16)]) {
      expect(read).toThrow(CorruptionError)
    }
  })
})

/** Rows of values by document. */
const rowsOf = (values: ReadonlyMap<number, readonly number[]>): RowsData => {
  const starts = Uint32Array.from(
    values.values(),
    (
      (at) => (row) =>
        (at += row.length)
    )(0),
  )
  return {
    holders: Uint32Array.from(values.keys()),
    starts: Uint32Array.from([0, ...starts]),
    ordinals: Uint32Array.from([...values.values()].flat()),
  }
}

describe('postings', () => {
  const count = 9000
  // Two documents for each value; every 16th document has two values.
  const values = new Map(
    Array.from({ length: count * 2 }, (_, i): [number, number[]] => {
      const value = (i * 7919) % count
      return [i + 50, i % 16 === 0 && value + 1 < count ? [value, value + 1] : [value]]
    }),
  )
  const holders = IdSet.of(values.keys())
  const bounds = { first: 50, last: 50 + count * 2, count: count * 2 }
  const written = (map: Uint32Array | null, gain: number, distinct = count): Block =>
    blockOf((head, parts) => writePostings(rowsOf(values), map, distinct, 50, gain, head, parts))
  const opened = (block: Block, distinct = count): Postings => {
    const { section, reader } = block.open()
    const postings = Postings.open(section, distinct, bounds, () => holders, reader)
    reader.finish()
    return postings
  }
  const union = (postings: Postings, from: number, to: number): number[] => {
    const collected = new IdUnion(0)
    postings.addRange(from, to, collected)
    return [...collected.take().toArray()]
  }

  it.each([
    [2, 0b110],
    [4, 0b100],
    [8, 0],
  ])('with a gain of %d have levels %d', (gain, levels) => {
    const block = written(null, gain)
    expect(block.open().reader.head.varint()).toBe(levels)
    const postings = opened(block)
    const ranges = [
      [0, 0],
      [5, 5],
      [9, 3],
      [0, 1],
      [0, 64],
      [1, 64],
      [63, 129],
      [64, 128],
    ]
    for (const [from, to] of [...ranges, [100, 5000], [8959, 9000], [0, 8999], [4090, 8200]]) {
      const expected = [...values].filter(([, row]) => row.some((v) => v >= from! && v < to!))
      expect(union(postings, from!, to!)).toEqual(expected.map(([id]) => id))
    }
    expect(union(postings, 0, count)).toEqual([...holders.toArray()])
    const ids = [...values].filter(([, row]) => row.includes(77)).map(([id]) => id)
    expect([...postings.ids(77)]).toEqual(ids)
    expect([...postings.get(77).toArray()]).toEqual(ids)
    const sizes = new Uint32Array(2)
    postings.sizes(76, 78, sizes)
    expect([postings.size(77), sizes[1]]).toEqual([ids.length, ids.length])
    expect(postings.countIn(77, wordsOf(ids.slice(1), 600))).toBe(ids.length - 1)
  })

  it.each([
    [2730, 0],
    [2731, 0b10],
  ])('of %d single documents have levels %d', (distinct, levels) => {
    const single = rowsOf(new Map(Array.from({ length: distinct }, (_, i) => [50 + i, [i]])))
    const block = blockOf((head, parts) =>
      writePostings(single, null, distinct, 50, 2, head, parts),
    )
    expect(block.open().reader.head.varint()).toBe(levels)
  })

  it('of mapped ordinals count a document once for a value', () => {
    const map = Uint32Array.from({ length: count }, (_, i) => i >>> 1)
    const postings = opened(written(map, 2, count / 2), count / 2)
    for (const value of [0, 1, 700, count / 2 - 1]) {
      const ids = [...values].filter(([, row]) => row.some((v) => v >>> 1 === value))
      expect([...postings.ids(value)]).toEqual(ids.map(([id]) => id))
    }
  })

  it('of the highest level are read', () => {
    const writer = new ListWriter(50)
    writer.add(Uint32Array.of(60), 0, 1)
    const list = writer.finish()
    const block = blockOf((head, parts) => {
      head.varint(1 << 5)
      for (const each of [list, list]) writeList(each, head, parts)
    })
    expect([...opened(block, 1).ids(0)]).toEqual([60])
  })

  it.each([1, 64])('with levels %d are refused', (levels) => {
    const block = blockOf((head) => head.varint(levels))
    expect(() => opened(block, 0)).toThrow(CorruptionError)
  })
})

describe('rows', () => {
  const anyRows = fc.tuple(
    fc.boolean(),
    fc.uniqueArray(fc.nat(60), { minLength: 1, maxLength: 40 }),
    fc.constantFrom(12, 300, 70_000),
  )
  const opened = (block: Block, holders: Members, ordinals: number, docs = 61): Rows => {
    const { section, reader } = block.open()
    const rows = new Rows(section, ordinals, docs, () => holders, reader)
    reader.finish()
    return rows
  }
  const written = (rows: RowsData, ordinals: number): Block =>
    blockOf((head, parts) => writeRows(rows, ordinals, head, parts))

  it('are read by document, counted, grouped, collected', () => {
    fc.assert(
      fc.property(anyRows, ([isSingle, holders, count]) => {
        const values = new Map(
          holders
            .sort((a, b) => a - b)
            .map((id): [number, number[]] => {
              const row = [id % 5, (id % 5) + 1, count - 2, count - 1]
              return [id, isSingle ? [row[id % 4]!] : row.slice(id % 3)]
            }),
        )
        const members = new Members(IdSet.of(holders))
        const data = rowsOf(values)
        const rows = opened(written(data, count), members, count)
        expect([rows.isSingle, rows.total]).toEqual([isSingle, data.ordinals.length])
        const { starts, ordinals } = rows.toArrays()
        expect([starts, ordinals]).toEqual([data.starts, data.ordinals])
        const ids = Uint32Array.from({ length: 61 }, (_, i) => i)
        for (const id of ids) expect([...rows.of(id)]).toEqual(values.get(id) ?? [])
        const [from, to] = [5, 50]
        const asked = [...values].filter(([id]) => id >= from && id < to).map(([, row]) => row)
        expect([...rows.collect(ids, from, to)]).toEqual(asked.flat())
        const counts = new Uint32Array(count)
        rows.count(ids, from, to, counts)
        const groups = Uint32Array.from({ length: count }, (_, i) => i % 3)
        const grouped = new Uint32Array(3)
        rows.countGroups(ids, from, to, groups, grouped)
        const some = [0, 1, 2, 3, 4, 5, count - 2, count - 1]
        expect(some.map((o) => counts[o])).toEqual(
          some.map((o) => asked.filter((row) => row.includes(o)).length),
        )
        expect([...grouped]).toEqual(
          [0, 1, 2].map((group) => asked.filter((row) => row.some((o) => o % 3 === group)).length),
        )
        for (const largest of [true, false]) {
          const out = new Uint32Array(to - from)
          rows.extremes(ids, from, to, largest, 99_999, out)
          const at = largest ? -1 : 0
          const expected = [...ids.subarray(from, to)].map((id) => values.get(id)?.at(at) ?? 99_999)
          expect([...out]).toEqual(expected)
        }
      }),
    )
  })

  const three = new Members(IdSet.of([1, 5, 9]))
  const holders = Uint32Array.of(1, 5, 9)
  test.each([
    ['a start above 0', [1, 2, 3, 5], [0, 1, 0, 1, 2]],
    ['an empty row', [0, 2, 2, 5], [0, 1, 0, 1, 2]],
    ['descending starts', [0, 4, 2, 5], [0, 1, 2, 3, 4]],
    ['an ordinal out of bounds', [0, 1, 2, 4], [0, 1, 0, 7]],
    ['a repeated ordinal', [0, 1, 2, 4], [0, 1, 3, 3]],
    ['descending ordinals', [0, 1, 2, 4], [0, 1, 3, 2]],
  ])('with %s are refused', (_, starts, ordinals) => {
    const data = { holders, starts: Uint32Array.from(starts), ordinals: Uint32Array.from(ordinals) }
    expect(() => opened(written(data, 7), three, 7).toArrays()).toThrow(CorruptionError)
  })

  it('with a start past the end are refused, or give no values of others', () => {
    const data = { holders, starts: Uint32Array.of(0, 200, 2, 5), ordinals: new Uint32Array(5) }
    const rows = opened(written(data, 7), three, 7)
    expect(() => rows.of(1)).toThrow(CorruptionError)
    expect(() => rows.of(5)).toThrow(CorruptionError)
    expect([...rows.of(9)]).toEqual([0, 0, 0])
    const counts = new Uint32Array(7)
    opened(written(data, 7), three, 7).count(holders, 0, 3, counts)
    opened(written(data, 7), three, 7).countGroups(holders, 0, 3, new Uint32Array(7), counts)
    expect(opened(written(data, 7), three, 7).collect(holders, 0, 3).length).toBe(5)
    expect(counts[0]).toBe(5 + 3 + 1 + 1)
  })

  it('of another number of documents are refused', () => {
    const data = rowsOf(
      new Map([
        [1, [0]],
        [5, [0, 1]],
        [9, [1]],
      ]),
    )
    expect(() => opened(written(data, 2), three, 2, 2)).toThrow(CorruptionError)
    expect(opened(written(data, 2), three, 2, 3).holders()).toBe(three)
    const two = new Members(IdSet.of([1, 5]))
    expect(() => opened(written(data, 2), two, 2).of(1)).toThrow(CorruptionError)
    const fewer = blockOf((head) => {
      head.varint(3)
      head.varint(2)
    })
    expect(() => opened(fewer, three, 2)).toThrow(CorruptionError)
  })

  it('read no damaged page', () => {
    const values = new Map(
      Array.from({ length: 9000 }, (_, i): [number, number[]] => [i, [i % 7, 300, 700 + i]]),
    )
    const members = new Members(IdSet.range(0, 9000))
    const ids = idsOf(0, 9000, 1)
    for (const single of [true, false]) {
      const data = new Map([...values].map(([id, row]) => [id, single ? [row[2]!] : row]))
      const damaged = written(rowsOf(data), 70_000).damaged()
      expect(damaged.length).toBeGreaterThan(1)
      for (const block of damaged) {
        const rows = opened(block, members, 70_000, 9000)
        // From the middle to both sides, so that verified spans grow in both directions.
        const order = [4000, 4100, 3900, 8999, 0, 100, 8900, ...idsOf(7, 200, 44)]
        const calls = order.map((id) => [() => [...rows.of(id)], data.get(id)!] as const)
        const spans = order.map((id) => {
          const expected = single ? [id + 700] : [id % 7, 300, id + 700]
          return [() => [...rows.collect(ids, id, id + 1)], expected] as const
        })
        expect(refusals([...calls, ...spans])).toBeGreaterThan(0)
        expect(() => rows.toArrays()).toThrow(CorruptionError)
      }
    }
  })

  it('of many documents are read at once', () => {
    const values = new Map(Array.from({ length: 3000 }, (_, i): [number, number[]] => [i * 2, [1]]))
    const members = new Members(IdSet.of(values.keys()))
    const rows = opened(written(rowsOf(values), 2), members, 2, 6000)
    const counts = new Uint32Array(2)
    rows.count(idsOf(0, 6000, 1), 0, 6000, counts)
    expect([...counts]).toEqual([0, 3000])
  })
})

describe('a field', () => {
  const docs = { ids: idsOf(10, 100, 2), first: 10, last: 208 }
  const none = new Uint32Array(0)
  const opened = (parts: Partial<FieldData>) => {
    const data = { fieldId: 3 as FieldId, exists: docs.ids, nulls: none, empties: none }
    const field = { ...data, blanks: none, numbers: null, strings: null, ...parts }
    const { section, reader } = writtenBlock((out) => writeField(field, docs, out)).open()
    const bounds = { first: docs.first, last: docs.last, count: docs.ids.length }
    const sets = new FieldSets(section, new Members(IdSet.ofSorted(docs.ids)), bounds, reader)
    return { section, reader, bounds, sets }
  }
  const kinds = (parts: Partial<FieldData>): number[] => {
    const data = { fieldId: 3 as FieldId, exists: docs.ids, nulls: none, empties: none }
    const field = { ...data, blanks: none, numbers: null, strings: null, ...parts }
    const { reader } = writtenBlock((out) => writeField(field, docs, out)).open()
    return FIELD_SETS.map(() => reader.head.varint())
  }

  it('has the cheapest kind for each set', () => {
    const [half, more] = [docs.ids.slice(0, 50), docs.ids.slice(0, 51)]
    const other = docs.ids.slice(1, 51)
    const parts = { exists: half, nulls: other, empties: half, blanks: more }
    expect(kinds(parts)).toEqual([3, 3, 2, 4, 0, 0])
    const { sets } = opened(parts)
    expect([...sets.get('exists').toArray()]).toEqual([...half])
    expect(sets.get('empties')).toBe(sets.get('exists'))
    expect([...sets.get('nulls').toArray()]).toEqual([...other])
    expect([...sets.get('blanks').toArray()]).toEqual([...more])
    expect([...sets.get('numbers').toArray()]).toEqual([])
    expect(sets.members('blanks').rankOf(docs.ids[50]!)).toBe(50)
    expect(kinds({})).toEqual([1, 0, 0, 0, 0, 0])
    expect([...opened({}).sets.get('exists').toArray()]).toEqual([...docs.ids])
  })

  it.each([
    ['an unknown kind', [5, 0, 0, 0, 0, 0]],
    ['a set like itself', [2, 0, 0, 0, 0, 0]],
  ])('with %s is refused', (_, given) => {
    const { section, reader } = blockOf((head) => {
      for (const kind of [...given, 0, 0]) head.varint(kind)
    }).open()
    const bounds = { first: 10, last: 208, count: 100 }
    const members = new Members(IdSet.ofSorted(docs.ids))
    expect(() => new FieldSets(section, members, bounds, reader)).toThrow(CorruptionError)
  })

  it('with a document of no segment is refused', () => {
    const other = { ids: idsOf(10, 199, 1), first: 10, last: 208 }
    const field = { fieldId: 3 as FieldId, exists: idsOf(10, 3, 1), nulls: none, empties: none }
    const data = { ...field, blanks: none, numbers: null, strings: null }
    const { section, reader } = writtenBlock((out) => writeField(data, other, out)).open()
    const bounds = { first: 10, last: 208, count: 100 }
    const sets = new FieldSets(section, new Members(IdSet.ofSorted(docs.ids)), bounds, reader)
    expect(() => sets.get('exists')).toThrow(CorruptionError)
  })

  const rows = (values: number) =>
    rowsOf(new Map(Array.from({ length: values }, (_, i) => [10 + i * 2, [i]])))
  it.each([
    ['integers', [-3, 0, 252], null, 1, -3],
    ['wider integers', [-3, 0, 253], null, 2, -3],
    ['integers of 32 bits', [1, 2 ** 32], null, 4, 1],
    ['a wider range', [0, 2 ** 32], null, 8, null],
    ['the largest base', [2 ** 51, 2 ** 51 + 1], null, 1, 2 ** 51],
    ['a larger base', [2 ** 51 + 1], null, 8, null],
    ['a smaller base', [-(2 ** 51) - 1], null, 8, null],
    ['a fraction', [1, 2.5, 3], null, 8, null],
    ['a negative zero', [-0, 0], null, 8, null],
    ['exact numbers', [1, 2 ** 60], [0, 5], 10, null],
  ] as const)('holds %s in the narrowest form', (_, given, residues, width, base) => {
    const values = new Float64Array(given)
    const exact = residues === null ? null : Int16Array.from(residues)
    const numbers = { values, residues: exact, rows: rows(given.length) }
    const { section, reader, bounds, sets } = opened({ numbers })
    const { head } = reader
    expect([head.varint(), head.varint(), head.varint()]).toEqual([given.length, 0, width])
    if (base !== null) expect(unzigzag(head.varint())).toBe(base)
    const bytes = width === 10 ? 8 : width
    const at = reader.part(given.length * bytes, bytes)
    if (width === 1 || width === 2 || width === 4) {
      const distances = [...packedView(section, at, given.length, width)]
      expect(distances).toEqual(given.map((value) => value - given[0]))
    } else expect([...float64View(section, at, given.length)]).toEqual([...given])
    if (residues !== null) {
      expect([...int16View(section, reader.part(4, 2), 2)]).toEqual([...residues])
    }
    const read = new Rows(section, given.length, 100, () => sets.members('numbers'), reader)
    const postings = Postings.open(section, given.length, bounds, () => sets.get('numbers'), reader)
    reader.finish()
    expect([...read.of(10)]).toEqual([0])
    expect([...postings.ids(given.length - 1)]).toEqual([8 + given.length * 2])
  })
})

it('exact numbers are in order of double and residue', () => {
  const values = new Float64Array([0, -0, 2 ** 60, 2 ** 60, -1, 2 ** 60, 2 ** 60, 0, -0])
  const residues = Int16Array.of(0, 0, 5, -3, 0, 5, 0, 0, 0)
  expect([...exactOrder(values, residues)]).toEqual([4, 1, 8, 0, 7, 3, 6, 2, 5])
})

describe('points', () => {
  it('have bounds', () => {
    const points = new Float64Array([5, 50, -3, 7, 9, -8, 100, 100])
    expect([...boundsOf(points, Uint32Array.of(3, 2, 0, 1), 1, 4)]).toEqual([-3, 9, -8, 50])
  })

  it('are ordered along the curve, scaled to their bounds', () => {
    // Corners of a square: the curve goes from one to the next.
    const square = [
      [0, 0],
      [8, 0],
      [8, 9],
      [0, 9],
    ] as const
    const corners = (order: readonly number[]) => new Float64Array(order.flatMap((i) => square[i]!))
    const first = [...hilbertOrder(corners([0, 1, 2, 3]), 4)]
    expect([...hilbertOrder(corners([2, 0, 3, 1]), 4)].map((i) => [2, 0, 3, 1][i])).toEqual(first)
    expect([first.join(''), first.toReversed().join('')]).toContain('0123')
    // Points of a line are in its order.
    const line = new Float64Array(
      Array.from({ length: 3000 }, (_, i) => [7, (i * 7) % 3000]).flat(),
    )
    const along = [...hilbertOrder(line, 3000)].map((i) => line[i * 2 + 1]!)
    expect(along).toEqual([...idsOf(0, 3000, 1)])
  })
})

it('views of packed values are copied only if they are not aligned', () => {
  const values = Uint32Array.of(7, 1 << 20, 3)
  const block = blockOf((head, parts) => {
    head.u8(0)
    parts.add(bytesOf(values), 4)
    parts.add(bytesOf(Float64Array.of(1.5, -2)), 8)
    parts.add(bytesOf(Int16Array.of(-5, 6)), 2)
  })
  const { section, reader } = block.open()
  const at = [reader.part(12, 4), reader.part(16, 8), reader.part(4, 2)] as const
  expect(packedView(section, at[0], 3, 4)).toEqual(values)
  expect([...float64View(section, at[1], 2)]).toEqual([1.5, -2])
  expect([...int16View(section, at[2], 2)]).toEqual([-5, 6])
})
