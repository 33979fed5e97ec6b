// Regions of the map that shapes are compared with: the area inside rings by the even-odd rule,
// including the edges. The map is flat with degrees as units: edges are straight lines in latitude
// and longitude, as the corners of a filter define them.
//
// Edges are sorted into bands of latitude, so that a point or a segment is compared only with the
// edges in its bands.
import {
  PART_HOLE,
  PART_LINE,
  PART_POINTS,
  PART_RING,
  type ShapePart,
} from '../../../format/columns/index.ts'

/** Corners as latitude, longitude, latitude, …; the last corner is joined to the first. */
export type Ring = Float64Array

/** South, north, west, east, in degrees. */
export type Box = readonly [number, number, number, number]

/**
 * Maximum number of bands, and of bands for each edge on average: bounds the memory of a region.
 */
const BANDS_MAX = 4096
const BANDS_PER_EDGE_MAX = 8

export class Region {
  readonly box: Box
  readonly #rings: readonly Ring[]
  /** For each edge: latitude and longitude of both ends. */
  readonly #edges: Float64Array
  readonly #bandCount: number
  /** Band b has the edges `#banded[#bands[b], #bands[b + 1])`. */
  readonly #bands: Uint32Array
  readonly #banded: Uint32Array

  constructor(rings: readonly Ring[]) {
    this.#rings = rings
    this.#edges = edgesOf(rings)
    this.box = boxOf(this.#edges)
    this.#bandCount = bandCountFor(this.#edges, this.box)
    this.#bands = new Uint32Array(this.#bandCount + 1)
    const count = this.#edges.length / 4
    for (let e = 0; e < count; e++) {
      const last = this.#lastBand(e)
      for (let b = this.#firstBand(e); b <= last; b++) this.#bands[b + 1]!++
    }
    for (let b = 0; b < this.#bandCount; b++) this.#bands[b + 1]! += this.#bands[b]!
    this.#banded = new Uint32Array(this.#bands[this.#bandCount]!)
    const next = this.#bands.slice()
    for (let e = 0; e < count; e++) {
      const last = this.#lastBand(e)
      for (let b = this.#firstBand(e); b <= last; b++) this.#banded[next[b]!++] = e
    }
  }

  /** Returns true if the shape and the region have a point in common. */
  meets(parts: readonly ShapePart[]): boolean {
    for (let p = 0; p < parts.length; p++) {
      const { kind, points } = parts[p]!
      if (kind === PART_POINTS && this.#holdsSome(points)) return true
      if (kind === PART_LINE && this.#meetsLine(points, false)) return true
      if (kind !== PART_RING) continue
      let end = p + 1
      while (parts[end]?.kind === PART_HOLE) end++
      if (this.#meetsPolygon(parts.slice(p, end))) return true
    }
    return false
  }

  /** Returns true if the point is inside or on an edge. */
  holds(latitude: number, longitude: number): boolean {
    const [south, north, west, east] = this.box
    if (latitude < south || latitude > north || longitude < west || longitude > east) return false
    const band = this.#bandOf(latitude)
    const to = this.#bands[band + 1]!
    let isInside = false
    for (let i = this.#bands[band]!; i < to; i++) {
      const at = this.#banded[i]! * 4
      const side = sideOf(this.#edges, at, latitude, longitude)
      if (side === ON_EDGE) return true
      if (side === CROSSES) isInside = !isInside
    }
    return isInside
  }

  #holdsSome(points: Float64Array): boolean {
    for (let i = 0; i < points.length; i += 2) {
      if (this.holds(points[i]!, points[i + 1]!)) return true
    }
    return false
  }

  #meetsLine(points: Float64Array, isRing: boolean): boolean {
    if (this.holds(points[0]!, points[1]!)) return true
    const count = points.length / 2
    const segments = isRing ? count : count - 1
    for (let i = 0; i < segments; i++) {
      const j = (i + 1) % count
      const [a, b, c, d] = [points[i * 2]!, points[i * 2 + 1]!, points[j * 2]!, points[j * 2 + 1]!]
      if (this.#meetsSegment(a, b, c, d)) return true
    }
    return false
  }

  /** A polygon intersects the region if their edges touch, or if one is inside the other. */
  #meetsPolygon(rings: readonly ShapePart[]): boolean {
    for (const { points } of rings) if (this.#meetsLine(points, true)) return true
    for (const ring of this.#rings) if (holdsPoint(rings, ring[0]!, ring[1]!)) return true
    return false
  }

  /** Returns true if the segment touches an edge. */
  #meetsSegment(latA: number, lngA: number, latB: number, lngB: number): boolean {
    const [south, north, west, east] = this.box
    const low = Math.min(latA, latB)
    const high = Math.max(latA, latB)
    if (high < south || low > north) return false
    if (Math.max(lngA, lngB) < west || Math.min(lngA, lngB) > east) return false
    const first = this.#bandOf(low)
    const last = this.#bandOf(high)
    for (let band = first; band <= last; band++) {
      const to = this.#bands[band + 1]!
      for (let i = this.#bands[band]!; i < to; i++) {
        if (touches(this.#edges, this.#banded[i]! * 4, latA, lngA, latB, lngB)) return true
      }
    }
    return false
  }

  #bandOf(latitude: number): number {
    const [south, north] = this.box
    const band = Math.floor(((latitude - south) / (north - south)) * this.#bandCount)
    // A region without height has one band, the first.
    return band > 0 ? Math.min(band, this.#bandCount - 1) : 0
  }

  #firstBand(edge: number): number {
    return this.#bandOf(Math.min(this.#edges[edge * 4]!, this.#edges[edge * 4 + 2]!))
  }

  #lastBand(edge: number): number {
    return this.#bandOf(Math.max(this.#edges[edge * 4]!, this.#edges[edge * 4 + 2]!))
  }
}

/** As many bands as edges, fewer if edges are tall. */
function bandCountFor(edges: Float64Array, [south, north]: Box): number {
  const count = edges.length / 4
  let heights = 0
  for (let i = 0; i < edges.length; i += 4) heights += Math.abs(edges[i]! - edges[i + 2]!)
  const share = north > south ? heights / (north - south) / count : 1
  const most = share > 0 ? Math.floor(BANDS_PER_EDGE_MAX / share) : BANDS_MAX
  return Math.max(1, Math.min(BANDS_MAX, count, most))
}

function edgesOf(rings: readonly Ring[]): Float64Array {
  let count = 0
  for (const ring of rings) count += ring.length / 2
  const edges = new Float64Array(count * 4)
  let at = 0
  for (const ring of rings) {
    for (let i = 0; i < ring.length; i += 2) {
      const j = (i + 2) % ring.length
      edges.set([ring[i]!, ring[i + 1]!, ring[j]!, ring[j + 1]!], at)
      at += 4
    }
  }
  return edges
}

function boxOf(edges: Float64Array): Box {
  let [south, north, west, east] = [Infinity, -Infinity, Infinity, -Infinity]
  for (let i = 0; i < edges.length; i += 2) {
    south = Math.min(south, edges[i]!)
    north = Math.max(north, edges[i]!)
    west = Math.min(west, edges[i + 1]!)
    east = Math.max(east, edges[i + 1]!)
  }
  return [south, north, west, east]
}

const BESIDE = 0
const CROSSES = 1
const ON_EDGE = 2

/**
 * Compares the edge at `at` with a point: on the edge, crossed by the point's ray to the east, or
 * neither.
 */
function sideOf(edges: Float64Array, at: number, latitude: number, longitude: number): number {
  const latA = edges[at]!
  const lngA = edges[at + 1]!
  const latB = edges[at + 2]!
  const lngB = edges[at + 3]!
  if (isOn(latA, lngA, latB, lngB, latitude, longitude)) return ON_EDGE
  if (latA > latitude === latB > latitude) return BESIDE
  const crossing = lngA + ((latitude - latA) / (latB - latA)) * (lngB - lngA)
  return crossing > longitude ? CROSSES : BESIDE
}

/** Twice the signed area of the triangle. */
const turn = (
  latA: number,
  lngA: number,
  latB: number,
  lngB: number,
  lat: number,
  lng: number,
): number => (lngB - lngA) * (lat - latA) - (latB - latA) * (lng - lngA)

const isOn = (
  latA: number,
  lngA: number,
  latB: number,
  lngB: number,
  lat: number,
  lng: number,
): boolean =>
  turn(latA, lngA, latB, lngB, lat, lng) === 0 &&
  lat >= Math.min(latA, latB) &&
  lat <= Math.max(latA, latB) &&
  lng >= Math.min(lngA, lngB) &&
  lng <= Math.max(lngA, lngB)

/** Returns true if the edge at `at` and a segment have a point in common. */
function touches(
  edges: Float64Array,
  at: number,
  latA: number,
  lngA: number,
  latB: number,
  lngB: number,
): boolean {
  const latC = edges[at]!
  const lngC = edges[at + 1]!
  const latD = edges[at + 2]!
  const lngD = edges[at + 3]!
  const c = turn(latA, lngA, latB, lngB, latC, lngC)
  const d = turn(latA, lngA, latB, lngB, latD, lngD)
  const a = turn(latC, lngC, latD, lngD, latA, lngA)
  const b = turn(latC, lngC, latD, lngD, latB, lngB)
  if (((c > 0 && d < 0) || (c < 0 && d > 0)) && ((a > 0 && b < 0) || (a < 0 && b > 0))) return true
  return (
    isOn(latA, lngA, latB, lngB, latC, lngC) ||
    isOn(latA, lngA, latB, lngB, latD, lngD) ||
    isOn(latC, lngC, latD, lngD, latA, lngA) ||
    isOn(latC, lngC, latD, lngD, latB, lngB)
  )
}

/** Returns true if a point is inside a polygon of a ring and its holes, and not on their edges. */
function holdsPoint(rings: readonly ShapePart[], latitude: number, longitude: number): boolean {
  let isInside = false
  for (const { points } of rings) {
    for (let i = 0, j = points.length - 2; i < points.length; j = i, i += 2) {
      const latA = points[j]!
      const latB = points[i]!
      if (latA > latitude === latB > latitude) continue
      const share = (latitude - latA) / (latB - latA)
      const crossing = points[j + 1]! + share * (points[i + 1]! - points[j + 1]!)
      if (crossing > longitude) isInside = !isInside
    }
  }
  return isInside
}
