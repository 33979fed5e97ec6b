// Dictionaries, originals, and the rows that builders make.
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { bytesOf } from '../bytes/index.ts'
import { CorruptionError } from '../errors.ts'
import { Dictionary, writeDictionary } from './dictionary-v1.ts'
import { ByteInterner } from './intern.ts'
import { Originals, writeOriginals } from './originals-v1.ts'
import { Uint32List } from './packed.ts'
import { numberRows, stringRows } from './row-builder.ts'
import { type Block, blockOf } from './test-block.ts'

const slicesOf = (strings: readonly Uint8Array[]) => {
  const ends = Uint32Array.from(
    strings,
    (
      (at) => (string) =>
        (at += string.length)
    )(0),
  )
  const starts = ends.map((end, i) => end - strings[i]!.length)
  return { bytes: Uint8Array.from(strings.flatMap((string) => [...string])), starts, ends }
}

const text = (string: string): Uint8Array => new Uint8Array(Buffer.from(string, 'latin1'))
const compare = (a: Uint8Array, b: Uint8Array): number => Math.sign(Buffer.compare(a, b))

const dictionaryOf = (strings: readonly Uint8Array[]): Block =>
  blockOf((head, parts) => writeDictionary(slicesOf(strings), head, parts))
const opened = (block: Block, count: number): Dictionary => {
  const { section, reader } = block.open()
  const dictionary = new Dictionary(section, count, reader)
  reader.finish()
  return dictionary
}

const anyString = fc.oneof(
  fc.uint8Array({ maxLength: 3, max: 3 }),
  fc.uint8Array({ minLength: 120, maxLength: 140, max: 1 }).map((tail) => tail.fill(7, 0, 118)),
  fc.tuple(fc.nat(468), fc.nat(3)).map(([length, byte]) => new Uint8Array(length).fill(byte)),
)
const anySorted = fc
  .uniqueArray(anyString, { maxLength: 60, selector: String })
  .map((strings) => strings.sort(Buffer.compare))

