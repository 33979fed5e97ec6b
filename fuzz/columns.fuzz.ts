// Columns segments with right checksums and any content: the input is the sections, and the frame
// is built around it here, so changes reach the decoders behind the checksums.

import { ByteReader, ByteWriter } from '../format/bytes/index.ts'
import {
  ColumnsBuilder,
  ColumnsReader,
  checkColumns,
  type FieldReader,
  PART_HOLE,
  PART_LINE,
  PART_RING,
  type ShapePart,
} from '../format/columns/index.ts'
import { CorruptionError, VersionError } from '../format/errors.ts'
import { Frame } from '../format/frame/index.ts'
import { encodeFrame } from '../format/frame/writer-v1.ts'
import { IdUnion } from '../format/idset/index.ts'
import type { FuzzTarget } from './target.ts'

const FIELDS_READ_MAX = 8
const VALUES_READ_MAX = 24

const encoder = new TextEncoder()

/** Converts to lower case; the real normalisation makes no difference here. */
const normalise = (bytes: Uint8Array, from: number, to: number): Uint8Array =>
  encoder.encode(new TextDecoder().decode(bytes.subarray(from, to)).toLowerCase()).subarray(0, 468)

/** Returns a segment of `count` documents with all kinds of fields, as an input of the target. */
function seed(
  count: number,
  step: number,
  isLarge: boolean,
  isExact = false,
  elements = 0,
): Uint8Array {
  const builder = new ColumnsBuilder(normalise)
  for (let i = 0; i < count; i++) {
    builder.begin(i * step)
    builder.exists(1)
    builder.number(1, i % 2 === 0 ? i : i / 7)
    if (i % 3 === 0) builder.number(1, -0)
    if (isExact) builder.number(2, 2n ** 60n + BigInt(i % 7))
    builder.number(2, 1900 + (i % 100))
    if (i % 4 === 0) builder.isNull(2)
    if (i % 5 === 0) builder.isEmpty(3)
    builder.string(3, encoder.encode(['Drama', 'drama', 'Science Fiction', ''][i % 4]!))
    builder.string(3, encoder.encode(`Title ${i % (isLarge ? 300 : 5)}`))
    if (i % 2 === 0) builder.geo(i / 100, -i / 50)
    if (i % 3 !== 1) builder.shape(shapeAt(i))
    for (let e = 0; e < elements; e++) addElement(builder, i + e)
  }
  const frame = encodeSegment(builder)
  const out = new ByteWriter(1024)
  const data = frame.section('DATA', 1, 2).bytes
  const table = frame.section('FLDS').bytes
  out.varint(data.length)
  out.varint(table.length)
  const points = frame.section('GEOP').bytes
  const shapes = frame.section('SHAP').bytes
  out.varint(points.length)
  out.varint(shapes.length)
  out.bytes(data)
  out.bytes(table)
  out.bytes(points)
  out.bytes(shapes)
  if (frame.has('ELEM')) out.bytes(frame.section('ELEM').bytes)
  return out.finish()
}

/** Adds an element, some with elements inside; not all documents have one. */
function addElement(builder: ColumnsBuilder, i: number): void {
  if (i % 5 === 0) return
  builder.enter(5)
  builder.exists(6)
  builder.number(6, i % 9)
  for (let inner = 0; inner < i % 3; inner++) {
    builder.enter(7)
    builder.exists(8)
    builder.string(8, encoder.encode(`Inner ${inner}`))
    builder.leave()
  }
  builder.leave()
}

function shapeAt(i: number): ShapePart[] {
  const points = Float64Array.of(i, i, i, i + 1, i + 1, i)
  if (i % 2 === 0) return [{ kind: PART_LINE, points }]
  return [
    { kind: PART_RING, points },
    { kind: PART_HOLE, points: points.map((value) => value / 2) },
  ]
}

function encodeSegment(builder: ColumnsBuilder): Frame {
  const out = new ByteWriter(1024)
  builder.finish((bytes) => out.bytes(bytes))
  return Frame.open(out.finish(), 'COLS')
}

