// Embedding for one batch, on the main thread: calls the providers for the inputs that the batch
// thread sends, and counts the requests.
import { Canceled, toWire } from '../../model/index.ts'
import type { Embedder } from '../../settings/embedders/index.ts'
import { ATTEMPTS_MAX, EmbeddingFailure, type ProviderPool } from '../providers/index.ts'
import {
  type EmbeddedInputs,
  type EmbeddingPort,
  type EmbedReply,
  type EmbedRequest,
  packVectors,
} from './channel.ts'
import { IMPATIENT_ATTEMPTS_MAX, PATIENT_INPUTS_MAX } from './limits.ts'

/** What to do when a provider or a template fails. */
export type FailureModes = {
  /** The batch goes on; documents whose request failed keep the vectors they had. */
  readonly ignoresEmbedders: boolean
  /** A document that cannot be rendered has no vector. */
  readonly ignoresTemplates: boolean
}

/** Requests for vectors, as the statistics of a batch show them. */
export type EmbedderRequests = {
  readonly total: number
  readonly failed: number
  readonly lastError: string | null
}

/** Inputs per request, where a failure affects one request only. */
const INPUTS_PER_REQUEST = 10

export class EmbeddingSession {
  readonly #providers: ProviderPool
  readonly #signal: AbortSignal
  readonly #modes: FailureModes
  #total = 0
  #failed = 0
  #lastError: string | null = null
  /** Inputs of the batch so far. */
  #inputs = 0
  /** Whether a group has failed after all its attempts, and no request has succeeded since. */
  #isDown = false

  constructor(providers: ProviderPool, signal: AbortSignal, modes: FailureModes) {
    this.#providers = providers
    this.#signal = signal
    this.#modes = modes
  }

  /** The part of the modes that the thread of the batch needs. */
  get modesOfThread(): { readonly ignoresTemplates: boolean } {
    return { ignoresTemplates: this.#modes.ignoresTemplates }
  }

  /** Counts of requests, or null if no request was made. */
  get requests(): EmbedderRequests | null {
    if (this.#total === 0) return null
    return { total: this.#total, failed: this.#failed, lastError: this.#lastError }
  }

  /** Answers messages at the port until the other end is closed. */
  serve({ port, replies }: EmbeddingPort): void {
    const count = new Int32Array(replies)
    const answer = (reply: EmbedReply, transfer: readonly ArrayBuffer[] = []): void => {
      // The reply is at the port before the count is raised.
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
    this.#inputs += inputs.length
    if (!this.#modes.ignoresEmbedders) return this.#request(embedder, inputs)
    const vectors: (Float32Array | null)[] = []
    for (let i = 0; i < inputs.length; i += INPUTS_PER_REQUEST) {
      const group = inputs.slice(i, i + INPUTS_PER_REQUEST)
      vectors.push(...(await this.#embedOrNull(embedder, group)))
    }
    return vectors
  }

  async #embedOrNull(embedder: Embedder, inputs: readonly unknown[]): Promise<EmbeddedInputs> {
    try {
      return await this.#request(embedder, inputs)
    } catch (error) {
      if (!(error instanceof EmbeddingFailure)) throw error
      if (error.isTemporary) this.#isDown = true
      return inputs.map(() => null)
    }
  }

  #request(embedder: Embedder, inputs: readonly unknown[]): Promise<readonly Float32Array[]> {
    const onRequest = (failure: string | null): void => {
      this.#total++
      if (failure === null) {
        this.#isDown = false
        return
      }
      this.#failed++
      this.#lastError = failure
    }
    return this.#providers.embed(embedder, inputs, {
      signal: this.#signal,
      deadline: null,
      onRequest,
      attemptsMax: () => this.#attemptsMax(),
    })
  }

  /** During an outage that a group has waited for in vain, further groups only try once. */
  #attemptsMax(): number {
    if (this.#isDown) return 1
    return this.#inputs > PATIENT_INPUTS_MAX ? IMPATIENT_ATTEMPTS_MAX : ATTEMPTS_MAX
  }
}

function failureReply(number: number, error: unknown): EmbedReply {
  if (error instanceof EmbeddingFailure) return { kind: 'failure', number, reason: error.reason }
  // The thread learns of a cancelation separately; the reply only ends its wait.
  if (error instanceof Canceled) return { kind: 'failure', number, reason: 'canceled' }
  return { kind: 'error', number, error: toWire(error) }
}