describe('a dictionary', () => {
  it('finds strings, bounds and lengths', () => {
    fc.assert(
      fc.property(anySorted, fc.array(anyString, { maxLength: 20 }), (strings, others) => {
        const dictionary = opened(dictionaryOf(strings), strings.length)
        for (const [i, string] of strings.entries()) expect(dictionary.get(i)).toEqual(string)
        for (const key of [...strings, ...others]) {
          const lower = strings.filter((string) => compare(string, key) < 0).length
          const isThere = lower < strings.length && compare(strings[lower]!, key) === 0
          expect(dictionary.lowerBound(key)).toBe(lower)
          expect(dictionary.upperBound(key)).toBe(lower + (isThere ? 1 : 0))
          expect(dictionary.find(key)).toBe(isThere ? lower : -1)
        }
        const longest = Math.max(-1, ...strings.map((string) => string.length))
        expect([0, longest, longest + 1].map((length) => dictionary.hasOf(length))).toEqual([
          strings.length > 0,
          strings.length > 0,
          false,
        ])
      }),
      { numRuns: 30 },
    )
  })

  it('is walked in order, and ascending keys are skipped to', () => {
    fc.assert(
      fc.property(anySorted, fc.array(anyString, { maxLength: 20 }), (strings, others) => {
        const dictionary = opened(dictionaryOf(strings), strings.length)
        const walk = dictionary.walk()
        expect(walk.ordinal).toBe(-1)
        for (const [i, string] of strings.entries()) {
          expect([walk.next(true), walk.ordinal, walk.length]).toEqual([true, i, string.length])
          expect(walk.bytes.subarray(0, walk.length)).toEqual(string)
          for (const key of others) expect(Math.sign(walk.compare(key))).toBe(compare(string, key))
        }
        expect(walk.next()).toBe(false)
        if (strings.length === 0) return
        const skipping = dictionary.walk()
        const second = dictionary.walk()
        skipping.seek(0)
        for (const key of [...others, ...strings].sort(Buffer.compare)) {
          const at = strings.findIndex((string) => compare(string, key) >= 0)
          expect(skipping.skipTo(key)).toBe(at >= 0 && compare(strings[at]!, key) === 0)
          if (at < 0) break
          expect(skipping.ordinal).toBe(at)
          second.seek((at * 7) % strings.length)
          const order = compare(strings[at]!, strings[(at * 7) % strings.length]!)
          expect(Math.sign(skipping.compareTo(second))).toBe(order)
        }
      }),
      { numRuns: 30 },
    )
  })

  const many = Array.from({ length: 2000 }, (_, i) => text(`${i + 1e4} ${'x'.repeat(i % 30)}`))

  it('reads no damaged page', () => {
    const block = dictionaryOf(many)
    expect(block.damaged().length).toBeGreaterThan(0)
    for (const damaged of block.damaged()) {
      const dictionary = opened(damaged, many.length)
      const answers = (read: () => unknown, expected: unknown) => {
        try {
          expect(read()).toEqual(expected)
          return 0
        } catch (error) {
          if (!(error instanceof CorruptionError)) throw error
          return 1
        }
      }
      let refused = 0
      for (const [i, string] of many.entries()) {
        refused += answers(() => dictionary.get(i), string)
        refused += answers(() => dictionary.find(string), i)
      }
      expect(refused).toBeGreaterThan(0)
      expect(() => {
        for (const walk = dictionary.walk(); walk.next(); );
      }).toThrow(CorruptionError)
    }
  })

  test.each([
    ['the same string', [text('b'), text('b')], 2, 2],
    ['a smaller string', [text('ab'), text('aa')], 2, 2],
    ['a shorter string', [text('ab'), text('a')], 2, 2],
    ['one after a block', [...many.slice(0, 16), text('0')], 17, 17],
  ])('refuses %s in a strict walk only', (_, strings, count, steps) => {
    const walk = opened(dictionaryOf(strings), count).walk()
    for (let i = 1; i < steps; i++) expect(walk.next(true)).toBe(true)
    expect(() => walk.next(true)).toThrow(CorruptionError)
    expect(opened(dictionaryOf(strings), count).walk().next()).toBe(true)
  })

  const raw = (...entries: readonly number[]): Block =>
    blockOf((head, parts) => {
      head.varint(entries.length)
      parts.add(Uint8Array.from(entries), 1)
    })
  test.each([
    ['more shared bytes than there are', 1, [1, 65, 2, 1, 66]],
    ['a string past its block', 0, [3, 65, 66]],
    ['a string of 469 bytes', 0, [0xd5, 3, ...new Array<number>(469).fill(65)]],
    ['a longer one by its shared bytes', 1, [3, 65, 66, 67, 3, 0xd2, 3, ...many[0]!]],
  ])('refuses %s', (_, ordinal, entries) => {
    const dictionary = opened(raw(...entries), ordinal + 1)
    expect(() => dictionary.get(ordinal)).toThrow(CorruptionError)
  })

  it('refuses ordinals and offsets out of bounds', () => {
    const dictionary = opened(dictionaryOf([text('a')]), 1)
    expect(() => dictionary.get(1)).toThrow(CorruptionError)
    const withOffset = (offset: number): Dictionary => {
      const block = blockOf((head, parts) => {
        head.varint(34)
        parts.add(bytesOf(Uint32Array.of(offset)), 4)
        parts.add(new Uint8Array(34), 1)
      })
      return opened(block, 17)
    }
    for (const offset of [0, 35]) {
      expect(() => withOffset(offset).get(0)).toThrow(CorruptionError)
    }
    expect(() => withOffset(34).get(16)).toThrow(CorruptionError)
  })
})

/** Pairs of normalised string and original, in order. */
type Pairs = readonly (readonly [string, string])[]

