// Radius and geo sort compared with each point separately; distances as recorded.
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { anyView, docOf, type ModelDoc, readerOf } from '../../../fixtures/format/columns/model.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { ColumnsSegment } from '../facets/index.ts'
import { geoCircles } from './geo-circles.ts'
import { chordOf, distanceMetres, metresOf, spherePoint, toCentre } from './geo-distance.ts'
import { geoRadius } from './geo-radius.ts'
import { geoSortBuckets } from './geo-sort.ts'

const distanceTo = (doc: ModelDoc, lat: number, lng: number): number =>
  distanceMetres(lat, lng, doc.geo![0], doc.geo![1])

const anyLatitude = fc.double({ min: -90, max: 90, noNaN: true })
const anyLongitude = fc.double({ min: -180, max: 180, noNaN: true })

/**
 * 4,000 documents over several segments: cities, a grid, poles and the antimeridian; some dead
 * copies, and a segment without points.
 */
function world(): { docs: ModelDoc[]; segments: ColumnsSegment[] } {
  let seed = 7
  const next = () => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
    return seed / 2 ** 32
  }
  const docs = Array.from({ length: 4000 }, (_, i) => {
    if (i % 40 === 0) return docOf(i, {})
    if (i % 3 === 0) return docOf(i, {}, [48.85 + next() / 10, 2.3 + next() / 10])
    if (i % 3 === 1) return docOf(i, {}, [next() * 180 - 90, next() * 360 - 180])
    return docOf(i, {}, [next() > 0.5 ? 89.9 : next() * 2 - 1, next() > 0.5 ? 179.99 : -179.99])
  })
  const old = docs.slice(0, 500).map((doc) => docOf(doc.id, {}, [10, 10]))
  const segments = [
    { reader: readerOf(old), dead: IdSet.range(0, 500) },
    { reader: readerOf(docs.slice(0, 30)), dead: null },
    { reader: readerOf(docs.slice(30, 1500)), dead: null },
    { reader: readerOf([docOf(4000, {})]), dead: null },
    { reader: readerOf(docs.slice(1500)), dead: null },
  ]
  return { docs, segments }
}

const { docs, segments } = world()
const placed = docs.filter((doc) => doc.geo !== null)
const ids = (some: readonly ModelDoc[]): number[] => some.map((doc) => doc.id)

describe('distance', () => {
  it('equals the recorded one', () => {
    const paris = [48.8566, 2.3522] as const
    const far = [
      [45.764, 4.8357, 391_499],
      [43.2965, 5.3698, 660_478],
      [52.52, 13.405, 877_463],
      [90, 0, 4_574_937],
      [0, 180, 14_577_792],
      [0, -180, 14_577_792],
      [-90, 45, 15_440_149],
      [-17.7134, 178.065, 16_530_577],
    ] as const
    for (const [lat, lng, metres] of far) {
      expect(Math.round(distanceMetres(...paris, lat, lng))).toBe(metres)
    }
    expect(distanceMetres(...paris, 48.85665, 2.3522)).toBe(5.56)
    expect(distanceMetres(0, 0, 0, 180)).toBe(20_015_086.796)
  })
})

describe('the straight distance', () => {
  it('belongs to the one along the ground', () => {
    fc.assert(
      fc.property(anyLatitude, anyLongitude, anyLatitude, anyLongitude, (a, b, c, d) => {
        const centre = spherePoint(c, d)
        const spheres = Float64Array.of(9, 9, 9, 9, centre.x, centre.y, centre.z, 0)
        const chord = toCentre(spherePoint(a, b), spheres, 1)
        // Near the antipode the ground is far for a short way straight.
        fc.pre(chord < 1.99)
        expect(Math.abs(metresOf(chord) - distanceMetres(a, b, c, d))).toBeLessThan(0.5)
        expect(Math.abs(chordOf(metresOf(chord)) - chord)).toBeLessThan(1e-9)
      }),
    )
  })

  it('has bounds', () => {
    expect([chordOf(0), chordOf(20_015_087), chordOf(1e9)]).toEqual([0, 2, 2])
    expect([metresOf(-1), metresOf(0)]).toEqual([0, 0])
    expect(Math.round(metresOf(2))).toBe(20_015_087)
    expect(metresOf(3)).toBe(metresOf(2))
  })
})

