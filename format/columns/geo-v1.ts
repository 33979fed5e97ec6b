// The places of documents · layout: ./COLUMNS.md, "Points"
//
//   count, kind, setBytes, blocks · points f64 × 2 · boxes f64 × 4 · order · holders
//
// Points are exact and in document order. If there are more than 64, `order` lists them along a
// Hilbert curve, and each run of 64 has a box: a search tests boxes first.

import { ByteWriter, bytesOf } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import {
  boundsOf,
  float64View,
  hilbertOrder,
  type Members,
  type Packed,
  packedBytes,
  packedView,
  SET_ALL,
  SET_LISTED,
  type SegmentDocs,
  widthFor,
} from '../fields/index.ts'
import type { Section } from '../frame/index.ts'
import { encodeIds } from '../idset/index.ts'
import { readHolders } from './holders.ts'

export const GEO_BLOCK = 64
const HEADER_BYTES = 16

/** The places of a segment: documents ascending, with latitude and longitude of each in degrees. */
export type GeoData = { readonly ids: Uint32Array; readonly points: Float64Array }

export function writeGeo(geo: GeoData, docs: SegmentDocs): Uint8Array {
  const count = geo.ids.length
  assert(geo.points.length === count * 2, 'a place is a latitude and a longitude')
  assert(count > 0 && count <= docs.ids.length, 'places are of documents of the segment')
  const isAll = count === docs.ids.length
  const holders = isAll ? new Uint8Array(0) : encodeIds(geo.ids)
  const blocks = count > GEO_BLOCK ? Math.ceil(count / GEO_BLOCK) : 0
  const out = new ByteWriter(HEADER_BYTES + count * 22 + holders.length)
  out.u32(count)
  out.u32(isAll ? SET_ALL : SET_LISTED)
  out.u32(holders.length)
  out.u32(blocks)
  out.bytes(bytesOf(geo.points))
  if (blocks > 0) {
    const order = hilbertOrder(geo.points, count)
    for (let b = 0; b < blocks; b++) {
      const end = Math.min((b + 1) * GEO_BLOCK, count)
      out.bytes(bytesOf(boundsOf(geo.points, order, b * GEO_BLOCK, end)))
    }
    out.bytes(packedBytes(order, count, widthFor(count - 1)))
    out.align(2)
  }
  out.bytes(holders)
  return out.finish()
}

/** Reads places in place. */
export class GeoReader {
  /** Number of documents with a place. */
  readonly count: number
  /** Number of runs of 64 points along the curve; 0 if there are at most 64 points. */
  readonly blockCount: number
  readonly #section: Section
  readonly #docs: Members
  readonly #isAll: boolean
  readonly #pointsAt: number
  readonly #boxesAt: number
  readonly #orderAt: number
  readonly #holdersAt: number
  readonly #points: Float64Array
  readonly #order: Packed
  #holders: Members | null = null
  #spheres: Float64Array | null = null

