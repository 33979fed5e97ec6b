// Here are texts: which vectors does an embedder's provider make of them?
export { EmbeddingFailure } from './failure.ts'
export { type EmbeddingOptions, openProviders, ProviderPool } from './pool.ts'
