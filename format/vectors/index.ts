// The vectors layer of a segment: finds the documents nearest to a vector, and the vectors of a
// document. Layout: ./VECTORS.md

export { Candidates, DIMENSIONS_MAX } from '../vector-codes/index.ts'
export { VectorsBuilder } from './builder.ts'
export { checkVectors } from './check.ts'
export type { EmbedderRows } from './embedder-rows.ts'
export {
  comparedVectors,
  decodeEntries,
  encodeEntries,
  NO_ENTRIES,
  shownVectors,
  storedRows,
  type VectorEntry,
} from './entry.ts'
export { DOCUMENT_IDS_MAX, DOCUMENT_ROWS_MAX } from './limits.ts'
export { entriesAt, mergeVectors } from './merge.ts'
export { RowSearch } from './row-search.ts'
export type { RowForm } from './rows.ts'
export { writeVectorsJson } from './text.ts'
export { VECTORS_KIND, VectorsReader } from './vectors-v1.ts'
