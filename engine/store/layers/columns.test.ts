// The version that a columns segment counts as: an upgrade rebuilds those with rounded numbers or cut
// texts, also after merges, and no others.
import { expect, it } from 'vitest'
import { ByteWriter, type ExactNumber } from '../../../format/bytes/index.ts'
import { ColumnsBuilder, columnsAnalysis } from '../../../format/columns/index.ts'
import { Frame } from '../../../format/frame/index.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { columnsLayer } from './columns.ts'

const [ROUNDED, EXACT, ROWLESS, NOW] = [4, 5, 6, 7]
const FIELD = 3
const NESTED = 4
const NAMES = ['id', '_geo.lat', '_geojson.features.type', 'sku', 'variants.sku']
const ID = 712345678901234561n

function frameOf(written: (sink: (bytes: Uint8Array) => void) => unknown): Frame {
  const out = new ByteWriter(256)
  written((bytes) => out.bytes(bytes))
  return Frame.open(out.finish(), columnsLayer.kind)
}

const segment = (id: number, value: ExactNumber | string, analysis: number, field = FIELD): Frame =>
  frameOf((sink) => {
    const builder = new ColumnsBuilder((bytes, from, to) => bytes.slice(from, to), analysis)
    builder.begin(id)
    builder.exists(field)
    if (typeof value === 'string') builder.string(field, Buffer.from(value))
    else builder.number(field, value)
    builder.finish(sink)
  })

/** A number that version 4 may have rounded. */
const rounded = (id: number): Frame => segment(id, Number(ID), ROUNDED)

const version = (frame: Frame): number => columnsLayer.analysis!.of(frame, NAMES)

const merged = (...frames: readonly Frame[]): Frame =>
  frameOf((sink) =>
    columnsLayer.merge(
      frames.map((frame) => ({ reader: columnsLayer.open(frame, {}), dead: IdSet.empty })),
      sink,
      { progress: () => undefined, names: NAMES },
    ),
  )

it('is the recorded one, but rounded numbers are all that version 4 lacks', () => {
  expect([0, 3, NOW, 8].map((one) => version(segment(1, 7, one)))).toEqual([0, 3, NOW, 8])
  expect(version(segment(1, 7, ROUNDED))).toBe(NOW)
  expect(version(segment(1, 1e300, ROUNDED))).toBe(NOW)
  for (const value of [Number(ID), -Number(ID), 2 ** 53, 2 ** 64]) {
    expect(version(segment(1, value, ROUNDED)), String(value)).toBe(ROUNDED)
    expect(version(segment(1, value, EXACT))).toBe(NOW)
  }
})

it('cut texts are all that version 5 lacks', () => {
  for (const [length, counts] of [
    [464, NOW],
    [465, EXACT],
    [468, EXACT],
  ] as const) {
    expect(version(segment(1, 'x'.repeat(length), EXACT)), String(length)).toBe(counts)
  }
  expect(version(segment(1, 'x'.repeat(468), ROUNDED))).toBe(ROUNDED)
  expect(version(segment(1, 'x'.repeat(468), NOW))).toBe(NOW)
})

it('is old without rows if a field may be in an element', () => {
  for (const field of [0, 1, 2, FIELD]) expect(version(segment(1, 7, ROWLESS, field))).toBe(NOW)
  expect(version(segment(1, 7, ROWLESS, NESTED))).toBe(ROWLESS)
  expect(version(segment(1, 7, ROUNDED, NESTED))).toBe(ROWLESS)
  expect(version(segment(1, 7, NOW, NESTED))).toBe(NOW)
  const [flat, nested] = [segment(1, 7, ROWLESS), segment(2, 7, ROWLESS, NESTED)]
  expect(columnsAnalysis(merged(flat, segment(3, 7, NOW, NESTED)))).toBe(NOW)
  expect(columnsAnalysis(merged(nested, segment(3, 7, NOW, NESTED)))).toBe(ROWLESS)
})

it('of a merged segment is that of its oldest input', () => {
  const [small, old, exact] = [segment(1, 7, ROUNDED), rounded(2), segment(3, ID, EXACT)]
  expect(version(merged(small, exact))).toBe(NOW)
  expect(columnsAnalysis(merged(small, exact))).toBe(NOW)
  expect(version(merged(small, old))).toBe(ROUNDED)
  expect(version(merged(old, exact))).toBe(ROUNDED)
  expect(version(merged(old, exact, segment(4, 1, 3)))).toBe(3)
  expect(version(merged(exact, segment(4, 'x'.repeat(468), EXACT)))).toBe(EXACT)
})

it('a merge of rounded and exact numbers keeps the exact ones', () => {
  const field = columnsLayer.open(merged(rounded(2), segment(3, ID, NOW)), {}).field(FIELD)!
  expect([field.numberAt(0), field.numberAt(1)]).toEqual([Number(ID), ID])
})

it('is described with the spaces of its elements', () => {
  const frame = frameOf((sink) => {
    const builder = new ColumnsBuilder((bytes, from, to) => bytes.slice(from, to), NOW)
    builder.begin(1)
    for (const value of [7, 8]) {
      builder.enter(FIELD)
      builder.exists(NESTED)
      builder.number(NESTED, value)
      builder.leave()
    }
    builder.enter(FIELD)
    builder.leave()
    builder.begin(2)
    builder.finish(sink)
  })
  const { content, tables } = columnsLayer.describe(frame, NAMES)
  expect(content['elements']).toEqual([
    { path: 'sku', in: 'documents', owners: 1, rows: 2, fields: 1 },
  ])
  expect(tables[1]).toEqual({
    columns: ['elements', 'of', 'owners', 'rows', 'fields'],
    rows: [['sku', 'documents', 1, 2, 1]],
  })
  const spaces = columnsLayer.tables(frame, NAMES).find(({ title }) => title.startsWith('ELEM'))
  expect(spaces?.columns).toEqual(['path', 'parent', 'rows', 'owners', 'fields', 'offset'])
  expect(spaces?.rows).toEqual([['sku', 0, 2, 1, 1, 32]])
  expect(columnsLayer.check(frame, { progress: () => undefined, visit: () => undefined })).toEqual({
    fieldMax: NESTED,
  })
})

it('has no spaces without arrays of objects', () => {
  const frame = segment(1, 7, NOW, NESTED)
  expect(frame.has('ELEM')).toBe(false)
  const { content, tables } = columnsLayer.describe(frame, NAMES)
  expect([content['elements'], tables.length]).toEqual([undefined, 1])
  expect(columnsLayer.tables(frame, NAMES)).toHaveLength(1)
})
