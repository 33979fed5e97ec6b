// A provider of embeddings: takes texts or fragments, gives a vector for each. One module of this
// folder for each source, one row in `sources.table.ts`.
import type { OutgoingRequest, Send } from '../../model/index.ts'

/** A text that a template has rendered, or the JSON of a fragment. */
export type EmbeddingInput = unknown

/** One piece of work: what its requests have in common. */
export type EmbeddingRun = {
  readonly signal: AbortSignal | null
  /** No attempt begins later, and none takes longer: milliseconds of `now`; null: no bound. */
  readonly deadline: number | null
  /** Told of each attempt that counts, with the reason where it failed. */
  readonly onRequest: (failure: string | null) => void
}

export interface Provider {
  /** Of the vectors; known once the provider was opened. */
  readonly dimensions: number
  /** A vector for each input, in order. @throws EmbeddingFailure, Canceled */
  embed(inputs: readonly EmbeddingInput[], run: EmbeddingRun): Promise<readonly Float32Array[]>
}

/** What providers work with. */
export type ProviderEnvironment = {
  readonly send: Send
  /** Milliseconds of any clock. */
  readonly now: () => number
  /** Keys that are taken where the setting names none. */
  readonly openAiKey: string | null
  /** How long a request may take. */
  readonly requestMs: number
  /** The longest pause between attempts; 0: none is made. */
  readonly pauseMsMax: number
  /** Models that run here; null: local models are not available. */
  readonly models: LocalModels | null
}

/** Which local model. */
export type LocalModelName = {
  readonly model: string
  readonly revision: string | null
  readonly pooling: 'useModel' | 'forceCls' | 'forceMean'
}

export interface LocalModels {
  close(): Promise<void>
  /** Loads it on first use. @throws EmbeddingFailure */
  dimensions(name: LocalModelName): Promise<number>
  /** What OpenAI's models read of a text that is too long for them; null: they read all of it. */
  firstTokens(text: string): Promise<readonly number[] | null>
  /** @throws EmbeddingFailure, Canceled */
  embed(
    name: LocalModelName,
    texts: readonly string[],
    signal: AbortSignal | null,
  ): Promise<readonly Float32Array[]>
}

export type RequestHeaders = OutgoingRequest['headers']
