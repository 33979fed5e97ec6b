// Why there are no embeddings: the reason for messages, and whether a repetition may help.

/**
 * never: the next answer would be the same. alone: the texts must be sent one by one, shortened.
 */
export type Retry = 'never' | 'again' | 'busy' | 'alone'

export class EmbeddingFailure extends Error {
  override readonly name = 'EmbeddingFailure'
  constructor(
    /** Begins with the responsible side: `user error: …`, `runtime error: …`, `error: …`. */
    readonly reason: string,
    readonly retry: Retry = 'never',
    /** The pause that the provider requested. */
    readonly retryAfterMs: number = 0,
  ) {
    super(reason)
  }

  /** Whether the same request may succeed later. */
  get isTemporary(): boolean {
    return this.retry === 'again' || this.retry === 'busy'
  }
}

export const userError = (text: string, retry?: Retry): EmbeddingFailure =>
  new EmbeddingFailure(`user error: ${text}`, retry)

export const runtimeError = (text: string, retry?: Retry, afterMs?: number): EmbeddingFailure =>
  new EmbeddingFailure(`runtime error: ${text}`, retry, afterMs)

/** Returns the reason of an EmbeddingFailure; rethrows other errors. */
export function reasonOf(error: unknown): string {
  if (error instanceof EmbeddingFailure) return error.reason
  throw error
}
