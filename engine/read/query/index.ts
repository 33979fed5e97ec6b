// From query text to a graph of readings.
export { buildGraph, type GraphNode, idCount, QueryGraph, removalGroups } from './graph.ts'
export { type ParsedQuery, parseQuery, type QueryToken } from './parse.ts'
export { type Phrase, phraseOf } from './phrase.ts'
export { SearchSettings } from './search-settings.ts'
export { type Alternatives, LEVELS_ALL, Term, TermSpace } from './term.ts'
export type { TermRules } from './term-rules.ts'
