// Here are texts: which vectors does an embedder's provider make of them?
export { EmbeddingFailure } from './failure.ts'
export { type EmbeddingOptions, ProviderPool, searchSide } from './pool.ts'
export type { LocalModelName, LocalModels } from './provider.ts'
