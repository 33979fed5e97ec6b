// Filter and sort expressions: parses them, checks them against settings, and evaluates filters.
export type { FilterContext, ForeignFilters, KnownSets } from './context.ts'
export { evaluateFilter } from './evaluate.ts'
export { resolveForeign } from './foreign.ts'
export { parseFilter, parseRequiredFilter } from './input.ts'
export { type MatchedElements, type MatchedRows, matchedElements } from './matched-elements.ts'

export { splitFilter } from './own-conditions.ts'
export { checkDistinct, checkFacetSearchable, selectFacets } from './selection.ts'
export {
  checkSortable,
  parseSort,
  type SortKey,
  type SortTree,
} from './sort.ts'
