// Factors for the scores of hits, computed from filters, numbers, dates and places.
export type { FactorTable } from './factor-table.ts'
export { type BoostFactor, type Boosting, boostingOf, boostKey, Factors } from './factors.ts'
export { boostedDocuments } from './filter-cache.ts'