describe('geo radius', () => {
  it('finds the same points as testing each one', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom(48.9, 0, 89.95, -90), anyLatitude),
        fc.oneof(fc.constantFrom(2.35, 180, -180, 0), anyLongitude),
        fc.oneof(fc.constantFrom(0, -1, 3000, 2e7, 20_015_087, 3e7), fc.nat(21_000_000)),
        (lat, lng, metres) => {
          const got = geoRadius(segments, lat, lng, metres)
          expect([...got.toArray()]).toEqual(
            ids(placed.filter((doc) => distanceTo(doc, lat, lng) <= metres)),
          )
        },
      ),
      { numRuns: 100 },
    )
  })

  it('finds the centre, and nothing with a negative radius', () => {
    const [lat, lng] = placed[100]!.geo!
    expect(geoRadius(segments, lat, lng, 0).has(placed[100]!.id)).toBe(true)
    expect(geoRadius(segments, lat, lng, -5).isEmpty).toBe(true)
    expect(geoRadius([], lat, lng, 5).isEmpty).toBe(true)
  })

  it('leaves dead documents out', () => {
    expect(geoRadius(segments.slice(0, 1), 10, 10, 1000).isEmpty).toBe(true)
    expect([...geoRadius([{ ...segments[0]!, dead: null }], 10, 10, 1000).first(3)]).toEqual([
      0, 1, 2,
    ])
  })

  it('of many circles finds the same points as testing each one', () => {
    const circle = fc.record({
      latitude: fc.oneof(fc.constantFrom(48.9, 0, 89.95, -90), anyLatitude),
      longitude: fc.oneof(fc.constantFrom(2.35, 180, -180, 0), anyLongitude),
      metres: fc.oneof(fc.constantFrom(0, -1, 300, 20_015_087), fc.nat(100_000), fc.nat(2e7)),
    })
    fc.assert(
      fc.property(fc.array(circle, { minLength: 1, maxLength: 40 }), (circles) => {
        const got = geoCircles(segments, circles, () => undefined)
        const isWithin = (doc: ModelDoc): boolean =>
          circles.some(
            ({ latitude, longitude, metres }) => distanceTo(doc, latitude, longitude) <= metres,
          )
        expect([...got.toArray()]).toEqual(ids(placed.filter(isWithin)))
      }),
      { numRuns: 100 },
    )
  })

  it('of many circles is exact to a millimetre', () => {
    for (let i = 0; i < 90; i += 9) {
      const [latitude, longitude] = placed[i]!.geo!
      const exact = placed.slice(i + 1, i + 10).map((doc) => distanceTo(doc, latitude, longitude))
      for (const margin of [0, 0.001]) {
        const circles = exact.map((metres) => ({ latitude, longitude, metres: metres - margin }))
        const widest = Math.max(...circles.map(({ metres }) => metres))
        expect([...geoCircles(segments, circles, () => undefined).toArray()]).toEqual(
          ids(placed.filter((doc) => distanceTo(doc, latitude, longitude) <= widest)),
        )
      }
    }
  })

  it('of many circles calls the checkpoint, and skips found points', () => {
    const everywhere = { latitude: 0, longitude: 0, metres: 3e7 }
    const small = { latitude: 48.9, longitude: 2.35, metres: 10 }
    const looksFor = (circles: readonly (typeof small)[]): number => {
      let looks = 0
      geoCircles(segments, circles, () => void looks++)
      return looks
    }
    const many = Array<typeof small>(50_000).fill(small)
    expect(looksFor(many)).toBeGreaterThan(1000)
    expect(looksFor([everywhere, ...many])).toBeLessThan(20)
  })

  it('works on small views', () => {
    fc.assert(
      fc.property(
        anyView(30),
        anyLatitude,
        anyLongitude,
        fc.nat(20_000_000),
        (view, lat, lng, r) => {
          const got = geoRadius(view.segments, lat, lng, r)
          const within = view.docs.filter((d) => d.geo !== null && distanceTo(d, lat, lng) <= r)
          expect([...got.toArray()]).toEqual(ids(within))
        },
      ),
      { numRuns: 60 },
    )
  })
})