function originalsOf(pairs: Pairs): { readonly forms: number; readonly originals: Originals } {
  const strings = [...new Set(pairs.map(([normalised]) => normalised))]
  const block = blockOf((head, parts) => {
    const data = {
      normalised: slicesOf(strings.map(text)),
      originals: slicesOf(pairs.map(([, original]) => text(original))),
      normalisedOf: Uint32Array.from(pairs, ([normalised]) => strings.indexOf(normalised)),
      rows: {
        holders: new Uint32Array(0),
        starts: new Uint32Array(1),
        ordinals: new Uint32Array(0),
      },
    }
    writeOriginals(data, head, parts)
  })
  const head = block.open().reader.head
  expect(head.varint()).toBe(pairs.length - strings.length)
  const forms = head.varint()
  const { section, reader } = block.open()
  const originals = new Originals(section, strings.length, reader)
  reader.finish()
  for (const [variant, [normalised, original]] of pairs.entries()) {
    const restored = originals.restore(variant, text(normalised))
    expect(Buffer.from(restored).toString('latin1')).toBe(original)
    const ordinal = strings.indexOf(normalised)
    expect(originals.normalisedOf(variant)).toBe(ordinal)
    expect(originals.firstVariant(ordinal)).toBe(pairs.findIndex(([other]) => other === normalised))
  }
  const further = pairs.flatMap(([string], i) => (i > 0 && pairs[i - 1]![0] === string ? [i] : []))
  expect([...originals.further()]).toEqual(further)
  expect([originals.areSingle, originals.count]).toEqual([further.length === 0, pairs.length])
  expect(() => originals.restore(pairs.length, text(''))).toThrow(CorruptionError)
  return { forms, originals }
}

describe('originals', () => {
  it.each<readonly [form: number, pairs: Pairs]>([
    [
      0,
      [
        ['a b', 'a b'],
        ['1', '1'],
      ],
    ],
    [
      1,
      [
        ['war and peace', 'War And Peace'],
        ["o'neil z9z {a", "O'neil Z9z {A"],
      ],
    ],
    [1, [['`a /b :c 0d \xe9a', '`A /B :C 0d \xe9a']]],
    [
      2,
      [
        ['war and peace', 'War and peace'],
        ['9 a b', '9 a b'],
      ].slice(0, 1) as unknown as Pairs,
    ],
    [
      3,
      [
        ['nasa and esa', 'NASA AND ESA'],
        ['azaz', 'AZAZ'],
      ],
    ],
    [6, [['war and peace', 'War AND peace']]],
    [
      6,
      [
        ['a', 'b'],
        ['c', 'C'],
      ],
    ],
    [
      6,
      [
        ['a', 'A'],
        ['b', 'b'],
      ],
    ],
    [
      6,
      [
        ['a', '\xe1'],
        ['a1', 'A\x11'],
        ['{', '['],
      ],
    ],
    [
      6,
      [
        ['a', 'A'],
        ['a', 'a'],
        ['b', 'b'],
        ['c', 'C'],
        ['c', 'longer'],
        ['c', 'c'],
      ],
    ],
    [
      0,
      [
        ['a', 'a'],
        ['aa', 'aa'],
      ],
    ],
  ])('of form %d: %j', (form, pairs) => {
    expect(originalsOf(pairs).forms).toBe(form)
  })

  it('are in blocks of 16', () => {
    const pairs = Array.from({ length: 300 }, (_, i): readonly [string, string] => [
      `string ${1000 + (i >>> 1)}`,
      i % 2 === 0 ? `STRING ${1000 + (i >>> 1)}` : 'x'.repeat(i),
    ])
    expect(originalsOf(pairs).forms).toBe(6)
  })

  const raw = (form: number, ...entries: readonly number[]): Originals => {
    const block = blockOf((head, parts) => {
      head.varint(0)
      head.varint(form)
      if (form === 6) head.varint(entries.length)
      parts.add(Uint8Array.from(entries), 1)
    })
    const { section, reader } = block.open()
    return new Originals(section, 1, reader)
  }

  it('of unknown forms or lengths are refused', () => {
    expect(() => raw(4)).toThrow(CorruptionError)
    expect(() => raw(7)).toThrow(CorruptionError)
    expect(() => raw(6, 6).restore(0, text('a'))).toThrow(CorruptionError)
    expect(() => raw(6, 2 * 8 + 5, 65).restore(0, text('a'))).toThrow(CorruptionError)
    expect(raw(6, 1 * 8 + 5, 65).restore(0, text('a'))).toEqual(text('A'))
    // More bits than the string has bytes, and fewer.
    expect(raw(6, 2 * 8 + 4, 1, 1).restore(0, text('a'))).toEqual(text('A'))
    expect(raw(6, 4).restore(0, text('a'))).toEqual(text('a'))
  })
})

