// Filter and sort expressions: parses them, checks them against settings, and evaluates filters.
export type { ForeignFilters } from './context.ts'
export { evaluateFilter } from './evaluate.ts'
export { resolveForeign } from './foreign.ts'

export { parseFilter, parseRequiredFilter } from './input.ts'

export { splitFilter } from './own-conditions.ts'
export { checkDistinct, checkFacetSearchable, selectFacets } from './selection.ts'
export {
  checkSortable,
  parseSort,
  type SortKey,
  type SortTree,
} from './sort.ts'
