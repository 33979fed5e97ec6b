// The parts of a column of one field: dictionary, rows, lists, originals, postings.
// Layout: ./FIELDS.md
export { Dictionary, StringWalk } from './dictionary-v1.ts'
export { exactOrder } from './exact-order.ts'
export type {
  FieldData,
  NumbersData,
  RowsData,
  SegmentDocs,
  StringSlices,
  StringsData,
} from './field-data.ts'
export { EXACT_WIDTH, SET_ALL, SET_LISTED, writeField } from './field-v1.ts'
export { boundsOf, hilbertOrder } from './hilbert.ts'
export { ByteInterner, NumberInterner } from './intern.ts'
export {
  DATA_BYTES_MAX,
  DOCUMENT_IDS_MAX,
  FIELD_IDS_MAX,
  SEGMENT_DOCS_MAX,
  STRING_BYTES_MAX,
} from './limits.ts'
export type { IdBounds } from './lists-v1.ts'
export { Members } from './members.ts'
export { Originals } from './originals-v1.ts'
export {
  countUpTo,
  float64View,
  int16View,
  type Packed,
  packedBytes,
  packedView,
  Uint32List,
  widthFor,
} from './packed.ts'
export { PartReader } from './parts.ts'
export { Postings } from './postings-v1.ts'
export { numberRows, type SortedStrings, stringRows } from './row-builder.ts'
export { Rows } from './rows-v1.ts'
export { type FieldSetName, FieldSets } from './sets.ts'
export { compareSlices, sortedStrings } from './sort-strings.ts'
