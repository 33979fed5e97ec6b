// Requests to other servers, as the engine issues them. The program that opens the engine supplies
// the caller, which implements HTTP and decides which addresses may be called.

export type OutgoingRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Written by clients, so it may not be a valid absolute URL. */
  readonly url: string
  /** Values are texts, which are sent as UTF-8. */
  readonly headers: { readonly [name: string]: string }
  readonly body: Uint8Array | null
  /** Milliseconds without data after which the call fails. */
  readonly timeoutMs: number
  /** Milliseconds for connecting; absent means `timeoutMs`. */
  readonly connectMs?: number
  /** Milliseconds for the whole call, redirects included; absent means no limit. */
  readonly totalMs?: number
  /** Bytes of an answer that are kept; absent means enough for an error message. */
  readonly answerBytesMax?: number
  /**
   * Called before bytes of an answer are kept; returns false if there is no room for them, which
   * makes the call fail. Absent: an answer longer than `answerBytesMax` is cut off.
   */
  readonly take?: (bytes: number) => boolean
  /** The answer is stored in shared memory: passing it to a thread copies nothing. */
  readonly isShared?: boolean
  /** Secrets that no header, parameter or member of the request shows to be one. */
  readonly secrets?: readonly string[]
  readonly signal: AbortSignal | null
}

export type OutgoingAnswer = {
  readonly status: number
  /** The body, or only its beginning if it is longer than `answerBytesMax`. */
  readonly body: Uint8Array
  /** The header `Retry-After` as it was sent; absent if there was none. */
  readonly retryAfter?: string
  /** The header `Svc-Task-Uid` as it was sent; absent if there was none. */
  readonly taskUid?: string
}

/**
 * Sends a request. Secrets of the request that the other side repeats are masked in refusals and
 * in errors, so that any part of them may be shown to clients. @throws OutgoingFault, or the
 * reason that the signal was aborted with
 */
export type Send = (request: OutgoingRequest) => Promise<OutgoingAnswer>

/**
 * A request without an answer. `rejected`: calling the address is not allowed. `address`: the URL
 * is not valid. `header`: a header cannot be sent. `unreachable`: any failure that may not occur
 * the next time. `tooLarge`: there was no room for the answer.
 */
export class OutgoingFault extends Error {
  override readonly name = 'OutgoingFault'
  constructor(
    readonly kind: 'rejected' | 'address' | 'header' | 'unreachable' | 'tooLarge',
    message: string,
    /** The time limit was reached after the connection was open. */
    readonly isTimeout = false,
  ) {
    super(message)
  }
}
