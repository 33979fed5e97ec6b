// Numbers of the tables of a segment that contradict each other, under right checksums: each is
// refused at its place.
import { expect, it } from 'vitest'
import { collect, utf8 } from '../../fixtures/format/columns/model.ts'
import { CorruptionError } from '../errors.ts'
import { STRING_BYTES_MAX } from '../fields/index.ts'
import { Frame } from '../frame/index.ts'
import { encodeFrame } from '../frame/writer-v1.ts'
import { ColumnsBuilder, ColumnsReader, PART_LINE } from './index.ts'

/** Documents 10, 11 and 13 with two fields; two have shapes, one a place, and two have elements. */
function built(): Uint8Array {
  const builder = new ColumnsBuilder((bytes, from, to) => bytes.subarray(from, to), 7)
  const element = (path: number, value: string): void => {
    builder.enter(path)
    builder.string(4, utf8(value))
    builder.leave()
  }
  for (const id of [10, 11, 13]) {
    builder.begin(id)
    builder.number(2, id)
    if (id === 10) for (const value of ['a', 'b']) element(3, value)
    if (id === 13) element(5, 'c')
    if (id === 11) builder.geo(1, 2)
    else builder.shape([{ kind: PART_LINE, points: Float64Array.of(id, 2, 3, 4) }])
  }
  return collect((sink) => builder.finish(sink))
}

const FRAME = Frame.open(built(), 'COLS')

type Change = (bytes: Uint8Array, view: DataView) => Uint8Array

/** Reads everything of the segment, with one section changed. */
function read(tag: string, change: Change): void {
  const bytes = encodeFrame('COLS', (writer) => {
    for (const section of FRAME.sections) {
      const copy = section.bytes.slice()
      const isChanged = section.tag === tag
      const content = isChanged ? change(copy, new DataView(copy.buffer)) : copy
      writer.section(section.tag, section.version, content)
    }
  })
  const reader = ColumnsReader.open(Frame.open(bytes, 'COLS'))
  expect(reader.analysis).toBe(7)
  reader.docs()
  for (const id of reader.fieldIds) reader.field(id)
  const [geo, shapes] = [reader.geo()!, reader.shapes()!]
  for (let rank = 0; rank < geo.holders().size; rank++) geo.latitude(rank)
  for (let rank = 0; rank < shapes.holders().size; rank++) shapes.parts(rank)
  for (const space of reader.spaces()) {
    space.owners()
    space.starts()
    for (const id of space.fieldIds) space.field(id)
  }
}

const u32 =
  (at: number, value: number): Change =>
  (bytes, view) => {
    view.setUint32(at, value, true)
    return bytes
  }
const u16 =
  (at: number, value: number): Change =>
  (bytes, view) => {
    view.setUint16(at, value, true)
    return bytes
  }
const u8 =
  (at: number, value: number): Change =>
  (bytes) => {
    bytes[at] = value
    return bytes
  }
const longer: Change = (bytes) => Uint8Array.from([...bytes, 0])

const IDS_END = 2 ** 28

it.each<readonly [string, Change, string]>([
  ['FLDS', u32(0, 0), 'FLDS @0: bad_value, expected 1..4 documents, got 0'],
  ['FLDS', u32(0, 5), 'FLDS @0: bad_value, expected 1..4 documents, got 5'],
  ['FLDS', u32(8, IDS_END), 'FLDS @0: bad_value'],
  ['FLDS', u32(0, 4), 'FLDS @40: bad_length, expected 40'],
  ['FLDS', u32(0, 2), 'FLDS @40: bad_value, expected 2 documents, got 3'],
  ['FLDS', u32(4, 9), 'FLDS @40: bad_value'],
  ['FLDS', u32(8, 14), 'FLDS @40: bad_value'],
  ['FLDS', u16(28, 2), 'FLDS @12: bad_order, expected more than 2, got 2'],
  ['FLDS', u32(20, 4), 'FLDS @0: bad_value, expected a block, got 4'],
  ['FLDS', u16(18, 0xffff), 'FLDS @0: bad_value, expected a block'],
  ['FLDS', u32(24, 0xffff), 'FLDS @0: bad_length'],
  ['ANLY', u32(0, 0), 'ANLY @0: bad_value, expected at least 1, got 0'],
  ['ANLY', longer, 'ANLY @0: bad_length, expected 4, got 5'],
  ['GEOP', u32(4, 1), 'GEOP @0: bad_value, expected 3..3 places, got 1'],
  ['SHAP', u32(0, 0), 'SHAP @0: bad_value, expected 1..3 shapes, got 0'],
  ['SHAP', u32(0, 4), 'SHAP @0: bad_value, expected 1..3 shapes, got 4'],
  ['SHAP', u32(4, 9), 'SHAP @0: bad_value'],
  ['SHAP', u32(4, 1), 'SHAP @0: bad_value, expected 3..3 shapes, got 2'],
  ['SHAP', u32(12, 1), 'SHAP @12: bad_value, expected 0, got 1'],
  ['SHAP', u32(8, 1), 'SHAP @8: bad_length'],
  ['SHAP', u32(80, 0), 'SHAP @88: bad_order, expected 0, got 0'],
  ['SHAP', u32(80, 80), 'SHAP @168: bad_order, expected 80, got 80'],
  ['ELEM', u32(4, 1), 'ELEM @4: bad_value'],
  ['ELEM', u32(12, 1), 'ELEM @8: bad_order'],
  ['ELEM', u32(36, 2), 'ELEM @32: bad_order'],
  ['ELEM', u16(32, 3), 'ELEM @32: bad_order, expected spaces in order'],
  ['ELEM', u32(24, 60), 'ELEM @8: bad_value, expected 56, got 60'],
  ['ELEM', u32(16, 0), `ELEM @56: bad_value, expected 1..${IDS_END - 1} rows, got 0`],
  ['ELEM', u32(16, IDS_END), `ELEM @56: bad_value, expected 1..${IDS_END - 1} rows`],
  ['ELEM', u32(20, 0), 'ELEM @56: bad_value, expected 1..2 owners, got 0'],
  ['ELEM', u32(20, 3), 'ELEM @56: bad_value, expected 1..2 owners, got 3'],
  ['ELEM', u32(28, 0), 'ELEM @56: bad_value, expected 1..2 owners, got 1'],
  ['ELEM', u32(28, 0xffff), 'ELEM @56: bad_length'],
  ['ELEM', longer, 'bad_length'],
  ['ELEM', u8(68, 1), 'ELEM @68: bad_order, expected ascending, got 1'],
  ['ELEM', u8(69, 1), 'ELEM @68: bad_value, expected 2, got 1'],
])('%s: case %#', (tag, change, message) => {
  read(tag, (bytes) => bytes)
  const attempt = () => read(tag, change)
  expect(attempt).toThrow(CorruptionError)
  expect(attempt).toThrow(message)
})

