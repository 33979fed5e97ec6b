// Factors for the scores of hits, computed from filters, numbers, dates and places.
export { type BoostFactor, type Boosting, boostingOf, boostKey, Factors } from './factors.ts'