  /** `docs` are the documents of the segment. @throws CorruptionError */
  constructor(section: Section, docs: Members) {
    const header = new DataView(section.read(0, HEADER_BYTES).slice().buffer)
    const kind = header.getUint32(4, true)
    const holdersBytes = header.getUint32(8, true)
    this.#section = section
    this.#docs = docs
    this.count = header.getUint32(0, true)
    this.blockCount = header.getUint32(12, true)
    this.#isAll = kind === SET_ALL
    const least = this.#isAll ? docs.size : 1
    if ((kind !== SET_ALL && kind !== SET_LISTED) || this.count < least || this.count > docs.size) {
      refuse(section.tag, 0, 'bad_value', `${least}..${docs.size} places`, this.count)
    }
    const blocks = this.count > GEO_BLOCK ? Math.ceil(this.count / GEO_BLOCK) : 0
    const width = widthFor(this.count - 1)
    this.#pointsAt = HEADER_BYTES
    this.#boxesAt = this.#pointsAt + this.count * 16
    this.#orderAt = this.#boxesAt + blocks * 32
    const orderBytes = blocks > 0 ? this.count * width : 0
    this.#holdersAt = this.#orderAt + orderBytes + (orderBytes % 2)
    if (this.blockCount !== blocks || this.#holdersAt + holdersBytes !== section.length) {
      refuse(section.tag, 8, 'bad_length', this.#holdersAt + holdersBytes, section.length)
    }
    this.#points = float64View(section, this.#pointsAt, this.count * 2)
    this.#order = packedView(section, this.#orderAt, blocks > 0 ? this.count : 0, width)
  }

  /**
   * Returns the documents that have a place. Their ranks are the arguments of the other methods.
   */
  holders(): Members {
    return (this.#holders ??= this.#isAll
      ? this.#docs
      : readHolders(this.#section, this.#holdersAt, this.count, this.#docs))
  }

  /** Returns the latitude of the holder with rank `rank`, in degrees. */
  latitude(rank: number): number {
    this.#section.touch(this.#pointsAt + rank * 16, 16)
    return this.#points[rank * 2]!
  }

  /** Returns the longitude of the holder with rank `rank`, in degrees. */
  longitude(rank: number): number {
    this.#section.touch(this.#pointsAt + rank * 16, 16)
    return this.#points[rank * 2 + 1]!
  }

  /** Returns the rank of the holder at index `slot` of the curve. @throws CorruptionError */
  rankAt(slot: number): number {
    const order = this.#order
    this.#section.touch(this.#orderAt + slot * order.BYTES_PER_ELEMENT, order.BYTES_PER_ELEMENT)
    const rank = order[slot]!
    if (rank >= this.count) refuse(this.#section.tag, this.#orderAt, 'bad_value', this.count, rank)
    return rank
  }

  /**
   * Returns four numbers per block: x, y, z of a centre on the unit sphere, and the radius around
   * it, as a straight distance, that contains all points of the block. Computed from the boxes on
   * first use, 0.3 µs each.
   */
  spheres(): Float64Array {
    if (this.#spheres !== null) return this.#spheres
    const count = this.blockCount
    this.#section.touch(this.#boxesAt, count * 32)
    const boxes = float64View(this.#section, this.#boxesAt, count * 4)
    const spheres = new Float64Array(count * 4)
    for (let b = 0; b < count; b++) sphereOf(boxes, b * 4, spheres)
    this.#spheres = spheres
    return spheres
  }
}

const RADIANS = Math.PI / 180
/** Added to each radius as a margin for rounding: 6 mm on the ground. */
const RADIUS_MARGIN = 1e-9

/**
 * Writes the sphere around the middle of a box. The point of the box that is farthest from its
 * middle is a corner if the box spans at most 180 degrees of longitude; a wider box gets the whole
 * sphere.
 */
function sphereOf(boxes: Float64Array, at: number, spheres: Float64Array): void {
  const south = boxes[at]! * RADIANS
  const north = boxes[at + 1]! * RADIANS
  const middle = (south + north) / 2
  const half = ((boxes[at + 3]! - boxes[at + 2]!) / 2) * RADIANS
  const longitude = ((boxes[at + 2]! + boxes[at + 3]!) / 2) * RADIANS
  spheres[at] = Math.cos(middle) * Math.cos(longitude)
  spheres[at + 1] = Math.cos(middle) * Math.sin(longitude)
  spheres[at + 2] = Math.sin(middle)
  const toSouth = chord(middle, south, half)
  const toNorth = chord(middle, north, half)
  spheres[at + 3] = half > Math.PI / 2 ? 2 : Math.max(toSouth, toNorth) + RADIUS_MARGIN
}

/**
 * Returns the straight distance on the unit sphere between two latitudes with a difference of
 * longitude, in radians.
 */
function chord(a: number, b: number, longitude: number): number {
  const up = Math.sin((a - b) / 2)
  const across = Math.sin(longitude / 2)
  return 2 * Math.sqrt(up * up + Math.cos(a) * Math.cos(b) * across * across)
}
