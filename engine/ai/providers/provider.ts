// A provider of embeddings: receives texts or fragments, returns a vector for each. This folder has
// one module for each source and one row in `sources.table.ts`.
import type { OutgoingRequest, Send } from '../../model/index.ts'

/** A text that a template has rendered, or the JSON of a fragment. */
export type EmbeddingInput = unknown

/** The common options of the requests of one call. */
export type EmbeddingRun = {
  readonly signal: AbortSignal | null
  /** No attempt begins or lasts beyond this time: milliseconds of `now`, or null for no bound. */
  readonly deadline: number | null
  /** Called for each counted attempt, with the reason if it failed. */
  readonly onRequest: (failure: string | null) => void
  /** Attempts for one group of inputs, asked after each failure; `ATTEMPTS_MAX` by default. */
  readonly attemptsMax?: () => number
}

export interface Provider {
  /** Length of the vectors; known once the provider is open. */
  readonly dimensions: number
  /** Returns a vector for each input, in order. @throws EmbeddingFailure, Canceled */
  embed(inputs: readonly EmbeddingInput[], run: EmbeddingRun): Promise<readonly Float32Array[]>
}

/** The environment of providers. */
export type ProviderEnvironment = {
  readonly send: Send
  /** Milliseconds of any clock. */
  readonly now: () => number
  /** The key to use if the setting has none. */
  readonly openAiKey: string | null
  /** Milliseconds that a request may take. */
  readonly requestMs: number
  /** The longest pause between attempts; 0 means no pauses. */
  readonly pauseMsMax: number
  /** Models on this machine, or null if local models are not available. */
  readonly models: LocalModels | null
}

/** Identifies a local model. */
export type LocalModelName = {
  readonly model: string
  readonly revision: string | null
  readonly pooling: 'useModel' | 'forceCls' | 'forceMean'
}

export interface LocalModels {
  close(): Promise<void>
  /** Loads the model on first use. @throws EmbeddingFailure */
  dimensions(name: LocalModelName): Promise<number>
  /**
   * Returns the tokens that OpenAI's models read of a text, or null if the text is short enough.
   */
  firstTokens(text: string): Promise<readonly number[] | null>
  /** @throws EmbeddingFailure, Canceled */
  embed(
    name: LocalModelName,
    texts: readonly string[],
    signal: AbortSignal | null,
  ): Promise<readonly Float32Array[]>
}

export type RequestHeaders = OutgoingRequest['headers']
