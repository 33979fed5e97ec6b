// The columns layer of one segment: values by field, for filters, sorts, facets, distinct and geo.
// Layout: ./COLUMNS.md
export { ColumnsBuilder } from './builder.ts'
export { checkColumns } from './check.ts'
export { COLUMNS_KIND, ColumnsReader, columnsAnalysis } from './columns-v1.ts'

export type { ElementSpace } from './elements-v1.ts'
export { FieldReader, NO_KEY } from './field-reader.ts'
export { GEO_BLOCK, type GeoReader } from './geo-v1.ts'

export { mergeColumns } from './merge.ts'
export { elementsFit } from './merge-spaces.ts'
export type { NumberColumn } from './number-column.ts'
export { type ChosenRows, selectRows } from './select-rows.ts'

export {
  PART_HOLE,
  PART_LINE,
  PART_POINTS,
  PART_RING,
  type PartKind,
  type ShapePart,
  type ShapesReader,
} from './shapes-v1.ts'
export type { StringColumn } from './string-column.ts'
