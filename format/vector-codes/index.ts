// Codes of vectors: two bits per dimension, which select the few hundred of many rows that are worth
// an exact comparison; in lists where there are very many rows. Layout: ./CODES.md
export { Candidates } from './candidates.ts'
export { normalize, type QueryTable, queryTable } from './codes.ts'
export { CODED_ROWS_MIN, DIMENSIONS_MAX, ROWS_MAX } from './limits.ts'
export { CodeScan } from './scan.ts'
export { CodeTable } from './table.ts'
export {
  LIST_RULE,
  type ListRule,
  NO_LISTS,
  RowSample,
  type RowSource,
  writeCodes,
  writeLists,
} from './writer.ts'
