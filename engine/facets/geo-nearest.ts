// Points from the nearest on, or from the farthest on, as many as are asked for. Blocks of points wait in
// order of the least distance they can hold; a block is opened when a point of it could be next
// (G. R. Hjaltason and H. Samet, Distance Browsing in Spatial Databases, 1999).
import { GEO_BLOCK, type GeoReader } from '../../format/columns/index.ts'
import {
  distanceMetres,
  metresOf,
  type Place,
  type PlacedDocument,
  type SpherePoint,
  spherePoint,
  toCentre,
} from './geo-distance.ts'
import type { CandidatePart } from './segments.ts'

/** Metres by which a block's bound is eased, against rounding near the antipode. */
const MARGIN_METRES = 1

/** A waiting block: its bound is not above the key of any point in it. */
type Block = { readonly key: number; readonly part: number; readonly block: number }
/** A waiting point; the key is its distance, negative when the farthest come first. */
type Waiting = PlacedDocument & { readonly key: number }

export class NearestPoints {
  readonly #parts: readonly CandidatePart[]
  readonly #from: Place
  readonly #sign: number
  /** Descending by key: the next one is the last. */
  readonly #blocks: Block[]
  readonly #points = new PointHeap()

  constructor(parts: readonly CandidatePart[], from: Place, farthestFirst: boolean) {
    this.#parts = parts
    this.#from = from
    this.#sign = farthestFirst ? -1 : 1
    const blocks: Block[] = []
    const centre = spherePoint(from.latitude, from.longitude)
    for (const [index, part] of parts.entries()) {
      const geo = part.segment.reader.geo()!
      if (geo.blockCount === 0) this.#open(geo, part, 0, geo.count, false)
      else addBlocks(geo, index, centre, farthestFirst, blocks)
    }
    this.#blocks = blocks.sort((a, b) => b.key - a.key)
  }

  /** The next point, or null. */
  next(): PlacedDocument | null {
    for (;;) {
      const block = this.#blocks[this.#blocks.length - 1]
      const point = this.#points.top
      if (block === undefined || (point !== null && point.key < block.key)) break
      this.#blocks.pop()
      const part = this.#parts[block.part]!
      const geo = part.segment.reader.geo()!
      const start = block.block * GEO_BLOCK
      this.#open(geo, part, start, Math.min(start + GEO_BLOCK, geo.count), true)
    }
    return this.#points.pop()
  }

  /** Lets the candidates of slots (or, without a curve, ranks) [start, end) wait. */
  #open(geo: GeoReader, part: CandidatePart, start: number, end: number, curve: boolean): void {
    const { latitude, longitude } = this.#from
    const holders = geo.holders()
    for (let i = start; i < end; i++) {
      const rank = curve ? geo.rankAt(i) : i
      const id = holders.idAt(rank)
      if (!part.set.has(id)) continue
      const lat = geo.latitude(rank)
      const lng = geo.longitude(rank)
      const distance = distanceMetres(latitude, longitude, lat, lng)
      this.#points.push({ id, latitude: lat, longitude: lng, distance, key: this.#sign * distance })
    }
  }
}

function addBlocks(
  geo: GeoReader,
  part: number,
  centre: SpherePoint,
  farthestFirst: boolean,
  blocks: Block[],
): void {
  const spheres = geo.spheres()
  for (let block = 0; block < geo.blockCount; block++) {
    const distance = toCentre(centre, spheres, block)
    const radius = spheres[block * 4 + 3]!
    const key = farthestFirst ? -metresOf(distance + radius) : metresOf(distance - radius)
    blocks.push({ key: key - MARGIN_METRES, part, block })
  }
}

/** Waiting points, the lowest key on top; equal keys by id. */
class PointHeap {
  readonly #heap: Waiting[] = []

  get top(): Waiting | null {
    return this.#heap[0] ?? null
  }

  push(point: Waiting): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(point)
    while (at > 0) {
      const parent = (at - 1) >>> 1
      if (!comesFirst(point, heap[parent]!)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = point
  }

  pop(): Waiting | null {
    const heap = this.#heap
    const top = heap[0]
    const last = heap.pop()
    if (top === undefined || last === undefined) return null
    if (heap.length === 0) return top
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && comesFirst(heap[child + 1]!, heap[child]!)) child++
      if (!comesFirst(heap[child]!, last)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return top
  }
}

const comesFirst = (a: Waiting, b: Waiting): boolean =>
  a.key < b.key || (a.key === b.key && a.id < b.id)
