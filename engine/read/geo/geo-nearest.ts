// Enumerates points from the nearest on, or from the farthest on, as many as requested. Blocks of
// points wait in order of the least possible distance of their points; a block is opened when one
// of its points could be next (G. R. Hjaltason and H. Samet, Distance Browsing in Spatial
// Databases, 1999).
import { GEO_BLOCK, type GeoReader } from '../../../format/columns/index.ts'
import type { CandidatePart } from '../facets/index.ts'
import {
  distanceMetres,
  metresOf,
  type Place,
  type PlacedDocument,
  type SpherePoint,
  spherePoint,
  toCentre,
} from './geo-distance.ts'

/** Metres by which a block's bound is relaxed, against rounding near the antipode. */
const MARGIN_METRES = 1

/** A waiting point; its key is the distance, negated if the farthest come first. */
type Waiting = PlacedDocument & { readonly key: number }

export class NearestPoints {
  readonly #from: Place
  readonly #sign: number
  /** The part and the first index in `#blocks` of each segment. */
  readonly #places: { readonly part: CandidatePart; readonly firstBlock: number }[] = []
  readonly #blocks: BlockHeap
  readonly #points = new PointHeap()

  constructor(parts: readonly CandidatePart[], from: Place, farthestFirst: boolean) {
    this.#from = from
    this.#sign = farthestFirst ? -1 : 1
    const keys: number[] = []
    const centre = spherePoint(from.latitude, from.longitude)
    for (const part of parts) {
      const geo = part.segment.reader.geo()!
      if (geo.blockCount === 0) this.#open(geo, part, 0, geo.count, false)
      this.#places.push({ part, firstBlock: keys.length })
      addKeys(geo, centre, farthestFirst, keys)
    }
    this.#blocks = new BlockHeap(Float64Array.from(keys))
  }

  /** Returns the next point, or null. */
  next(): PlacedDocument | null {
    for (;;) {
      const point = this.#points.top
      if (this.#blocks.size === 0 || (point !== null && point.key < this.#blocks.topKey)) break
      const index = this.#blocks.pop()
      let place = this.#places.length - 1
      while (this.#places[place]!.firstBlock > index) place--
      const { part, firstBlock } = this.#places[place]!
      const geo = part.segment.reader.geo()!
      const start = (index - firstBlock) * GEO_BLOCK
      this.#open(geo, part, start, Math.min(start + GEO_BLOCK, geo.count), true)
    }
    return this.#points.pop()
  }

  /**
   * Adds the candidates of slots (or, without a curve, ranks) [start, end) to the waiting points.
   */
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

/** Adds a key for each block that is at most the key of any point in it. */
function addKeys(
  geo: GeoReader,
  centre: SpherePoint,
  farthestFirst: boolean,
  keys: number[],
): void {
  const spheres = geo.spheres()
  for (let block = 0; block < geo.blockCount; block++) {
    const distance = toCentre(centre, spheres, block)
    const radius = spheres[block * 4 + 3]!
    const key = farthestFirst ? -metresOf(distance + radius) : metresOf(distance - radius)
    keys.push(key - MARGIN_METRES)
  }
}

/** A heap of indices by key, lowest first. Built in one pass; most blocks are never removed. */
class BlockHeap {
  size: number
  readonly #keys: Float64Array
  readonly #heap: Uint32Array

  constructor(keys: Float64Array) {
    this.#keys = keys
    this.size = keys.length
    this.#heap = new Uint32Array(keys.length)
    for (let i = 0; i < keys.length; i++) this.#heap[i] = i
    for (let i = (keys.length >>> 1) - 1; i >= 0; i--) this.#sink(i)
  }

  get topKey(): number {
    return this.#keys[this.#heap[0]!]!
  }

  /** Removes and returns the index with the lowest key. */
  pop(): number {
    const top = this.#heap[0]!
    this.#heap[0] = this.#heap[--this.size]!
    this.#sink(0)
    return top
  }

  #sink(at: number): void {
    const heap = this.#heap
    const keys = this.#keys
    const index = heap[at]!
    const key = keys[index]!
    for (;;) {
      let child = at * 2 + 1
      if (child >= this.size) break
      if (child + 1 < this.size && keys[heap[child + 1]!]! < keys[heap[child]!]!) child++
      if (keys[heap[child]!]! >= key) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = index
  }
}

/** A heap of waiting points, lowest key first; ties by id. */
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
