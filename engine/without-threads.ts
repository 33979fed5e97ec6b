// Searching and indexing without threads, for tests and tools. Loaded only when asked for: a server
// never needs it, and starting is quicker without.
export { IndexInPlace } from './indexer/index.ts'
export { SearchInPlace } from './search/index.ts'
