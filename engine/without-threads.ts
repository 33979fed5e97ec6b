// Searching and indexing without threads, for tests and tools. Loaded on demand: a server never
// needs this, and starts faster without it.

export { SearchInPlace } from './read/pool/index.ts'
export { IndexInPlace } from './write/indexer/index.ts'
