// Merges columns segments: the live documents of all of them into one segment, field by field. The
// result has the same bytes as a segment built from these documents, so merging can be checked
// against building.
//
// Memory: the rows of one field of all inputs at a time, three u32 per value.
import { hasLarge, isBelow } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import { exactOrder, type FieldData, type NumbersData, type SegmentDocs } from '../fields/index.ts'
import type { ByteSink } from '../frame/index.ts'
import type { FieldId } from '../ids.ts'
import type { IdSet } from '../idset/index.ts'
import { type ColumnsReader, type ColumnsSummary, ColumnsWriter } from './columns-v1.ts'
import type { FieldReader } from './field-reader.ts'
import type { GeoData } from './geo-v1.ts'
import { type FieldInput, type LiveRows, liveRows, mergeRows } from './merge-rows.ts'
import { mergeStrings } from './merge-strings.ts'
import type { NumberColumn } from './number-column.ts'
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
  const ids = mergeIds(inputs.map(({ reader, dead }) => reader.docs().andNot(dead).toArray()))
  if (ids.length === 0) return null
  const docs: SegmentDocs = { ids, first: ids[0]!, last: ids[ids.length - 1]! }
  const writer = new ColumnsWriter(docs, sink)
  for (const fieldId of fieldIdsOf(inputs)) {
    const field = mergeField(fieldId, inputs)
    if (field !== null) writer.field(field)
  }
  // A merged segment counts as written by the oldest analysis of its inputs.
  const analysis = Math.min(...inputs.map(({ reader }) => analysisOf(reader)))
  return writer.finish(mergeGeo(inputs), mergeShapes(inputs), analysis)
}

function fieldIdsOf(inputs: readonly MergeInput[]): Uint32Array {
  const ids = new Set<number>()
  for (const { reader } of inputs) for (const id of reader.fieldIds) ids.add(id)
  return Uint32Array.from(ids).sort()
}

/** Returns the field of all inputs, or null if no live document has it. */
function mergeField(fieldId: FieldId, inputs: readonly MergeInput[]): FieldData | null {
  const fields: FieldInput[] = []
  for (const { reader, dead } of inputs) {
    const field = reader.field(fieldId)
    if (field !== null) fields.push({ field, dead })
  }
  const merged: FieldData = {
    fieldId,
    exists: mergeSets(fields, (field) => field.exists()),
    nulls: mergeSets(fields, (field) => field.nulls()),
    empties: mergeSets(fields, (field) => field.empties()),
    blanks: mergeSets(fields, (field) => field.blanks()),
    numbers: mergeNumbers(fields),
    strings: mergeStrings(fields),
  }
  const sets = merged.exists.length + merged.nulls.length + merged.empties.length
  const isEmpty = sets + merged.blanks.length === 0 && merged.numbers === null
  return isEmpty && merged.strings === null ? null : merged
}

function mergeSets(
  inputs: readonly FieldInput[],
  setOf: (field: FieldReader) => IdSet,
): Uint32Array {
  return mergeIds(inputs.map(({ field, dead }) => setOf(field).andNot(dead).toArray()))
}

/** Returns the union of ascending lists that share no id. */
function mergeIds(lists: readonly Uint32Array[]): Uint32Array {
  const filled = lists.filter((list) => list.length > 0)
  if (filled.length === 1) return filled[0]!
  let total = 0
  for (const list of filled) total += list.length
  const merged = new Uint32Array(total)
  let n = 0
  for (const list of filled) {
    merged.set(list, n)
    n += list.length
  }
  merged.sort()
  for (let i = 1; i < total; i++) {
    assert(merged[i]! > merged[i - 1]!, 'a live document is in one segment only')
  }
  return merged
}

/** Values in order, with residues as in `NumbersData`. */
type Values = Omit<NumbersData, 'rows'>

function mergeNumbers(inputs: readonly FieldInput[]): NumbersData | null {
  const live: LiveRows[] = []
  const used: Values[] = []
  for (const { field, dead } of inputs) {
    const { numbers } = field
    if (numbers === null) continue
    const rows = liveRows(numbers.rows, dead)
    if (rows.ids.length === 0) continue
    live.push(rows)
    used.push(usedValues(numbers, rows.used))
  }
  if (live.length === 0) return null
  const isExact = used.some(({ residues }) => residues !== null)
  const merged = isExact ? mergeExactly(used) : { values: mergeValues(used), residues: null }
  const maps: Uint32Array[] = []
  for (let i = 0; i < live.length; i++) maps.push(ordinalMap(live[i]!.used, used[i]!, merged))
  return { ...merged, rows: mergeRows(live, maps) }
}

/** Returns the values that live documents have. Checks the order of all. @throws CorruptionError */
function usedValues(numbers: NumberColumn, used: Uint8Array): Values {
  const values = new Float64Array(numbers.count)
  const residues = numbers.hasResidues ? new Int16Array(numbers.count) : null
  let count = 0
  for (let o = 0; o < values.length; o++) {
    if (o > 0 && !isBelow(numbers.at(o - 1), numbers.at(o))) {
      refuse('DATA', o, 'bad_order', `above ${numbers.at(o - 1)}`, String(numbers.at(o)))
    }
    if (used[o] === 0) continue
    if (residues !== null) residues[count] = numbers.residueAt(o)
    values[count++] = numbers.doubleAt(o)
  }
  return { values: values.subarray(0, count), residues: residues?.subarray(0, count) ?? null }
}

/** Returns all distinct values, in order. */
function mergeValues(lists: readonly Values[]): Float64Array {
  const all = joined(lists)
  all.sort()
  let n = 0
  for (let i = 0; i < all.length; i++) {
    if (n === 0 || !Object.is(all[i], all[n - 1])) all[n++] = all[i]!
  }
  return all.slice(0, n)
}

function joined(lists: readonly Values[]): Float64Array {
  let total = 0
  for (const { values } of lists) total += values.length
  const all = new Float64Array(total)
  let n = 0
  for (const { values } of lists) {
    all.set(values, n)
    n += values.length
  }
  return all
}

/** Does the same for values with residues. */
function mergeExactly(lists: readonly Values[]): Values {
  const values = joined(lists)
  const residues = new Int16Array(values.length)
  let at = 0
  for (const list of lists) {
    if (list.residues !== null) residues.set(list.residues, at)
    at += list.values.length
  }
  const all = { values, residues }
  let n = 0
  const order = exactOrder(values, residues)
  for (let i = 0; i < order.length; i++) {
    if (n === 0 || !isSame(all, order[i]!, all, order[n - 1]!)) order[n++] = order[i]!
  }
  const distinct = Float64Array.from(order.subarray(0, n), (i) => values[i]!)
  // Without large numbers, a segment of these documents has no residues.
  if (!hasLarge(distinct)) return { values: distinct, residues: null }
  return { values: distinct, residues: Int16Array.from(order.subarray(0, n), (i) => residues[i]!) }
}

const isSame = (a: Values, i: number, b: Values, j: number): boolean =>
  Object.is(a.values[i], b.values[j]) && (a.residues?.[i] ?? 0) === (b.residues?.[j] ?? 0)

/** Maps the used ordinals of an input to ordinals among the merged values. */
function ordinalMap(used: Uint8Array, own: Values, merged: Values): Uint32Array {
  const map = new Uint32Array(used.length)
  let at = 0
  let next = 0
  for (let o = 0; o < used.length; o++) {
    if (used[o] === 0) continue
    while (!isSame(merged, at, own, next)) at++
    map[o] = at
    next++
  }
  assert(next === own.values.length, 'each used ordinal has a value')
  return map
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