describe('rows', () => {
  const anyEvents = fc
    .array(fc.tuple(fc.nat(6), fc.nat(40)), { maxLength: 120 })
    .map((events) => events.sort(([a], [b]) => a - b))

  it.each([41, 5000])('of numbers hold each value once, of %d ranks', (ranks) => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const docs = Uint32Array.from(events, ([id]) => id)
        // Interned in descending order.
        const rankOf = Uint32Array.from({ length: ranks }, (_, i) => ranks - 1 - i)
        const { rows, used } = numberRows(
          docs,
          Uint32Array.from(events, ([, v]) => v),
          rankOf,
        )
        const holders = [...new Set(events.map(([id]) => id))]
        expect([...rows.holders]).toEqual(holders)
        const all = [...new Set(events.map(([, v]) => ranks - 1 - v))].sort((a, b) => a - b)
        expect([...used]).toEqual(all)
        for (const [h, id] of holders.entries()) {
          const values = new Set(events.filter((e) => e[0] === id).map(([, v]) => ranks - 1 - v))
          const ordinals = [...values].map((rank) => all.indexOf(rank)).sort((a, b) => a - b)
          expect([...rows.ordinals.subarray(rows.starts[h], rows.starts[h + 1])]).toEqual(ordinals)
        }
        expect(rows.starts.length).toBe(holders.length + 1)
        expect(rows.ordinals.length).toBe(rows.starts[holders.length])
      }),
    )
  })

  it('of strings hold the last original of a string, and no blank one', () => {
    const identity = Uint32Array.from({ length: 41 }, (_, i) => i)
    // Three originals for each string; the string of rank 0 is blank.
    const normalisedRanks = identity.map((rank) => Math.floor(rank / 3))
    const sorted = {
      normalised: new ByteInterner(),
      originals: new ByteInterner(),
      order: identity,
      blank: 0,
      variantRanks: identity,
      variantOrder: identity,
      normalisedRanks,
    }
    const manyOfOne = fc
      .array(fc.nat(40), { minLength: 20, maxLength: 40 })
      .map((values) => values.map((value) => [3, value] as [number, number]))
    fc.assert(
      fc.property(fc.oneof(anyEvents, manyOfOne), (events) => {
        const docs = Uint32Array.from(events, ([id]) => id)
        const blanks = new Uint32List()
        const built = stringRows(
          docs,
          Uint32Array.from(events, ([, v]) => v),
          sorted,
          blanks,
        )
        const expected = new Map<number, Map<number, number>>()
        for (const [id, v] of events) {
          const row = expected.get(id) ?? new Map<number, number>()
          if (v >= 3) expected.set(id, row.set(Math.floor(v / 3), v))
        }
        const isBlank = events.filter(([, v]) => v < 3).map(([id]) => id)
        expect([...blanks.view()]).toEqual([...new Set(isBlank)])
        const { rows, used } = built
        const got = [...rows.holders].map((id, h) => [
          id,
          [...rows.ordinals.subarray(rows.starts[h], rows.starts[h + 1])].map((o) => used[o]),
        ])
        const sortedRow = (row: Map<number, number>) => [...row.values()].sort((a, b) => a - b)
        expect(got).toEqual([...expected].map(([id, row]) => [id, sortedRow(row)]))
      }),
    )
  })
})

it('a head with further bytes is refused', () => {
  const block = blockOf((head) => {
    head.varint(0)
    head.varint(0)
  })
  const { section, reader } = block.open()
  new Dictionary(section, 0, reader)
  expect(() => reader.finish()).toThrow(CorruptionError)
})
