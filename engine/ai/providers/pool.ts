// The providers of all embedders: opened at the first use of a configuration, shared by all indexes
// with the same configuration, and evicted when not used recently.
import { LruCache } from '../../../format/cache/index.ts'
import type { Send } from '../../model/index.ts'
import {
  type Embedder,
  effectiveEmbedder,
  type NestedEmbedder,
} from '../../settings/embedders/index.ts'
import { checkSides } from './composite.ts'
import { userError } from './failure.ts'
import type { EmbeddingInput, EmbeddingRun, Provider, ProviderEnvironment } from './provider.ts'
import { QueryCache } from './query-cache.ts'
import { SOURCES } from './sources.table.ts'

/** Options for providers, from the program that opens the engine. */
export type EmbeddingOptions = {
  readonly send: Send
  /** Milliseconds of any clock. */
  readonly now: () => number
  /** Key for embedders of the source openAi without a key. */
  readonly openAiKey: string | null
  readonly requestMs: number
  /** The longest pause between attempts; 0 means no pauses. */
  readonly pauseMsMax: number
  /** Number of cached search vectors per configuration; 0 means none. */
  readonly cacheEntriesMax: number
  /** The folder that holds the cache of the model hub, or null without local models. */
  readonly modelsHome: string | null
  /** Whether batches continue when a provider fails; documents keep the vectors they had. */
  readonly ignoresEmbedders: boolean
  /** Whether a document that cannot be rendered gets no vector instead of a failure. */
  readonly ignoresTemplates: boolean
}

export type EmbedderSide = 'search' | 'indexing'

/** Number of open providers; the least recently used are evicted. */
const PROVIDERS_MAX = 512

export class ProviderPool {
  readonly #environment: ProviderEnvironment
  readonly #cache: QueryCache
  /** By configuration; the most recently used is last. */
  readonly #providers = new LruCache<string, Promise<Provider>>(PROVIDERS_MAX)

  constructor(environment: ProviderEnvironment, cacheEntriesMax: number) {
    this.#environment = environment
    this.#cache = new QueryCache(cacheEntriesMax)
  }

  /** Milliseconds of the clock that deadlines use. */
  now(): number {
    return this.#environment.now()
  }

  /** Ends local models. */
  async close(): Promise<void> {
    await this.#environment.models?.close()
  }

  /**
   * Returns the provider of one side of an embedder; requests the dimensions of an unknown model.
   * @throws EmbeddingFailure, Canceled
   */
  async open(
    embedder: Embedder,
    side: EmbedderSide,
    signal: AbortSignal | null,
  ): Promise<Provider> {
    const part = sideOf(embedder, side)
    const { source = 'openAi' } = part
    if (source === 'userProvided' || source === 'composite') {
      throw userError('documents and searches bring the vectors of this embedder')
    }
    const configuration = configurationOf(part)
    const known = this.#providers.get(configuration)
    if (known !== undefined) return known
    const opened = SOURCES[source](part, this.#environment, signal)
    this.#providers.set(configuration, opened)
    // A failed opening is tried again at the next use.
    opened.catch(() => {
      if (this.#providers.get(configuration) === opened) this.#providers.delete(configuration)
    })
    return opened
  }

  /**
   * Tests an embedder that is about to be stored. Resolves to the dimensions of its vectors.
   * @throws EmbeddingFailure, Canceled
   */
  async check(embedder: Embedder, signal: AbortSignal | null): Promise<number> {
    if (embedder.source === 'userProvided') return embedder.dimensions ?? 0
    const indexing = await this.open(embedder, 'indexing', signal)
    if (embedder.source !== 'composite') return indexing.dimensions
    const search = await this.open(embedder, 'search', signal)
    const takesTexts =
      embedder.searchEmbedder?.searchFragments === undefined &&
      embedder.indexingEmbedder?.indexingFragments === undefined
    await checkSides(search, indexing, takesTexts, signal)
    return indexing.dimensions
  }

  /**
   * Returns vectors of documents' texts or fragments, in order. @throws EmbeddingFailure, Canceled
   */
  async embed(
    embedder: Embedder,
    inputs: readonly EmbeddingInput[],
    run: EmbeddingRun,
  ): Promise<readonly Float32Array[]> {
    const provider = await this.open(embedder, 'indexing', run.signal)
    return provider.embed(inputs, run)
  }

  /**
   * Returns the vector of a search: of its text, as it was typed, or of a fragment.
   * @throws EmbeddingFailure, Canceled
   */
  async embedQuery(
    embedder: Embedder,
    input: EmbeddingInput,
    msMax: number,
    signal: AbortSignal | null,
  ): Promise<Float32Array> {
    const deadline = this.#environment.now() + msMax
    const text = typeof input === 'string' ? input : null
    const key = cacheKeyOf(embedder)
    const known = text === null ? null : this.#cache.get(key, text)
    if (known !== null) return known
    const provider = await this.open(embedder, 'search', signal)
    const run = { signal, deadline, onRequest: () => undefined }
    const [vector] = await provider.embed([input], run)
    if (text !== null) this.#cache.set(key, text, vector!)
    return vector!
  }
}

/** Returns the embedder itself, or one side of a composite one. */
function sideOf(embedder: Embedder, side: EmbedderSide): NestedEmbedder {
  if (embedder.source !== 'composite') return effectiveEmbedder(embedder)
  const part = side === 'search' ? embedder.searchEmbedder : embedder.indexingEmbedder
  return effectiveEmbedder(part ?? {})
}

/** Returns all that affects the vectors of an input, or how it is sent. */
function configurationOf(part: NestedEmbedder): string {
  const { source, model, revision, pooling, url, apiKey, dimensions } = part
  const { request, response, headers, indexingFragments, searchFragments } = part
  const fragments = indexingFragments !== undefined || searchFragments !== undefined
  const members = { source, model, revision, pooling, url, apiKey, dimensions }
  return JSON.stringify({ ...members, request, response, headers, fragments })
}

/** Returns the side of an embedder that searches use, with defaults. */
export const searchSide = (embedder: Embedder): NestedEmbedder => sideOf(embedder, 'search')

/** Embedders with different score distributions share no cache entries. */
const cacheKeyOf = (embedder: Embedder): string => {
  const part = sideOf(embedder, 'search')
  return JSON.stringify([configurationOf(part), embedder.distribution ?? null])
}
