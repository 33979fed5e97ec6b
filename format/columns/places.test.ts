// Places and shapes against plain computations.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { docOf, encodeDocs, openColumns } from '../../fixtures/format/columns/model.ts'
import { CorruptionError, InvariantError } from '../errors.ts'
import { Members } from '../fields/members.ts'
import { Frame } from '../frame/index.ts'
import { encodeFrame } from '../frame/writer-v1.ts'
import { IdSet } from '../idset/index.ts'
import { GEO_BLOCK, GeoReader, writeGeo } from './geo-v1.ts'
import {
  PART_HOLE,
  PART_LINE,
  PART_POINTS,
  PART_RING,
  ShapeBytes,
  type ShapePart,
} from './shapes-v1.ts'

type Place = readonly [latitude: number, longitude: number]

function readerOf(places: readonly Place[], step: number): GeoReader {
  const ids = Uint32Array.from(places, (_, i) => i * step)
  const count = step === 1 ? places.length : places.length * step
  const docs = Uint32Array.from({ length: count }, (_, i) => i)
  const points = Float64Array.from(places.flat())
  const data = { ids: docs, first: 0, last: count - 1 }
  const bytes = encodeFrame('COLS', (writer) =>
    writer.section('GEOP', 1, writeGeo({ ids, points }, data)),
  )
  return new GeoReader(Frame.open(bytes, 'COLS').section('GEOP'), new Members(IdSet.ofSorted(docs)))
}

const anyPlaces = fc.array(
  fc.tuple(
    fc.oneof(fc.constantFrom(-90, 0, 90), fc.double({ min: -90, max: 90, noNaN: true })),
    fc.oneof(fc.constantFrom(-180, 0, 180), fc.double({ min: -180, max: 180, noNaN: true })),
  ),
  { minLength: 1, maxLength: 200 },
)

/** Places of one region, so that the boxes of blocks are small and differ in latitude. */
const regional = fc.array(
  fc.tuple(
    fc.double({ min: 20, max: 85, noNaN: true }),
    fc.double({ min: 0, max: 50, noNaN: true }),
  ),
  { minLength: 65, maxLength: 150 },
)

const RADIANS = Math.PI / 180
/** The place as a point on the unit sphere. */
const onSphere = ([latitude, longitude]: Place): readonly [number, number, number] => {
  const [a, b] = [latitude * RADIANS, longitude * RADIANS]
  return [Math.cos(a) * Math.cos(b), Math.cos(a) * Math.sin(b), Math.sin(a)]
}

describe('places', () => {
  it.each([1, 3])('are returned exactly, for every %d. document', (step) => {
    fc.assert(
      fc.property(anyPlaces, (places) => {
        const reader = readerOf(places, step)
        expect(reader.count).toBe(places.length)
        expect([...reader.holders().set.toArray()]).toEqual(places.map((_, i) => i * step))
        for (const [rank, [latitude, longitude]] of places.entries()) {
          expect(reader.latitude(rank)).toBe(latitude)
          expect(reader.longitude(rank)).toBe(longitude)
        }
      }),
      { numRuns: 40 },
    )
  })

  it('are inside the sphere of their block, and each is in one block', () => {
    fc.assert(
      fc.property(fc.oneof(anyPlaces, regional), (places) => {
        const reader = readerOf(places, 1)
        const blocks = places.length > GEO_BLOCK ? Math.ceil(places.length / GEO_BLOCK) : 0
        expect(reader.blockCount).toBe(blocks)
        const spheres = reader.spheres()
        const seen = new Set<number>()
        for (let slot = 0; slot < (blocks === 0 ? 0 : places.length); slot++) {
          const rank = reader.rankAt(slot)
          seen.add(rank)
          const at = Math.floor(slot / GEO_BLOCK) * 4
          const point = onSphere(places[rank]!)
          const distance = Math.hypot(
            point[0] - spheres[at]!,
            point[1] - spheres[at + 1]!,
            point[2] - spheres[at + 2]!,
          )
          expect(distance).toBeLessThanOrEqual(spheres[at + 3]! + 1e-12)
        }
        expect(seen.size).toBe(blocks === 0 ? 0 : places.length)
      }),
      { numRuns: 60 },
    )
  })
})

describe('shapes', () => {
  const triangle = Float64Array.of(0, 0, 0, 8, 8, 0)

  it('are refused with a hole that has no ring, an unknown part or a number that is not finite', () => {
    const shape: readonly ShapePart[] = [{ kind: PART_RING, points: triangle }]
    const sound = encodeDocs([docOf(4, {}, null, shape)])
    expect(openColumns(sound).shapes()!.parts(0)).toEqual(shape)
    const kinds = [PART_HOLE, 0, 5]
    for (const kind of kinds) {
      const reader = shapesWith((view, at) => view.setUint32(at, kind, true))
      expect(() => reader.parts(0), `kind ${kind}`).toThrow(CorruptionError)
    }
    const infinite = shapesWith((view, at) =>
      view.setFloat64(at + 8, Number.POSITIVE_INFINITY, true),
    )
    expect(() => infinite.parts(0)).toThrow(CorruptionError)
    const longer = shapesWith((view, at) => view.setUint32(at + 4, 4, true))
    expect(() => longer.parts(0)).toThrow(CorruptionError)
  })

  it('assert that ranks exist and that parts have points', () => {
    const reader = shapesWith(() => undefined)
    expect(() => reader.bytes(1)).toThrow(InvariantError)
    expect(() => new ShapeBytes().add([])).toThrow(InvariantError)
    const empty: ShapePart = { kind: PART_LINE, points: new Float64Array(0) }
    expect(() => new ShapeBytes().add([empty])).toThrow(InvariantError)
    const half: ShapePart = { kind: PART_POINTS, points: Float64Array.of(1) }
    expect(() => new ShapeBytes().add([half])).toThrow(InvariantError)
  })

  /** Returns a reader of one triangle whose bytes `change` has modified, under right checksums. */
  function shapesWith(change: (view: DataView, at: number) => void) {
    const shape: readonly ShapePart[] = [{ kind: PART_RING, points: triangle }]
    const docs = encodeDocs([docOf(4, {}, null, shape)])
    const frame = Frame.open(docs, 'COLS')
    const bytes = encodeFrame('COLS', (writer) => {
      for (const section of frame.sections) {
        const copy = section.bytes.slice()
        if (section.tag === 'SHAP') change(new DataView(copy.buffer), copy.length - 56)
        writer.section(section.tag, section.version, copy)
      }
    })
    return openColumns(bytes).shapes()!
  }
})
