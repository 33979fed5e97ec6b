// Searching and indexing without threads, for tests and tools. Loaded only when asked for: a server
// never needs it, and starting is quicker without.

export { SearchInPlace } from './read/search/index.ts'
export { IndexInPlace } from './write/indexer/index.ts'
