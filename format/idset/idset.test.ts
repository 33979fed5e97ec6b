// The algebra of id sets in all representations, against JavaScript's sets.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  fillRange,
  gallop,
  IdSet,
  IdUnion,
  idSetData,
  idSetOfData,
  lowerBound,
  popcount,
  trailingZeros,
} from './index.ts'
import { ids, type Sample, sample, sortedOf, spread } from './test-support.ts'

const check = (set: IdSet, expected: Iterable<number>): void => {
  const sorted = sortedOf(expected)
  expect(set.size).toBe(sorted.length)
  expect(set.isEmpty).toBe(sorted.length === 0)
  expect(set.min).toBe(sorted[0] ?? -1)
  expect(set.max).toBe(sorted.at(-1) ?? -1)
  expect(Buffer.compare(bytesOf(set.toArray()), bytesOf(Uint32Array.from(sorted)))).toBe(0)
  // Exactly one representation.
  expect((set.ids === null) !== (set.words === null)).toBe(true)
}
const bytesOf = (list: Uint32Array): Uint8Array =>
  new Uint8Array(list.buffer, list.byteOffset, list.byteLength)

describe('a set', () => {
  it('holds the ids it was created from', () => {
    fc.assert(
      fc.property(ids, (list) => {
        check(IdSet.of(list), new Set(list))
      }),
    )
  })

  it('knows members, bounds and the first few', () => {
    fc.assert(
      fc.property(
        sample,
        fc.nat(50),
        fc.array(fc.nat(210_000)),
        ({ model, set }, count, probes) => {
          const sorted = sortedOf(model)
          expect([...set.first(count)]).toEqual(sorted.slice(0, count))
          for (const id of [...probes, ...sorted.slice(0, 20), 2 ** 31, 2 ** 32 - 1]) {
            expect(set.has(id), `${id}`).toBe(model.has(id))
          }
          check(set, model)
          check(idSetOfData(structuredClone(idSetData(set))), model)
        },
      ),
    )
  })

  it('has the smaller representation', () => {
    expect(IdSet.of([]).ids?.length).toBe(0)
    expect(IdSet.of([0]).words?.length).toBe(1)
    expect(IdSet.of([64]).ids?.length).toBe(1)
    expect(IdSet.range(0, 1000).words).not.toBeNull()
    expect(IdSet.range(100_000, 100_010).ids).not.toBeNull()
    expect(IdSet.ofWords(new Uint32Array(9)).ids?.length).toBe(0)
  })

  it('holds the largest ids', () => {
    const set = IdSet.of([0xffffffff, 0x80000000, 5])
    check(set, [5, 0x80000000, 0xffffffff])
    check(set.and(IdSet.of([0xffffffff, 6])), [0xffffffff])
    check(set.andNot(IdSet.of([0x80000000])), [5, 0xffffffff])
    expect(set.has(0xffffffff)).toBe(true)
  })

  it('ranges', () => {
    const bound = fc.oneof(fc.nat(200), fc.nat(70_000))
    fc.assert(
      fc.property(bound, bound, (from, to) => {
        const expected = from < to ? spread(from, to, 1) : []
        check(IdSet.range(from, to), expected)
        const words = new Uint32Array(2200)
        fillRange(words, from, to)
        check(IdSet.ofWords(words), expected)
      }),
    )
  })
})

