// Here is a filter expression: which documents? And: by what may results be sorted?
export { allowedOperators, checkFilter } from './check.ts'
export type {
  Checkpoint,
  FilterColumns,
  GeoCircle,
  GeojsonFilters,
  NumberRange,
  ShardFilters,
  TextRange,
  VectorFilters,
} from './columns.ts'
export type { FilterContext, ForeignFilters } from './context.ts'
export { evaluateFilter } from './evaluate.ts'
export { type FilterGates, SHARD_FIELD } from './gates.ts'
export { type FilterInput, parseFilter, parseRequiredFilter } from './input.ts'
export { FOREIGN_DOCUMENTS_MAX, TASK_FILTER_MS_MAX } from './limits.ts'
export { type Rewritten, rewrite } from './rewrite.ts'
export { compileRules, type FilterRules, isFilterable, type RuleMatch } from './rules.ts'
export { checkDistinct, checkFacetSearchable, selectFacets } from './selection.ts'
export {
  checkSortable,
  parseSort,
  type SortChecks,
  type SortDirection,
  type SortFaultCode,
  type SortKey,
  type SortTree,
} from './sort.ts'
export { openFilter } from './text.ts'
export { filterTookTooLong, taskFilterTookTooLong } from './time.ts'
export type { FilterTree, LeafNode, Token } from './tree.ts'
export {
  type FilterEndpoint,
  type FilterFaultCode,
  type FilterWording,
  filterWording,
} from './wording.ts'