function frameOf(input: Uint8Array): Uint8Array {
  const reader = new ByteReader(input, 'input')
  const dataLength = reader.varint()
  const tableLength = reader.varint()
  const pointsLength = reader.varint()
  const shapesLength = reader.varint()
  const data = reader.take(dataLength)
  const table = reader.take(tableLength)
  const points = reader.take(pointsLength)
  const shapes = reader.take(shapesLength)
  const elements = reader.take(reader.left)
  return encodeFrame('COLS', (writer) => {
    // Both versions occur.
    writer.section('DATA', 1 + ((dataLength >>> 3) & 1), data)
    writer.section('FLDS', 1, table)
    if (points.length > 0) writer.section('GEOP', 1, points)
    if (shapes.length > 0) writer.section('SHAP', 1, shapes)
    if (elements.length > 0) writer.section('ELEM', 1, elements)
    // The condition depends on the length of the points, so frames with and without the section
    // occur.
    if (points.length % 4 === 1) writer.section('ANLY', 1, points.subarray(0, 4))
  })
}

function readField(field: FieldReader, docs: Uint32Array): void {
  const union = new IdUnion(64)
  const keys = new Uint32Array(docs.length)
  for (const set of [field.exists(), field.nulls(), field.empties(), field.blanks()]) set.toArray()
  for (let o = 0; o < Math.min(field.numberCount, VALUES_READ_MAX); o++) {
    field.numberPosting(o).toArray()
    field.findNumber(field.numberAt(o))
  }
  for (let o = 0; o < Math.min(field.stringCount, VALUES_READ_MAX); o++) {
    field.stringPosting(o).toArray()
    field.findString(field.stringAt(o))
  }
  field.addNumbers(Math.min(1, field.numberCount), field.numberCount, union)
  field.addStrings(Math.min(1, field.stringCount), field.stringCount, union)
  union.take().toArray()
  const walk = field.walkStrings()
  while (walk?.next() === true);
  for (const id of docs.subarray(0, VALUES_READ_MAX)) {
    for (const ordinal of field.numbersOf(id)) field.numberAt(ordinal)
    for (const variant of field.variantsOf(id)) field.originalOf(variant)
  }
  for (const descending of [false, true]) {
    field.sortKeys(docs, 0, docs.length, descending, keys)
    for (const key of keys.subarray(0, VALUES_READ_MAX)) field.keyValue(key, descending)
  }
}

function run(input: Uint8Array): void {
  const frame = Frame.open(frameOf(input), 'COLS')
  const reader = ColumnsReader.open(frame)
  const docs = reader.docs().first(1000)
  for (const id of reader.fieldIds.subarray(0, FIELDS_READ_MAX)) readField(reader.field(id)!, docs)
  const geo = reader.geo()
  if (geo !== null) {
    geo.spheres()
    for (let slot = 0; geo.blockCount > 0 && slot < geo.count; slot++)
      geo.latitude(geo.rankAt(slot))
  }
  const shapes = reader.shapes()
  if (shapes !== null) {
    shapes.boxes()
    for (let rank = 0; rank < Math.min(shapes.count, VALUES_READ_MAX); rank++) shapes.parts(rank)
  }
  for (const space of reader.spaces().slice(0, FIELDS_READ_MAX)) {
    space.ownersOf(space.rowsOf(space.owners().set)).toArray()
    const rows = space.members().set.first(1000)
    for (const id of space.fieldIds.subarray(0, FIELDS_READ_MAX)) readField(space.field(id)!, rows)
  }
  checkColumns(frame)
}

export const target: FuzzTarget = {
  name: 'columns',
  seeds: () => [
    seed(1, 1, false),
    seed(7, 1, false),
    seed(30, 3, false),
    seed(400, 2, true),
    seed(9, 1, false, true),
    seed(10, 1, false, true),
    seed(8, 1, false, false, 2),
    seed(60, 3, false, true, 3),
  ],
  run,
  allows: (error) => error instanceof CorruptionError || error instanceof VersionError,
  inputBytesMax: 65536,
}
