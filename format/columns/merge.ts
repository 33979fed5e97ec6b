// Merges columns segments: the live documents of all of them into one segment, field by field. The
// result has the same bytes as a segment built from these documents, so merging can be checked
// against building.
//
// Memory: the rows of one field of all inputs at a time, three u32 per value.
import { assert } from '../errors.ts'
import type { SegmentDocs } from '../fields/index.ts'
import type { ByteSink } from '../frame/index.ts'
import type { IdSet } from '../idset/index.ts'
import { type ColumnsReader, type ColumnsSummary, ColumnsWriter } from './columns-v1.ts'
import type { ElementSpace } from './elements-v1.ts'
import type { GeoData } from './geo-v1.ts'
import { mergeField, mergeIds } from './merge-field.ts'
import type { FieldInput } from './merge-rows.ts'
import { mergeSpaces } from './merge-spaces.ts'
import { ShapeBytes, type ShapesData } from './shapes-v1.ts'

/** A segment to merge, and the ids of its dead documents (ids of other segments are ignored). */
export type MergeInput = { readonly reader: ColumnsReader; readonly dead: IdSet }

/**
 * Writes the live documents of all inputs as one segment. Live documents must be distinct.
 * `analysisOf`: the version that a segment counts as.
 * @returns null, with nothing written, if no document is live. @throws CorruptionError
 */
export function mergeColumns(
  inputs: readonly MergeInput[],
  sink: ByteSink,
  analysisOf: (reader: ColumnsReader) => number = ({ analysis }) => analysis,
): ColumnsSummary | null {
  const live = inputs.map(({ reader, dead }) => reader.docs().andNot(dead).toArray())
  const ids = mergeIds(live)
  if (ids.length === 0) return null
  const count = live.reduce((sum, list) => sum + list.length, 0)
  assert(ids.length === count, 'a live document is in one segment only')
  const docs: SegmentDocs = { ids, first: ids[0]!, last: ids[ids.length - 1]! }
  const writer = new ColumnsWriter(docs, sink)
  const documents = inputs.map(({ reader, dead }) => ({ source: reader, dead, map: null }))
  writeFields(documents, writer)
  mergeSpaces(inputs, (space, rows) => {
    writer.space(space)
    writeFields(rows, writer)
  })
  // A merged segment counts as written by the oldest analysis of its inputs.
  const analysis = Math.min(...inputs.map(({ reader }) => analysisOf(reader)))
  return writer.finish(mergeGeo(inputs), mergeShapes(inputs), analysis)
}

/** A segment or a space, as an input of each of its fields. */
export type MergeSource = Omit<FieldInput, 'field'> & {
  readonly source: ColumnsReader | ElementSpace
}

function writeFields(sources: readonly MergeSource[], writer: ColumnsWriter): void {
  const ids = new Set<number>()
  for (const { source } of sources) for (const id of source.fieldIds) ids.add(id)
  for (const fieldId of Uint32Array.from(ids).sort()) {
    const inputs: FieldInput[] = []
    for (const { source, dead, map } of sources) {
      const field = source.field(fieldId)
      if (field !== null) inputs.push({ field, dead, map })
    }
    const field = mergeField(fieldId, inputs)
    if (field !== null) writer.field(field)
  }
}

function mergeGeo(inputs: readonly MergeInput[]): GeoData | null {
  const ids = mergeIds(
    inputs.map(({ reader, dead }) => {
      const geo = reader.geo()
      return geo === null ? new Uint32Array(0) : geo.holders().set.andNot(dead).toArray()
    }),
  )
  if (ids.length === 0) return null
  const points = new Float64Array(ids.length * 2)
  for (const { reader, dead } of inputs) {
    const geo = reader.geo()
    if (geo === null) continue
    const holders = geo.holders()
    const live = holders.set.andNot(dead).toArray()
    let at = 0
    for (let i = 0; i < live.length; i++) {
      while (ids[at]! < live[i]!) at++
      const rank = holders.rankOf(live[i]!)
      points[at * 2] = geo.latitude(rank)
      points[at * 2 + 1] = geo.longitude(rank)
    }
  }
  return { ids, points }
}

function mergeShapes(inputs: readonly MergeInput[]): ShapesData | null {
  const shaped = inputs.map(({ reader, dead }) => {
    const shapes = reader.shapes()
    const live = shapes === null ? new Uint32Array(0) : shapes.holders().set.andNot(dead).toArray()
    return { shapes, live, next: 0 }
  })
  const ids = mergeIds(shaped.map(({ live }) => live))
  if (ids.length === 0) return null
  const ends = new Uint32Array(ids.length)
  const bytes = new ShapeBytes()
  for (let i = 0; i < ids.length; i++) {
    const input = shaped.find(({ live, next }) => live[next] === ids[i])
    assert(input !== undefined && input.shapes !== null, 'an id comes from one of the inputs')
    input.next++
    bytes.append(input.shapes.bytes(input.shapes.holders().rankOf(ids[i]!)))
    ends[i] = bytes.length
  }
  return { ids, ends, bytes: bytes.view() }
}
