// Embedding for one batch, on the main thread: asks the providers for what the batch thread hands
// over, and counts the requests.
import { Canceled, toWire } from '../../model/index.ts'
import type { Embedder } from '../../settings/index.ts'
import { EmbeddingFailure, type ProviderPool } from '../providers/index.ts'
import {
  type EmbeddedInputs,
  type EmbeddingPort,
  type EmbedReply,
  type EmbedRequest,
  packVectors,
} from './channel.ts'

/** What happens when a provider fails. */
export type FailureModes = {
  /** The batch goes on; documents whose request failed keep the vectors they had. */
  readonly ignoresEmbedders: boolean
  /** A document that cannot be rendered has no vector. */
  readonly ignoresTemplates: boolean
}

/** Attempts to get vectors, as the statistics of a batch show them. */
export type EmbedderRequests = {
  readonly total: number
  readonly failed: number
  readonly lastError: string | null
}

/** Inputs of a request, where failures are told request by request. */
const INPUTS_PER_REQUEST = 10

export class EmbeddingSession {
  readonly #providers: ProviderPool
  readonly #signal: AbortSignal
  readonly #modes: FailureModes
  #total = 0
  #failed = 0
  #lastError: string | null = null

  constructor(providers: ProviderPool, signal: AbortSignal, modes: FailureModes) {
    this.#providers = providers
    this.#signal = signal
    this.#modes = modes
  }

  /** What the thread of the batch is told. */
  get told(): { readonly ignoresTemplates: boolean } {
    return { ignoresTemplates: this.#modes.ignoresTemplates }
  }

  /** null: no request was made. */
  get requests(): EmbedderRequests | null {
    if (this.#total === 0) return null
    return { total: this.#total, failed: this.#failed, lastError: this.#lastError }
  }

  /** Answers what comes at the port until the other end is closed. */
  serve({ port, replies }: EmbeddingPort): void {
    const count = new Int32Array(replies)
    const answer = (reply: EmbedReply, transfer: readonly ArrayBuffer[] = []): void => {
      // The reply lies at the port before the count says so.
      port.postMessage(reply, transfer)
      Atomics.add(count, 0, 1)
      Atomics.notify(count, 0)
    }
    port.on('message', ({ number, embedder, inputs }: EmbedRequest) => {
      this.embed(embedder, inputs).then(
        (vectors) => {
          const { lengths, values } = packVectors(vectors)
          const transfer = [values.buffer as ArrayBuffer]
          answer({ kind: 'vectors', number, lengths, values }, transfer)
        },
        (error: unknown) => answer(failureReply(number, error)),
      )
    })
  }

  /** @throws EmbeddingFailure, Canceled */
  async embed(embedder: Embedder, inputs: readonly unknown[]): Promise<EmbeddedInputs> {
    if (!this.#modes.ignoresEmbedders) return this.#ask(embedder, inputs)
    const vectors: (Float32Array | null)[] = []
    for (let i = 0; i < inputs.length; i += INPUTS_PER_REQUEST) {
      const group = inputs.slice(i, i + INPUTS_PER_REQUEST)
      vectors.push(...(await this.#askOrNone(embedder, group)))
    }
    return vectors
  }

  async #askOrNone(embedder: Embedder, inputs: readonly unknown[]): Promise<EmbeddedInputs> {
    try {
      return await this.#ask(embedder, inputs)
    } catch (error) {
      if (!(error instanceof EmbeddingFailure)) throw error
      return inputs.map(() => null)
    }
  }

  #ask(embedder: Embedder, inputs: readonly unknown[]): Promise<readonly Float32Array[]> {
    const onRequest = (failure: string | null): void => {
      this.#total++
      if (failure === null) return
      this.#failed++
      this.#lastError = failure
    }
    return this.#providers.embed(embedder, inputs, {
      signal: this.#signal,
      deadline: null,
      onRequest,
    })
  }
}

function failureReply(number: number, error: unknown): EmbedReply {
  if (error instanceof EmbeddingFailure) return { kind: 'failure', number, reason: error.reason }
  // The thread learns of a cancelation by itself; the reply only ends its waiting.
  if (error instanceof Canceled) return { kind: 'failure', number, reason: 'canceled' }
  return { kind: 'error', number, error: toWire(error) }
}
