// Sets built from the bits of one segment, and unions of the sets of many segments.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { uniteLive } from './live-sets.ts'
import { clearedBits, setOfBits, WindowSet } from './range-bits.ts'

const bounds = fc.tuple(fc.nat(100_000), fc.nat(3000)).map(([idMin, span]) => ({
  idMin,
  idMax: idMin + span,
}))
const sorted = (ids: Iterable<number>): number[] => [...new Set(ids)].sort((a, b) => a - b)

it('bits of a segment become its set, and bits of an earlier use are cleared', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(bounds, fc.array(fc.nat(3000), { maxLength: 400 })), { maxLength: 4 }),
      (segments) => {
        for (const [segment, offsets] of segments) {
          const ids = offsets.map((o) => segment.idMin + Math.min(o, segment.idMax - segment.idMin))
          const bits = clearedBits(segment)
          for (const id of ids) bits[id >>> 5]! |= 1 << (id & 31)
          expect([...setOfBits(bits, segment, false).toArray()]).toEqual(sorted(ids))
          const found = setOfBits(bits, segment, true)
          expect(found.size).toBe(new Set(ids).size)
          expect([...uniteLive([{ set: found, dead: null }]).toArray()]).toEqual(sorted(ids))
        }
      },
    ),
  )
})

it('full segments near 0 and far from it become sets', () => {
  for (const idMin of [0, 7, 90_000]) {
    const segment = { idMin, idMax: idMin + 999 }
    const bits = clearedBits(segment)
    for (let id = idMin; id <= segment.idMax; id++) bits[id >>> 5]! |= 1 << (id & 31)
    const set = setOfBits(bits, segment, false)
    expect([set.size, set.min, set.max]).toEqual([1000, idMin, segment.idMax])
  }
})

it('many documents far from 0 become a window of bits, which is smaller', () => {
  const setOf = (idMin: number, step: number, mayBeWindow: boolean) => {
    const segment = { idMin, idMax: idMin + 3199 }
    const bits = clearedBits(segment)
    for (let id = idMin; id <= segment.idMax; id += step) bits[id >>> 5]! |= 1 << (id & 31)
    return setOfBits(bits, segment, mayBeWindow)
  }
  expect(setOf(0, 2, true)).toBeInstanceOf(IdSet)
  expect(setOf(96_000, 200, true)).toBeInstanceOf(IdSet)
  expect(setOf(96_000, 2, true)).toBeInstanceOf(WindowSet)
  expect(setOf(96_000, 2, true).byteLength).toBe(64 + 400)
  expect(setOf(96_000, 2, false).byteLength).toBeGreaterThan(3200)
})

it('windows are united with sets and further documents, without the dead', () => {
  type Part = {
    readonly start: number
    readonly offsets: readonly number[]
    readonly dead: readonly number[] | null
  }
  const offsets = fc.array(fc.nat(999), { minLength: 1, maxLength: 200 })
  const part: fc.Arbitrary<Part> = fc.record({
    start: fc.constantFrom(0, 32_000, 64_000, 64_500),
    offsets,
    dead: fc.option(fc.oneof(offsets, fc.constant(Array.from({ length: 1000 }, (_, i) => i)))),
  })
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), offsets, (parts, more) => {
      const expected: number[] = [...more]
      const found = parts.map(({ start, ...one }) => {
        const ids = one.offsets.map((offset) => start + offset)
        const dead = one.dead?.map((offset) => start + offset) ?? null
        const bits = clearedBits({ idMin: start, idMax: start + 999 })
        for (const id of ids) bits[id >>> 5]! |= 1 << (id & 31)
        expected.push(...ids.filter((id) => dead?.includes(id) !== true))
        const set = setOfBits(bits, { idMin: start, idMax: start + 999 }, true)
        return { set, dead: dead === null ? null : IdSet.of(dead) }
      })
      const united = uniteLive(found, Uint32Array.from(more))
      expect([...united.toArray()]).toEqual(sorted(expected))
    }),
  )
})

it('sets of many segments are united without the dead', () => {
  const ids = fc.array(fc.oneof(fc.nat(300), fc.nat(200_000)), { maxLength: 60 })
  const part = fc.tuple(ids, fc.option(ids))
  fc.assert(
    fc.property(fc.array(part, { maxLength: 9 }), ids, (parts, more) => {
      const found = parts.map(([live, dead]) => ({
        set: IdSet.of(live),
        dead: dead === null ? null : IdSet.of(dead),
      }))
      const expected = parts.flatMap(([live, dead]) => live.filter((id) => !dead?.includes(id)))
      const united = uniteLive(found, Uint32Array.from(more))
      expect([...united.toArray()]).toEqual(sorted([...expected, ...more]))
    }),
  )
})
