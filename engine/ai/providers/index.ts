// Here are texts: which vectors does an embedder's provider make of them?
export { EmbeddingFailure, reasonOf, runtimeError, userError } from './failure.ts'
export {
  PAUSE_MS_MAX_DEFAULT,
  REQUEST_MS_DEFAULT,
} from './limits.ts'
export { ProviderPool, sideOf } from './pool.ts'
export type {
  EmbeddingInput,
  EmbeddingRun,
  LocalModelName,
  LocalModels,
  ProviderEnvironment,
} from './provider.ts'
