// Why there are no embeddings: the reason, as messages give it, and whether to ask again.

/** never: the next answer would be the same. alone: long texts are to be shortened first. */
export type Retry = 'never' | 'again' | 'busy' | 'alone'

export class EmbeddingFailure extends Error {
  override readonly name = 'EmbeddingFailure'
  constructor(
    /** Begins with whose fault it is: `user error: …`, `runtime error: …`, `error: …`. */
    readonly reason: string,
    readonly retry: Retry = 'never',
    /** How long the provider asked to be left alone. */
    readonly retryAfterMs: number = 0,
  ) {
    super(reason)
  }
}

export const userError = (text: string, retry?: Retry): EmbeddingFailure =>
  new EmbeddingFailure(`user error: ${text}`, retry)

export const runtimeError = (text: string, retry?: Retry, afterMs?: number): EmbeddingFailure =>
  new EmbeddingFailure(`runtime error: ${text}`, retry, afterMs)

/** The reason of anything that was thrown; what is no failure of a provider is thrown on. */
export function reasonOf(error: unknown): string {
  if (error instanceof EmbeddingFailure) return error.reason
  throw error
}
