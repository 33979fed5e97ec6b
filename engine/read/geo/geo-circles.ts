// Finds the documents in any of many circles, all circles in one pass. Points are stored as vectors
// in the order of the curve; blocks of 64 points and groups of 64 blocks have bounding spheres, and
// found points are not tested again. Points are compared by straight distance, and by distance
// along the ground only if rounding could decide.
import { GEO_BLOCK, type GeoReader } from '../../../format/columns/index.ts'
import { IdSet, IdUnion } from '../../../format/idset/index.ts'
import type { ColumnsSegment } from '../facets/index.ts'
import type { Checkpoint, GeoCircle } from '../filter-syntax/index.ts'
import { chordOf, distanceMetres, spherePoint, toCentre } from './geo-distance.ts'
import { geoRadius } from './geo-radius.ts'

/**
 * Margin for rounding, in units of the earth's radius: 6 mm, more than rounding to a millimetre.
 */
const MARGIN = 1e-9
/** Blocks in a group. */
const GROUP = 64
/** With fewer circles, converting the points to vectors costs more than it saves. */
const CIRCLES_MIN = 8
/** Circles between two checks of the clock. */
const STRIDE = 64

/** Live documents in any of the circles. @throws CorruptionError, errors of `checkpoint` */
export function geoCircles(
  segments: readonly ColumnsSegment[],
  circles: readonly GeoCircle[],
  checkpoint: Checkpoint,
): IdSet {
  let all = IdSet.empty
  if (circles.length < CIRCLES_MIN) {
    for (const { latitude, longitude, metres } of circles) {
      checkpoint()
      all = all.or(geoRadius(segments, latitude, longitude, metres))
    }
    return all
  }
  for (const { reader, dead } of segments) {
    const geo = reader.geo()
    if (geo === null) continue
    const points = new Points(geo, checkpoint)
    for (let i = 0; i < circles.length && points.left > 0; i++) {
      if (i % STRIDE === 0) checkpoint()
      if (circles[i]!.metres >= 0) points.find(circles[i]!)
    }
    const union = new IdUnion(reader.lastId + 1)
    points.addFound(union)
    const found = union.take()
    all = all.or(dead === null ? found : found.andNot(dead))
  }
  return all
}

/** The points of a segment, and marks for those that were found. */
class Points {
  /** Number of points not found yet. */
  left: number
  readonly #geo: GeoReader
  /** x, y, z by slot of the curve; by rank without a curve. */
  readonly #vectors: Float64Array
  readonly #found: Uint8Array
  /** Number of points in each block not found yet. */
  readonly #leftIn: Uint8Array
  /** Centre and radius of each block, and of each group of blocks. */
  readonly #blocks: Float64Array
  readonly #groups: Float64Array

  constructor(geo: GeoReader, checkpoint: Checkpoint) {
    const { count } = geo
    this.#geo = geo
    this.left = count
    this.#vectors = new Float64Array(count * 3)
    this.#found = new Uint8Array(count)
    for (let slot = 0; slot < count; slot++) {
      if (slot % 4096 === 0) checkpoint()
      const rank = this.#rankAt(slot)
      const { x, y, z } = spherePoint(geo.latitude(rank), geo.longitude(rank))
      this.#vectors[slot * 3] = x
      this.#vectors[slot * 3 + 1] = y
      this.#vectors[slot * 3 + 2] = z
    }
    // Without a curve all points are one block whose sphere contains everything.
    this.#blocks = geo.blockCount > 0 ? geo.spheres() : Float64Array.of(0, 0, 0, 2)
    const blocks = this.#blocks.length / 4
    this.#leftIn = new Uint8Array(blocks).fill(GEO_BLOCK)
    this.#leftIn[blocks - 1] = count - (blocks - 1) * GEO_BLOCK
    this.#groups = groupsOf(this.#blocks)
  }

  find(circle: GeoCircle): void {
    const centre = spherePoint(circle.latitude, circle.longitude)
    const limit = chordOf(circle.metres)
    const blocks = this.#blocks.length / 4
    const groups = this.#groups.length / 4
    for (let group = 0; group < groups; group++) {
      if (!mayHold(this.#groups, group, centre, limit)) continue
      const end = Math.min((group + 1) * GROUP, blocks)
      for (let block = group * GROUP; block < end; block++) {
        if (this.#leftIn[block] === 0 || !mayHold(this.#blocks, block, centre, limit)) continue
        this.#findIn(block, circle, centre, limit)
      }
    }
  }

  addFound(union: IdUnion): void {
    const holders = this.#geo.holders()
    for (let slot = 0; slot < this.#found.length; slot++) {
      if (this.#found[slot] === 1) union.add(holders.idAt(this.#rankAt(slot)))
    }
  }

  #findIn(
    block: number,
    circle: GeoCircle,
    { x, y, z }: { readonly x: number; readonly y: number; readonly z: number },
    limit: number,
  ): void {
    const vectors = this.#vectors
    const inner = Math.max(0, limit - MARGIN) ** 2
    const outer = (limit + MARGIN) ** 2
    const end = Math.min((block + 1) * GEO_BLOCK, this.#found.length)
    for (let slot = block * GEO_BLOCK; slot < end; slot++) {
      if (this.#found[slot] === 1) continue
      const dx = vectors[slot * 3]! - x
      const dy = vectors[slot * 3 + 1]! - y
      const dz = vectors[slot * 3 + 2]! - z
      const squared = dx * dx + dy * dy + dz * dz
      if (squared > outer) continue
      if (squared >= inner && !this.#isWithin(slot, circle)) continue
      this.#found[slot] = 1
      this.#leftIn[block]!--
      this.left--
    }
  }

  #isWithin(slot: number, { latitude, longitude, metres }: GeoCircle): boolean {
    const geo = this.#geo
    const rank = this.#rankAt(slot)
    return distanceMetres(latitude, longitude, geo.latitude(rank), geo.longitude(rank)) <= metres
  }

  #rankAt(slot: number): number {
    return this.#geo.blockCount > 0 ? this.#geo.rankAt(slot) : slot
  }
}

function mayHold(
  spheres: Float64Array,
  at: number,
  centre: { readonly x: number; readonly y: number; readonly z: number },
  limit: number,
): boolean {
  return toCentre(centre, spheres, at) - spheres[at * 4 + 3]! <= limit + MARGIN
}

/** Returns a sphere around each GROUP spheres, centred at the mean of their centres. */
function groupsOf(spheres: Float64Array): Float64Array {
  const count = spheres.length / 4
  const groups = new Float64Array(Math.ceil(count / GROUP) * 4)
  for (let group = 0; group * 4 < groups.length; group++) {
    const end = Math.min((group + 1) * GROUP, count)
    const middle = { x: 0, y: 0, z: 0 }
    for (let at = group * GROUP; at < end; at++) {
      middle.x += spheres[at * 4]! / (end - group * GROUP)
      middle.y += spheres[at * 4 + 1]! / (end - group * GROUP)
      middle.z += spheres[at * 4 + 2]! / (end - group * GROUP)
    }
    let radius = 0
    for (let at = group * GROUP; at < end; at++) {
      radius = Math.max(radius, toCentre(middle, spheres, at) + spheres[at * 4 + 3]!)
    }
    groups.set([middle.x, middle.y, middle.z, radius + MARGIN], group * 4)
  }
  return groups
}
