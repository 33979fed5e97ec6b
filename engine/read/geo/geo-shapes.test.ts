// Shapes and regions: every pair of edges on a small grid where many touch; circles compared with
// distances; the antimeridian and the poles.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  anyShape,
  anyView,
  docOf,
  type ModelDoc,
  readerOf,
} from '../../../fixtures/format/columns/model.ts'
import { PART_LINE, PART_POINTS, PART_RING, type ShapePart } from '../../../format/columns/index.ts'
import { distanceMetres } from './geo-distance.ts'
import { geoShapes } from './geo-shapes.ts'
import { Region } from './region.ts'

type Point = readonly [lat: number, lng: number]
type Segment = readonly [Point, Point]

const noCheckpoint = (): void => undefined
const pointsOf = ({ points }: ShapePart): Point[] =>
  Array.from({ length: points.length / 2 }, (_, i) => [points[i * 2]!, points[i * 2 + 1]!])

const segmentsOf = (points: readonly Point[], isRing: boolean): Segment[] =>
  points.flatMap((point, i): Segment[] => {
    const next = points[i + 1] ?? (isRing ? points[0] : undefined)
    return next === undefined ? [] : [[point, next]]
  })

const cross = (a: Point, b: Point, c: Point): number =>
  (b[1] - a[1]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[1] - a[1])

const between = (a: number, b: number, c: number): boolean =>
  c >= Math.min(a, b) && c <= Math.max(a, b)

const lies = ([a, b]: Segment, c: Point): boolean =>
  cross(a, b, c) === 0 && between(a[0], b[0], c[0]) && between(a[1], b[1], c[1])

function touch([a, b]: Segment, [c, d]: Segment): boolean {
  const sides = [cross(a, b, c), cross(a, b, d), cross(c, d, a), cross(c, d, b)].map(Math.sign)
  if (sides[0]! * sides[1]! < 0 && sides[2]! * sides[3]! < 0) return true
  return lies([a, b], c) || lies([a, b], d) || lies([c, d], a) || lies([c, d], b)
}

/** Even-odd rule with a ray to the east; edges do not count. */
const inside = (edges: readonly Segment[], [lat, lng]: Point): boolean =>
  edges.filter(
    ([a, b]) =>
      a[0] > lat !== b[0] > lat && a[1] + ((lat - a[0]) / (b[0] - a[0])) * (b[1] - a[1]) > lng,
  ).length %
    2 ===
  1

/** Returns true if a polygon and a shape intersect, comparing all edges with all. */
function meets(corners: readonly Point[], shape: readonly ShapePart[]): boolean {
  const edges = segmentsOf(corners, true)
  const holds = (point: Point) => edges.some((edge) => lies(edge, point)) || inside(edges, point)
  return shape.some((part, p) => {
    const points = pointsOf(part)
    if (points.some(holds)) return true
    if (part.kind === PART_POINTS) return false
    const own = segmentsOf(points, part.kind !== PART_LINE)
    if (own.some((segment) => edges.some((edge) => touch(edge, segment)))) return true
    if (part.kind !== PART_RING) return false
    const rest = shape.slice(p + 1)
    const end = rest.findIndex(({ kind }) => kind <= PART_RING)
    const holes = rest.slice(0, end < 0 ? rest.length : end)
    const rings = [...own, ...holes.flatMap((hole) => segmentsOf(pointsOf(hole), true))]
    return inside(rings, corners[0]!)
  })
}

const anyCorners = fc.array(
  fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 })),
  { minLength: 3, maxLength: 7 },
)

const ids = (set: { toArray(): Uint32Array }): number[] => [...set.toArray()]
const shaped = (docs: readonly ModelDoc[], test: (shape: readonly ShapePart[]) => boolean) =>
  docs.filter(({ shape }) => shape !== undefined && test(shape)).map(({ id }) => id)

describe('a polygon', () => {
  it('intersects the same shapes as comparing all edges with all', () => {
    fc.assert(
      fc.property(anyCorners, anyShape, (corners, shape) => {
        const region = new Region([Float64Array.from(corners.flat())])
        expect(region.meets(shape)).toBe(meets(corners, shape))
      }),
      { numRuns: 3000 },
    )
  })

  it('finds the live documents of all segments', () => {
    fc.assert(
      fc.property(anyView(20), anyCorners, ({ docs, segments }, corners) => {
        const found = geoShapes(segments, noCheckpoint).polygon(corners)
        expect(ids(found)).toEqual(shaped(docs, (shape) => meets(corners, shape)))
      }),
      { numRuns: 100 },
    )
  })

  it('is bounded by its southern, northern, western and eastern corner', () => {
    const { box } = new Region([
      Float64Array.of(3, -2, -1, 7, 4, 5),
      Float64Array.of(0, 8, 1, 6, 2, 6),
    ])
    expect(box).toEqual([-1, 4, -2, 8])
  })

  it('takes little memory even with tall edges', () => {
    const corners = Array.from({ length: 40_000 }, (_, i) => [i % 2 === 0 ? -80 : 80, i / 1000])
    const region = new Region([Float64Array.from(corners.flat())])
    expect(region.holds(0, 20)).toBe(true)
    expect(region.holds(-79.99, 20.001)).toBe(false)
  })
})

