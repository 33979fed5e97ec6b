// Turns query text into a graph of readings.
export { buildGraph, cutNode, type GraphNode, idCount, QueryGraph } from './graph.ts'
export { QUERY_TERMS_MAX, QUERY_TOKENS_MAX } from './limits.ts'
export { type ParsedQuery, parseQuery, type WordTerm } from './parse.ts'
export { type Phrase, phraseOf } from './phrase.ts'
export { type DroppingStrategy, removalGroups } from './removal-groups.ts'
export { SearchSettings } from './search-settings.ts'
export { type Alternatives, Term, wordsOf } from './term.ts'
export { TermSpace } from './term-space.ts'
