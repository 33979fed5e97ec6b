// Requests to an object store, as the engine makes them. The program that opens the engine provides
// the transport, which implements HTTP and checks which addresses may be called.

export type StoreRequest = {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'HEAD'
  /** Signed: must not be logged. */
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: StoreBody | null
  /** Secrets behind the request, such as the key of its signature, and those in its body. */
  readonly secrets?: readonly string[]
  readonly signal: AbortSignal
}

/** The body of a request: its length, and a function that creates its stream for every attempt. */
export type StoreBody = {
  readonly bytes: number
  readonly open: () => AsyncIterable<Uint8Array>
}

export type StoreAnswer = {
  readonly status: number
  /** Names are in lower case. */
  readonly headers: { readonly [name: string]: string }
  /** Must be read to its end, or left by `break`. May fail with TransportFault. */
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Secrets of the request that the other side repeats are masked, except in the answer to a
 * successful GET, which is an object. @throws TransportFault, or the reason of the aborted signal
 */
export type Transport = (request: StoreRequest) => Promise<StoreAnswer>

/** There is no answer, or only a part of it. `message` holds no address and no secret. */
export class TransportFault extends Error {
  override readonly name = 'TransportFault'
  constructor(
    /** Whether a repetition may help. */
    readonly mayRetry: boolean,
    message: string,
  ) {
    super(message)
  }
}

export const bodyOf = (bytes: Uint8Array): StoreBody => ({
  bytes: bytes.length,
  open: async function* () {
    yield bytes
  },
})
