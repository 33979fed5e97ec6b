// The setting `boosts`: factors for the scores of hits, and the checks of one boost.
export { BOOSTS_MAX, boostProblem, boosts } from './boosts.ts'
