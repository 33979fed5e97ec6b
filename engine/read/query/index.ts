// From query text to a graph of readings.
export { buildGraph, type GraphNode, idCount, QueryGraph, removalGroups } from './graph.ts'
export { type ParsedQuery, parseQuery, type QueryToken } from './parse.ts'
export { SearchSettings } from './search-settings.ts'
export {
  type Alternatives,
  LEVELS_ALL,
  type Phrase,
  phraseOf,
  Term,
  type TermRules,
  TermSpace,
} from './term.ts'
