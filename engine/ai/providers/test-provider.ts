// A pool of providers on a fake network, and an embedder that it can call.
import type { Embedder } from '../../settings/embedders/index.ts'
import { ProviderPool } from './index.ts'
import type { ProviderEnvironment } from './provider.ts'

/** `cached`: vectors of search texts that the pool keeps for each embedder. */
export const poolOf = (
  environment: Pick<ProviderEnvironment, 'send'> & Partial<ProviderEnvironment>,
  cached = 0,
): ProviderPool =>
  new ProviderPool(
    {
      now: () => 0,
      openAiKey: null,
      requestMs: 1000,
      pauseMsMax: 0,
      models: null,
      ...environment,
    },
    cached,
  )

export const restEmbedder: Embedder = {
  source: 'rest',
  url: 'http://p/r',
  request: { texts: ['{{text}}', '{{..}}'] },
  response: { vectors: ['{{embedding}}', '{{..}}'] },
  dimensions: 2,
}
