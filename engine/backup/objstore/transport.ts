// Requests to an object store, as the engine asks for them. Whoever opens the engine brings the
// transport along: it knows HTTP, and which addresses may be called.

export type StoreRequest = {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'HEAD'
  /** Signed: not for logs. */
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: StoreBody | null
  readonly signal: AbortSignal
}

/** What is sent: so many bytes, made anew for every try. */
export type StoreBody = {
  readonly bytes: number
  readonly open: () => AsyncIterable<Uint8Array>
}

export type StoreAnswer = {
  readonly status: number
  /** By names in lower case. */
  readonly headers: { readonly [name: string]: string }
  /** To be read to its end, or left by `break`. May fail with TransportFault. */
  readonly body: AsyncIterable<Uint8Array>
}

/** @throws TransportFault, or what the signal was aborted with */
export type Transport = (request: StoreRequest) => Promise<StoreAnswer>

/** There is no answer, or not all of it. `message` holds no address and no secret. */
export class TransportFault extends Error {
  override readonly name = 'TransportFault'
  constructor(
    /** Whether it may be better the next time. */
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
