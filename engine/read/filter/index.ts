// Filter and sort expressions: parses them, checks them against settings, and evaluates filters.
export type {
  Checkpoint,
  FilterColumns,
  GeoCircle,
  GeojsonFilters,
  NumberRange,
  TextRange,
  VectorFilters,
} from './columns.ts'
export type { ForeignFilters } from './context.ts'
export { evaluateFilter } from './evaluate.ts'
export { resolveForeign } from './foreign.ts'

export { type FilterInput, parseFilter, parseRequiredFilter } from './input.ts'
export { FOREIGN_DOCUMENTS_MAX, TASK_FILTER_MS_MAX } from './limits.ts'
export { rewrite } from './rewrite.ts'
export { compileRules, type FilterRules, isFilterable } from './rules.ts'
export { checkDistinct, checkFacetSearchable, selectFacets } from './selection.ts'
export {
  checkSortable,
  parseSort,
  type SortKey,
  type SortTree,
} from './sort.ts'
export { editDistance } from './suggestion.ts'
export { openFilter } from './text.ts'
export { filterTookTooLong, taskFilterTookTooLong } from './time.ts'
export type { FilterTree } from './tree.ts'
export {
  type FilterEndpoint,
  type FilterWording,
  filterWording,
} from './wording.ts'
