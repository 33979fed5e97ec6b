// Factors for the scores of hits, computed from filters, numbers, dates and places.
export { type BoostFactor, type Boosting, boostingOf, Factors } from './factors.ts'
