// Reads over a network: searches and documents of all shards, merged.
export { notVisible } from './answer-state.ts'
export { Contained, type Wanted } from './contained.ts'
export { networkDocument, networkDocuments } from './documents.ts'
export type { PlacedQuery } from './network-search.ts'
export { inNoShard, NetworkSearches } from './searches.ts'
export { requestedShardNames } from './serving.ts'
export { networkSimilar } from './similar.ts'
export { warmSearches } from './warm-searches.ts'
