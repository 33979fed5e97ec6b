// Requests to other servers, as the engine asks for them. The program that opens the engine brings
// the caller along: it knows HTTP, and which addresses may be called.

export type OutgoingRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Absolute; may be no URL at all, since clients write it. */
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: Uint8Array | null
  /** How long the other side may stay silent. */
  readonly timeoutMs: number
  /** How long connecting may take; absent: as long as the other side may stay silent. */
  readonly connectMs?: number
  /** How long all of it may take, redirects included; absent: as long as the other side speaks. */
  readonly totalMs?: number
  /** Bytes of an answer that are kept; absent: as many as an error message needs. */
  readonly answerBytesMax?: number
  /**
   * Asked before bytes of an answer are kept; false: there is no room for them, and the call
   * fails. Absent: what is longer than `answerBytesMax` is cut off.
   */
  readonly take?: (bytes: number) => boolean
  /** Threads share the memory of the answer: passing it to one copies nothing. */
  readonly isShared?: boolean
  readonly signal: AbortSignal | null
}

export type OutgoingAnswer = {
  readonly status: number
  /** The beginning of it where it is long. */
  readonly body: Uint8Array
  /** The header `Retry-After`, as it was sent; absent: there was none. */
  readonly retryAfter?: string
}

/** @throws OutgoingFault, or what the signal was aborted with */
export type Send = (request: OutgoingRequest) => Promise<OutgoingAnswer>

/**
 * There is no answer. rejected: the address may not be called. address: it is none. unreachable:
 * anything that may be better the next time. tooLarge: there was no room for the answer.
 */
export class OutgoingFault extends Error {
  override readonly name = 'OutgoingFault'
  constructor(
    readonly kind: 'rejected' | 'address' | 'unreachable' | 'tooLarge',
    message: string,
    /** The time was up after a connection was made. */
    readonly isTimeout = false,
  ) {
    super(message)
  }
}
