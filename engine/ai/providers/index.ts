// How is the provider of an embedder called for the vectors of texts?
export { EmbeddingFailure } from './failure.ts'
export { ATTEMPTS_MAX, INPUTS_PER_REQUEST, REQUESTS_AT_ONCE } from './limits.ts'
export { type EmbeddingOptions, ProviderPool, searchSide } from './pool.ts'
export type { LocalModelName, LocalModels } from './provider.ts'
