// Writes one field of a segment as a block of bytes · layout: ./FIELDS.md, "Block"
//
//   head: varints, lengths and kinds · parts: sets, numbers, strings
//
// ./field-reader.ts reads the parts in the same order.
import { ByteWriter, bytesOf, zigzag } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import { writeDictionary } from './dictionary-v1.ts'
import type { FieldData, NumbersData, SegmentDocs, StringsData } from './field-data.ts'
import { ListWriter } from './lists-v1.ts'
import { writeOriginals } from './originals-v1.ts'
import { packedBytes, widthFor } from './packed.ts'
import { PartWriter } from './parts.ts'
import { NUMBER_GAIN, STRING_GAIN, writeList, writePostings } from './postings-v1.ts'
import { writeRows } from './rows-v1.ts'

/** Kinds of sets. The empty set. */
export const SET_NONE = 0
/** All documents of the segment. */
export const SET_ALL = 1
/** The documents of the exists set. */
export const SET_EXISTS = 2
/** The listed documents. */
export const SET_LISTED = 3
/** All documents of the segment except the listed ones. */
export const SET_ALL_BUT = 4

/** The sets of a field, in the order in which they are stored. */
export const FIELD_SETS = ['exists', 'nulls', 'empties', 'blanks', 'numbers', 'strings'] as const

/** Width of values with residues: a double and an i16. */
export const EXACT_WIDTH = 10

/** Integers up to this magnitude can be stored as distances from the smallest one. */
const BASE_MAX = 2 ** 51

/** Writes the block of one field to `out`; returns the length of its head in bytes. */
export function writeField(field: FieldData, docs: SegmentDocs, out: ByteWriter): number {
  assert(field.exists.length <= docs.ids.length, 'a field is in documents of the segment')
  const head = new ByteWriter(64)
  const parts = new PartWriter()
  writeSets(field, docs, head, parts)
  head.varint(field.numbers === null ? 0 : field.numbers.values.length)
  head.varint(field.strings === null ? 0 : field.strings.normalised.starts.length)
  if (field.numbers !== null) writeNumbers(field.numbers, docs.first, head, parts)
  if (field.strings !== null) writeStrings(field.strings, docs.first, head, parts)
  const bytes = head.finish()
  parts.finish(bytes, out)
  return bytes.length
}

function writeSets(field: FieldData, docs: SegmentDocs, head: ByteWriter, parts: PartWriter): void {
  const list = new ListWriter(docs.first)
  const none = new Uint32Array(0)
  const sets = [
    field.exists,
    field.nulls,
    field.empties,
    field.blanks,
    field.numbers?.rows.holders ?? none,
    field.strings?.rows.holders ?? none,
  ]
  assert(sets.length === FIELD_SETS.length, 'each set of a field is written')
  for (const [index, ids] of sets.entries()) {
    const kind = kindOf(ids, index === 0 ? none : field.exists, docs)
    head.varint(kind)
    if (kind === SET_LISTED) list.add(ids, 0, ids.length)
    if (kind === SET_ALL_BUT) {
      const others = without(docs.ids, ids)
      list.add(others, 0, others.length)
    }
  }
  writeList(list.finish(), head, parts)
}

/**
 * Returns the cheapest kind for a set. Each set has exactly one, so equal content gives equal
 * bytes.
 */
function kindOf(ids: Uint32Array, exists: Uint32Array, docs: SegmentDocs): number {
  if (ids.length === 0) return SET_NONE
  if (ids.length === docs.ids.length) return SET_ALL
  if (sameIds(ids, exists)) return SET_EXISTS
  return ids.length * 2 <= docs.ids.length ? SET_LISTED : SET_ALL_BUT
}

function sameIds(a: Uint32Array, b: Uint32Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Returns the ascending `ids` that are not in `removed`, an ascending subset of them. */
function without(ids: Uint32Array, removed: Uint32Array): Uint32Array {
  const out = new Uint32Array(ids.length - removed.length)
  let n = 0
  let t = 0
  for (let i = 0; i < ids.length; i++) {
    if (t < removed.length && removed[t] === ids[i]) t++
    else out[n++] = ids[i]!
  }
  assert(t === removed.length, 'documents of a field are documents of the segment')
  return out
}

function writeNumbers(
  numbers: NumbersData,
  firstId: number,
  head: ByteWriter,
  parts: PartWriter,
): void {
  const { values, residues, rows } = numbers
  const distances = residues === null ? integerDistances(values) : null
  if (residues !== null) {
    head.varint(EXACT_WIDTH)
    parts.add(bytesOf(values), 8)
    parts.add(bytesOf(residues), 2)
  } else if (distances === null) {
    head.varint(8)
    parts.add(bytesOf(values), 8)
  } else {
    const width = widthFor(distances[distances.length - 1]!)
    head.varint(width)
    head.varint(zigzag(values[0]!))
    parts.add(packedBytes(distances, distances.length, width), width)
  }
  writeRows(rows, values.length, head, parts)
  writePostings(rows, null, values.length, firstId, NUMBER_GAIN, head, parts)
}

/**
 * Returns the distances from the smallest value if all values are integers within a range of 32
 * bits, else null.
 */
function integerDistances(values: Float64Array): Uint32Array | null {
  const base = values[0]!
  if (Math.abs(base) > BASE_MAX || values[values.length - 1]! - base >= 2 ** 32) return null
  const distances = new Uint32Array(values.length)
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    if (!Number.isInteger(value) || Object.is(value, -0)) return null
    distances[i] = value - base
  }
  return distances
}

function writeStrings(
  strings: StringsData,
  firstId: number,
  head: ByteWriter,
  parts: PartWriter,
): void {
  const count = strings.normalised.starts.length
  writeDictionary(strings.normalised, head, parts)
  writeOriginals(strings, head, parts)
  writeRows(strings.rows, strings.normalisedOf.length, head, parts)
  const isIdentity = strings.normalisedOf.length === count
  const map = isIdentity ? null : strings.normalisedOf
  writePostings(strings.rows, map, count, firstId, STRING_GAIN, head, parts)
}
