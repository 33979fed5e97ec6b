// The function that opens the provider, by source of an embedder. `composite` consists of two of
// these, `userProvided` has no provider.
import type { EmbedderSource, NestedEmbedder } from '../../settings/embedders/index.ts'
import { openHuggingFace } from './hugging-face.ts'
import { openOllama } from './ollama.ts'
import { openOpenAi } from './openai.ts'
import type { Provider, ProviderEnvironment } from './provider.ts'
import { openRest } from './rest.ts'

/** Requests unknown dimensions from the model. @throws EmbeddingFailure, Canceled */
type OpenProvider = (
  embedder: NestedEmbedder,
  environment: ProviderEnvironment,
  signal: AbortSignal | null,
) => Promise<Provider>

export const SOURCES: {
  readonly [S in Exclude<EmbedderSource, 'composite' | 'userProvided'>]: OpenProvider
} = {
  openAi: openOpenAi,
  huggingFace: openHuggingFace,
  ollama: openOllama,
  rest: openRest,
}