/** Consecutive documents within a metre of the first. */
function buckets(order: readonly ModelDoc[], lat: number, lng: number): [number, number[]][] {
  const all: [number, number[]][] = []
  for (const doc of order) {
    const distance = distanceTo(doc, lat, lng)
    const last = all.at(-1)
    if (last !== undefined && Math.abs(distance - last[0]) <= 1 && last[1].length < 1000) {
      last[1].push(doc.id)
    } else all.push([distance, [doc.id]])
  }
  return all.map(([distance, members]) => [distance, members.sort((a, b) => a - b)])
}

function got(universe: IdSet, lat: number, lng: number, direction: 'asc' | 'desc') {
  const all = [...geoSortBuckets(segments, lat, lng, direction, universe)]
  const rest = all.filter((bucket) => bucket.place === null)
  const near = all.filter((bucket) => bucket.place !== null)
  for (const { place, distance } of near) {
    expect(distanceMetres(lat, lng, place!.latitude, place!.longitude)).toBe(distance)
  }
  return {
    near: near.map((bucket): [number, number[]] => [bucket.distance!, [...bucket.ids.toArray()]]),
    rest: rest.flatMap((bucket) => [...bucket.ids.toArray()]),
  }
}

describe('geo sort', () => {
  it('sorts few candidates by whole metres', () => {
    fc.assert(
      fc.property(
        anyLatitude,
        anyLongitude,
        fc.constantFrom('asc' as const, 'desc' as const),
        fc.integer({ min: 5, max: 60 }),
        (lat, lng, direction, step) => {
          const some = docs.filter((doc) => doc.id % step === 0)
          const order = some
            .filter((doc) => doc.geo !== null)
            .sort((a, b) => {
              const metres = (doc: ModelDoc) => Math.floor(distanceTo(doc, lat, lng))
              return metres(a) - metres(b) || a.id - b.id
            })
          if (direction === 'desc') order.reverse()
          const { near, rest } = got(IdSet.of(ids(some)), lat, lng, direction)
          expect(near).toEqual(buckets(order, lat, lng))
          expect(rest).toEqual(ids(some.filter((doc) => doc.geo === null)))
        },
      ),
      { numRuns: 40 },
    )
  })

  it('enumerates many candidates from the nearest or the farthest on', () => {
    for (const [lat, lng, without] of [
      [48.9, 2.35, null],
      [0, 180, null],
      [-90, 0, 0],
      [12.3, -45.6, 3],
    ] as const) {
      const some = docs.filter(({ id }) => id % 5 !== without)
      for (const direction of ['asc', 'desc'] as const) {
        const sign = direction === 'asc' ? 1 : -1
        const order = some
          .filter((doc) => doc.geo !== null)
          .sort((a, b) => sign * (distanceTo(a, lat, lng) - distanceTo(b, lat, lng)) || a.id - b.id)
        const { near, rest } = got(IdSet.of(ids(some)), lat, lng, direction)
        expect(near).toEqual(buckets(order, lat, lng))
        expect(rest).toEqual(ids(some.filter((doc) => doc.geo === null)))
      }
    }
  })

  it('returns no bucket for no candidates', () => {
    expect([...geoSortBuckets(segments, 0, 0, 'asc', IdSet.empty)]).toEqual([])
  })
})

describe('of many points few are read', () => {
  const reader = readerOf(docs.slice(30))
  const large = [{ reader, dead: null }]
  /** Returns the number of points whose latitudes were read. */
  function readBy(work: () => unknown): number {
    const read = vi.spyOn(reader.geo()!, 'latitude')
    work()
    const { length } = read.mock.calls
    read.mockRestore()
    return length
  }
  const all = IdSet.range(0, 4000)

  it.each([
    ['asc', 12.3, -45.6, 128],
    ['asc', 48.9, 2.35, 704],
    ['desc', 12.3, -45.6, 927],
    ['desc', 48.9, 2.35, 863],
  ] as const)('for the first ones, %s from %f, %f: %i', (direction, lat, lng, count) => {
    const read = readBy(() => {
      const [first] = geoSortBuckets(large, lat, lng, direction, all)
      expect(first!.place).not.toBeNull()
    })
    expect(read).toBe(count)
  })

  it.each([
    [100, 640],
    [4000, 1216],
    [500_000, 320],
    [3e7, 863],
  ])('for a circle of %i metres: %i', (metres, count) => {
    expect(readBy(() => geoRadius(large, 48.9, 2.35, metres))).toBe(count)
  })
})
