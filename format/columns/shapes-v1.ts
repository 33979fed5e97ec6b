// The shapes of documents: points, lines and polygons · layout: ./COLUMNS.md, "Shapes"
//
//   count, kind, setBytes, 0 · boxes f64 × 4 · ends u32 · shapes · holders
//
// A search tests all boxes, 32 bytes per shape, and then reads the shapes whose box matches.

import { ByteWriter, bytesOf, lengthened } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import {
  DATA_BYTES_MAX,
  float64View,
  type Members,
  SET_ALL,
  SET_LISTED,
  type SegmentDocs,
} from '../fields/index.ts'
import type { Section } from '../frame/index.ts'
import { encodeIds } from '../idset/index.ts'
import { readHolders } from './holders.ts'

export const PART_POINTS = 1
export const PART_LINE = 2
/** The outer ring of a polygon; begins a polygon. */
export const PART_RING = 3
/** A hole of the polygon whose ring comes before it. */
export const PART_HOLE = 4
export type PartKind = typeof PART_POINTS | typeof PART_LINE | typeof PART_RING | typeof PART_HOLE

/** One part of a shape: its points as latitude, longitude, latitude, … in degrees. */
export type ShapePart = { readonly kind: PartKind; readonly points: Float64Array }

/** The shapes of a segment: documents ascending; shape i is `bytes[ends[i - 1], ends[i])`. */
export type ShapesData = {
  readonly ids: Uint32Array
  readonly ends: Uint32Array
  readonly bytes: Uint8Array
}

const HEADER_BYTES = 16
const BOX_BYTES = 32
const PART_HEADER_BYTES = 8
const POINT_BYTES = 16

const upTo8 = (length: number): number => Math.ceil(length / 8) * 8

/** Collects encoded shapes, in order of documents. */
export class ShapeBytes {
  #bytes = new Uint8Array(0)
  #length = 0

  /** Bytes so far: the end of the shape added last. */
  get length(): number {
    return this.#length
  }

  /** Adds a shape of one or more parts, each of one or more points. */
  add(parts: readonly ShapePart[]): void {
    assert(parts.length > 0, 'a shape has a part')
    for (const { kind, points } of parts) {
      assert(points.length > 0 && points.length % 2 === 0, 'a part has whole points')
      const head = Uint32Array.of(kind, points.length / 2)
      this.append(new Uint8Array(head.buffer))
      this.append(bytesOf(points))
    }
  }