describe('two sets', () => {
  const both = (a: Sample, b: Sample): void => {
    const common = [...a.model].filter((id) => b.model.has(id))
    const before = [a.set, b.set].map((set) => [...set.first(100)])
    check(a.set.and(b.set), common)
    check(a.set.or(b.set), new Set([...a.model, ...b.model]))
    check(
      a.set.andNot(b.set),
      [...a.model].filter((id) => !b.model.has(id)),
    )
    expect(a.set.andSize(b.set)).toBe(common.length)
    expect(a.set.intersects(b.set)).toBe(common.length > 0)
    expect(a.set.isWithin(b.set)).toBe(common.length === a.model.size)
    const same = common.length === a.model.size && common.length === b.model.size
    expect(a.set.equals(b.set)).toBe(same)
    expect([a.set, b.set].map((set) => [...set.first(100)])).toEqual(before)
  }

  it('have the intersection, union and difference of JavaScript sets', () => {
    fc.assert(
      fc.property(sample, sample, (a, b) => {
        both(a, b)
        both(b, a)
      }),
    )
  })

  it('of very different sizes', () => {
    const ofStep = (step: number, seed: number): Sample => {
      const list = spread(0, 50_000, step, seed)
      return { model: new Set(list), set: IdSet.of(list) }
    }
    for (const [a, b] of [
      [ofStep(40, 1), ofStep(2000, 2)],
      [ofStep(3000, 3), ofStep(35, 4)],
      [ofStep(2, 5), ofStep(5000, 6)],
    ] as const) {
      both(a, b)
      both(b, a)
    }
  })

  it('a set and itself, and nothing', () => {
    fc.assert(
      fc.property(sample, (a) => {
        both(a, a)
        both(a, { model: new Set(), set: IdSet.empty })
        both({ model: new Set(), set: IdSet.empty }, a)
        both(a, { model: new Set(), set: IdSet.ofLazyWords(new Uint32Array(7)) })
      }),
    )
  })

  it('are not copied where one of them is the result', () => {
    fc.assert(
      fc.property(sample, sample, (a, b) => {
        if (a.set.isEmpty || b.set.isEmpty) return
        const common = a.set.and(b.set)
        expect(a.set.and(common)).toBe(common)
        if (a.set.ids === null && common.ids !== null) expect(a.set.or(common)).toBe(a.set)
        const own = a.set.andNot(b.set)
        if (own.size === a.model.size) expect(own).toBe(a.set)
      }),
    )
  })

  it('an operand that is the result is not copied', () => {
    const few = IdSet.of(spread(0, 60_000, 3000))
    const many = IdSet.of(spread(0, 60_000, 60)).or(few)
    const others = IdSet.of([70_000, 80_000])
    for (const one of [few, many, others]) expect(one.words).toBeNull()
    expect(few.and(many).ids).toBe(few.ids)
    expect(many.and(few).ids).toBe(few.ids)
    expect(few.or(many).ids).toBe(many.ids)
    expect(many.or(few).ids).toBe(many.ids)
    expect(few.andNot(others).ids).toBe(few.ids)
  })

  it('bits are set where there is room for them', () => {
    fc.assert(
      fc.property(sample, fc.integer({ min: 1, max: 3000 }), ({ model, set }, length) => {
        const words = new Uint32Array(length)
        set.orInto(words)
        check(
          IdSet.ofWords(words),
          [...model].filter((id) => id < length * 32),
        )
      }),
    )
  })
})

describe('a union', () => {
  type Part = { readonly way: number; readonly one: Sample }
  const part: fc.Arbitrary<Part> = fc.record({ way: fc.nat(1), one: sample })

  it('of anything, again and again in the same collector', () => {
    const rounds = fc.array(fc.array(part, { maxLength: 4 }), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(rounds, fc.nat(300_000), (all, idEnd) => {
        const union = new IdUnion(idEnd)
        for (const parts of all) {
          const expected = new Set<number>()
          for (const { way, one } of parts) {
            const sorted = one.set.toArray()
            if (way === 0) for (const id of sorted) union.add(id)
            else union.addSet(one.set)
            for (const id of sorted) expected.add(id)
          }
          check(union.take(), expected)
        }
        check(union.take(), [])
      }),
    )
  })

  it('a returned union does not change afterwards', () => {
    const union = new IdUnion(10)
    union.addSet(IdSet.range(0, 100))
    const first = union.take()
    union.addSet(IdSet.range(0, 200))
    check(first, spread(0, 100, 1))
  })
})

describe('searching and counting bits', () => {
  it('bounds', () => {
    fc.assert(
      fc.property(ids, fc.nat(210_000), fc.nat(60), (list, id, start) => {
        const sorted = Uint32Array.from(new Set(list)).sort()
        const expected = sorted.filter((other) => other < id).length
        expect(lowerBound(sorted, id)).toBe(expected)
        const from = Math.min(start, sorted.length)
        expect(gallop(sorted, from, id)).toBe(Math.max(from, expected))
      }),
    )
  })

  it('bits', () => {
    fc.assert(
      fc.property(fc.nat(0xffffffff), (n) => {
        const text = n.toString(2)
        const ones = text.replaceAll('0', '').length
        expect(popcount(n)).toBe(ones)
        expect(popcount(n | 0)).toBe(ones)
        if (n !== 0) expect(trailingZeros(n | 0)).toBe(text.length - 1 - text.lastIndexOf('1'))
        if (n !== 0) expect(trailingZeros(n)).toBe(text.length - 1 - text.lastIndexOf('1'))
      }),
    )
  })
})