it('the longest string is found, and none beyond it', () => {
  const builder = new ColumnsBuilder((bytes, from, to) => bytes.subarray(from, to), 7)
  builder.begin(1)
  builder.string(4, utf8('x'.repeat(STRING_BYTES_MAX)))
  const reader = ColumnsReader.open(
    Frame.open(
      collect((sink) => builder.finish(sink)),
      'COLS',
    ),
  )
  const found = [0, 1].map((more) =>
    reader.field(4)!.findString(utf8('x'.repeat(STRING_BYTES_MAX + more))),
  )
  expect(found).toEqual([0, -1])
})

it('sets of other documents are refused', () => {
  // The id that ends a set is the last of its bytes that is not zero.
  for (const [tag, message] of [
    ['FLDS', 'FLDS @40: bad_value, expected 3 documents'],
    ['GEOP', 'GEOP @32: bad_value, expected 1 documents'],
    ['SHAP', 'SHAP @168: bad_value, expected 2 documents'],
  ] as const) {
    const attempt = () =>
      read(tag, (bytes) => {
        const last = bytes.findLastIndex((byte) => byte !== 0)
        bytes[last]!++
        return bytes
      })
    expect(attempt).toThrow(CorruptionError)
    expect(attempt, tag).toThrow(message)
  }
})

it('a damaged page is refused by each method that reads it, although all numbers could be right', () => {
  const count = 8000
  const builder = new ColumnsBuilder((bytes, from, to) => bytes.subarray(from, to))
  for (let id = 0; id < count; id++) {
    builder.begin(id)
    builder.geo(id % 80, 2)
    builder.shape([{ kind: PART_LINE, points: Float64Array.of(id, 2) }])
    for (const value of [1, 2]) {
      builder.enter(3)
      builder.number(4, value)
      builder.leave()
    }
  }
  const sound = collect((sink) => builder.finish(sink))
  const frame = Frame.open(sound, 'COLS')
  const starts = 8 + 24 + 12
  for (const [tag, at, use] of [
    ['ELEM', starts + count, (reader: ColumnsReader) => reader.spaces()[0]!.starts()],
    ['GEOP', 16 + count * 8, (reader: ColumnsReader) => reader.geo()!.latitude(count / 2)],
    ['GEOP', 16 + count * 8, (reader: ColumnsReader) => reader.geo()!.longitude(count / 2)],
    ['GEOP', 16 + count * 16, (reader: ColumnsReader) => reader.geo()!.spheres()],
    ['GEOP', 16 + count * 17, (reader: ColumnsReader) => reader.geo()!.rankAt(count / 4)],
    ['SHAP', 16 + count * 16, (reader: ColumnsReader) => reader.shapes()!.boxes()],
    ['SHAP', 16 + count * 48, (reader: ColumnsReader) => reader.shapes()!.parts(count / 2)],
  ] as const) {
    use(ColumnsReader.open(frame))
    const damaged = sound.slice()
    damaged[frame.section(tag).offset + at]! ^= 1
    expect(() => use(ColumnsReader.open(Frame.open(damaged, 'COLS'))), `${tag} @${at}`).toThrow(
      'bad_checksum',
    )
  }
})