  /** Adds bytes of encoded shapes. */
  append(bytes: Uint8Array): void {
    const end = this.#length + bytes.length
    assert(end <= DATA_BYTES_MAX, 'the shapes of a segment fit DATA_BYTES_MAX')
    if (end > this.#bytes.length) this.#bytes = lengthened(this.#bytes, end * 2)
    this.#bytes.set(bytes, this.#length)
    this.#length = end
  }

  /** Returns a view of the bytes so far; valid until more are added. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }
}

export function writeShapes(shapes: ShapesData, docs: SegmentDocs): Uint8Array {
  const count = shapes.ids.length
  assert(count > 0 && shapes.ends.length === count, 'every shape has an end')
  assert(count <= docs.ids.length, 'shapes are of documents of the segment')
  const isAll = count === docs.ids.length
  const holders = isAll ? new Uint8Array(0) : encodeIds(shapes.ids)
  const size = HEADER_BYTES + count * (BOX_BYTES + 4) + shapes.bytes.length + holders.length
  const out = new ByteWriter(size + 8)
  out.u32(count)
  out.u32(isAll ? SET_ALL : SET_LISTED)
  out.u32(holders.length)
  out.u32(0)
  const boxes = new Float64Array(count * 4)
  let from = 0
  for (let i = 0; i < count; i++) {
    const parts = partsOf(shapes.bytes.subarray(from, shapes.ends[i]!), SECTION)
    boxOf(parts, boxes.subarray(i * 4, i * 4 + 4))
    from = shapes.ends[i]!
  }
  out.bytes(new Uint8Array(boxes.buffer))
  out.bytes(new Uint8Array(shapes.ends.slice().buffer))
  out.align(8)
  out.bytes(shapes.bytes)
  out.bytes(holders)
  return out.finish()
}

const SECTION = 'SHAP'

/** Writes least and greatest latitude, least and greatest longitude into `box`. */
function boxOf(parts: readonly ShapePart[], box: Float64Array): void {
  box.set([Infinity, -Infinity, Infinity, -Infinity])
  for (const { points } of parts) {
    for (let i = 0; i < points.length; i += 2) {
      const latitude = points[i]!
      const longitude = points[i + 1]!
      if (latitude < box[0]!) box[0] = latitude
      if (latitude > box[1]!) box[1] = latitude
      if (longitude < box[2]!) box[2] = longitude
      if (longitude > box[3]!) box[3] = longitude
    }
  }
}

/** Returns the parts of an encoded shape; points are copied. @throws CorruptionError */
function partsOf(bytes: Uint8Array, section: string): ShapePart[] {
  const parts: ShapePart[] = []
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let at = 0
  while (at < bytes.length) {
    if (at + PART_HEADER_BYTES > bytes.length) {
      refuse(section, at, 'bad_length', PART_HEADER_BYTES, bytes.length - at)
    }
    const kind = view.getUint32(at, true)
    const length = view.getUint32(at + 4, true) * POINT_BYTES
    at += PART_HEADER_BYTES
    if (length === 0 || at + length > bytes.length) {
      refuse(section, at, 'bad_length', `1..${bytes.length - at} bytes of points`, length)
    }
    parts.push({
      kind: kindOf(kind, parts.at(-1)?.kind ?? 0, section),
      points: pointsOf(bytes.slice(at, at + length), section),
    })
    at += length
  }
  if (parts.length === 0) refuse(section, 0, 'bad_length', 'a part', 0)
  return parts
}

function kindOf(kind: number, before: number, section: string): PartKind {
  const hasRing = before === PART_RING || before === PART_HOLE
  if (kind < PART_POINTS || kind > PART_HOLE || (kind === PART_HOLE && !hasRing)) {
    refuse(section, 0, 'bad_value', 'a kind of part', kind)
  }
  return kind as PartKind
}

function pointsOf(bytes: Uint8Array, section: string): Float64Array {
  const points = new Float64Array(bytes.buffer)
  for (let i = 0; i < points.length; i++) {
    if (!Number.isFinite(points[i])) {
      refuse(section, i * 8, 'bad_value', 'a finite number', points[i]!)
    }
  }
  return points
}

/** Reads shapes in place. */
export class ShapesReader {
  /** Number of documents with a shape. */
  readonly count: number
  readonly #section: Section
  readonly #docs: Members
  readonly #isAll: boolean
  readonly #ends: Uint32Array
  readonly #shapesAt: number
  readonly #holdersAt: number
  #holders: Members | null = null
  #boxes: Float64Array | null = null

  /** `docs` are the documents of the segment. @throws CorruptionError */
  constructor(section: Section, docs: Members) {
    const header = new DataView(section.read(0, HEADER_BYTES).slice().buffer)
    const kind = header.getUint32(4, true)
    this.#section = section
    this.#docs = docs
    this.count = header.getUint32(0, true)
    this.#isAll = kind === SET_ALL
    const least = this.#isAll ? docs.size : 1
    if ((kind !== SET_ALL && kind !== SET_LISTED) || this.count < least || this.count > docs.size) {
      refuse(section.tag, 0, 'bad_value', `${least}..${docs.size} shapes`, this.count)
    }
    if (header.getUint32(12, true) !== 0) {
      refuse(section.tag, 12, 'bad_value', 0, header.getUint32(12, true))
    }
    const endsAt = HEADER_BYTES + this.count * BOX_BYTES
    this.#ends = new Uint32Array(section.read(endsAt, this.count * 4).slice().buffer)
    this.#shapesAt = upTo8(endsAt + this.count * 4)
    this.#holdersAt = this.#shapesAt + this.#ends[this.count - 1]!
    const end = this.#holdersAt + header.getUint32(8, true)
    if (end !== section.length) refuse(section.tag, 8, 'bad_length', end, section.length)
  }

  /**
   * Returns the documents that have a shape. Their ranks are the arguments of the other methods.
   */
  holders(): Members {
    return (this.#holders ??= this.#isAll
      ? this.#docs
      : readHolders(this.#section, this.#holdersAt, this.count, this.#docs))
  }

  /** Returns least and greatest latitude, least and greatest longitude per rank; a view. */
  boxes(): Float64Array {
    if (this.#boxes === null) {
      this.#section.touch(HEADER_BYTES, this.count * BOX_BYTES)
      this.#boxes = float64View(this.#section, HEADER_BYTES, this.count * 4)
    }
    return this.#boxes
  }

  /** Returns the parts of the shape with rank `rank`. @throws CorruptionError */
  parts(rank: number): readonly ShapePart[] {
    return partsOf(this.bytes(rank), this.#section.tag)
  }

  /** Returns the encoded shape with rank `rank`; a view. @throws CorruptionError */
  bytes(rank: number): Uint8Array {
    assert(rank >= 0 && rank < this.count, 'a rank is below the number of shapes')
    const from = rank === 0 ? 0 : this.#ends[rank - 1]!
    const to = this.#ends[rank]!
    if (to <= from) refuse(this.#section.tag, this.#shapesAt + from, 'bad_order', from, to)
    return this.#section.read(this.#shapesAt + from, to - from)
  }
}
