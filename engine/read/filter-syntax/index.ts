// The syntax of filters: parses a text to a tree, and makes the messages of syntax errors.
export { Ceilings } from './ceilings.ts'
export { isBlank } from './characters.ts'
export type {
  Area,
  Areas,
  Checkpoint,
  ElementGroup,
  ElementPath,
  Elements,
  FilterColumns,
  GeoCircle,
  GeojsonFilters,
  NumberRange,
  ShardFilters,
  TextRange,
  VectorFilters,
} from './columns.ts'
export { latitudeProblem, longitudeProblem } from './coordinates.ts'
export {
  FOREIGN_DOCUMENTS_MAX,
  RESOLUTION_DEFAULT,
  RESOLUTION_MAX,
  RESOLUTION_MIN,
  SHOWN_JSON_LEVELS_MAX,
  TASK_FILTER_MS_MAX,
} from './limits.ts'
export { ListedValues } from './listed-values.ts'
export { parseExpression } from './parse.ts'
export { rewrite } from './rewrite.ts'
export { allowsFilter, compileRules, type FilterRules, isFilterable, patternsOf } from './rules.ts'
export { editDistance, suggestion } from './suggestion.ts'
export { openFilter } from './text.ts'
export { filterTookTooLong, taskFilterTookTooLong } from './time.ts'
export {
  type BetweenNode,
  type CompareNode,
  type CompareOperator,
  combine,
  type ElementsNode,
  type FilterTree,
  type ForeignNode,
  type GeoBoxNode,
  type GeoPoint,
  type GeoPolygonNode,
  type GeoRadiusNode,
  type InNode,
  type LeafNode,
  leaves,
  type StateNode,
  type TextNode,
  type Token,
  type VectorsNode,
} from './tree.ts'
export {
  cut,
  echo,
  type FilterEndpoint,
  type FilterWording,
  faultAt,
  faultInTree,
  filterWording,
  named,
  plainFault,
  quoted,
} from './wording.ts'