const at = (id: number, ...places: readonly Point[]): ModelDoc =>
  docOf(id, {}, null, [{ kind: PART_POINTS, points: Float64Array.from(places.flat()) }])

describe('a circle', () => {
  it('contains clearly nearer points and no clearly farther ones', () => {
    const latitude = fc.double({ min: -90, max: 90, noNaN: true })
    const longitude = fc.double({ min: -180, max: 180, noNaN: true })
    const places = fc.array(fc.tuple(latitude, longitude), { minLength: 30, maxLength: 30 })
    fc.assert(
      fc.property(
        fc.oneof(latitude, fc.constantFrom(0, 60, -60)),
        fc.oneof(longitude, fc.constantFrom(0, 180, -180)),
        fc.integer({ min: 100_000, max: 20_100_000 }),
        places,
        (lat, lng, metres, found) => {
          const reader = readerOf(found.map((place, id) => at(id, place)))
          const inside = geoShapes([{ reader, dead: null }], noCheckpoint).radius(
            lat,
            lng,
            metres,
            1000,
          )
          for (const [id, place] of found.entries()) {
            const distance = distanceMetres(lat, lng, place[0], place[1])
            const near = 0.01 * metres + 20_000
            // A circle over a pole is cut off there along a chord of the flat map.
            if (Math.abs(place[0]) > 88 || Math.abs(lat) > 88) continue
            if (distance < metres - near) expect(inside.has(id), `${place} in`).toBe(true)
            if (distance > metres + near) expect(inside.has(id), `${place} out`).toBe(false)
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  it('is found across the antimeridian, at its centre, and never with a negative radius', () => {
    const reader = readerOf([
      at(1, [0, 179.9]),
      at(2, [0, -179.9]),
      at(3, [48.85, 2.35]),
      at(4, [90, 7]),
    ])
    const { radius } = geoShapes([{ reader, dead: null }], noCheckpoint)
    expect(ids(radius(0, 180, 20_000, 125))).toEqual([1, 2])
    expect(ids(radius(0, -180, 20_000, 125))).toEqual([1, 2])
    expect(ids(radius(48.85, 2.35, 0, 125))).toEqual([3])
    expect(ids(radius(48.85, 2.35, -1, 125))).toEqual([])
    expect(ids(radius(89, 100, 200_000, 125))).toEqual([4])
    expect(ids(radius(0, 0, 20_100_000, 3))).toEqual([1, 2, 3, 4])
  })
})

describe('a box', () => {
  it('crosses the antimeridian if its right side is west of its left side', () => {
    const reader = readerOf([at(1, [0, 179]), at(2, [0, -179]), at(3, [0, 0])])
    const { box } = geoShapes([{ reader, dead: null }], noCheckpoint)
    expect(ids(box(1, -170, -1, 170))).toEqual([1, 2])
    expect(ids(box(1, 170, -1, -170))).toEqual([3])
  })

  it('has great circles as its upper and lower edge', () => {
    const reader = readerOf([at(1, [51, 11]), at(2, [51.02, 11]), at(3, [45.1, 11])])
    const { box } = geoShapes([{ reader, dead: null }], noCheckpoint)
    expect(ids(box(50.54, 21.43, 45, 0.55))).toEqual([1])
    expect(ids(box(50.54, 21.43, 45, 10.9))).toEqual([3])
    expect(ids(box(51.03, 180, 45, -180))).toEqual([1, 2, 3])
  })

  it('contains the points between its great circles', () => {
    const degrees = (min: number, max: number) => fc.double({ min, max, noNaN: true })
    const tan = (angle: number) => Math.tan((angle * Math.PI) / 180)
    const cos = (angle: number) => Math.cos((angle * Math.PI) / 180)
    fc.assert(
      fc.property(
        fc.tuple(degrees(-80, 80), degrees(-80, 80)),
        fc.tuple(degrees(-170, 170), degrees(-170, 170)),
        fc.tuple(degrees(-90, 90), degrees(-180, 180)),
        (latitudes, longitudes, point) => {
          const [south, north] = [Math.min(...latitudes), Math.max(...latitudes)]
          const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)]
          fc.pre(east - west < 179)
          const lean = cos(point[1] - (west + east) / 2) / cos((east - west) / 2)
          const edges = [south, north].map((edge) => tan(edge) * lean - tan(point[0]))
          fc.pre(edges.every((distance) => Math.abs(distance) > 1e-3))
          const isInside = point[1] >= west && point[1] <= east && edges[0]! < 0 && edges[1]! > 0
          const { box } = geoShapes(
            [{ reader: readerOf([at(1, point)]), dead: null }],
            noCheckpoint,
          )
          expect(ids(box(north, east, south, west))).toEqual(isInside ? [1] : [])
        },
      ),
      { numRuns: 200 },
    )
  })
})
