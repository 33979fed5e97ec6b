// Sets built from the bits of one segment, and unions of the sets of many segments.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { uniteLive } from './live-sets.ts'
import { clearedBits, setOfBits } from './range-bits.ts'

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
          expect([...setOfBits(bits, segment).toArray()]).toEqual(sorted(ids))
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
    const set = setOfBits(bits, segment)
    expect([set.size, set.min, set.max]).toEqual([1000, idMin, segment.idMax])
  }
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
