// Local models as embedders use them, in a thread or inline.
import { Canceled } from '../../model/index.ts'
import { EmbeddingFailure, type LocalModelName, type LocalModels } from '../providers/index.ts'
import type { ModelReply } from './protocol.ts'

/**
 * Sends a job. Without a text it returns the dimensions, without a model the tokens of the text.
 */
export type SendModelJob = (name: LocalModelName | null, text: string | null) => Promise<ModelReply>

export class ModelClient implements LocalModels {
  readonly #ask: SendModelJob
  readonly close: () => Promise<void>

  constructor(ask: SendModelJob, close: () => Promise<void>) {
    this.#ask = ask
    this.close = close
  }

  async dimensions(name: LocalModelName): Promise<number> {
    const reply = await this.#answer(name, null)
    return reply.kind === 'dimensions' ? reply.dimensions : 0
  }

  /** Embeds texts one by one, so that texts of other requests can run in between. */
  async embed(
    name: LocalModelName,
    texts: readonly string[],
    signal: AbortSignal | null,
  ): Promise<readonly Float32Array[]> {
    const vectors: Float32Array[] = []
    for (const text of texts) {
      if (signal?.aborted === true) throw new Canceled()
      const reply = await this.#answer(name, text)
      if (reply.kind === 'vector') vectors.push(reply.vector)
    }
    return vectors
  }

  async firstTokens(text: string): Promise<readonly number[] | null> {
    const reply = await this.#ask(null, text)
    if (reply.kind !== 'tokens') throw new Error('message' in reply ? reply.message : reply.kind)
    return reply.tokens === null ? null : [...reply.tokens]
  }

  /** @throws EmbeddingFailure */
  async #answer(name: LocalModelName, text: string | null): Promise<ModelReply> {
    const reply = await this.#ask(name, text)
    if (reply.kind === 'failed') throw new Error(reply.message)
    if (reply.kind !== 'fault') return reply
    throw new EmbeddingFailure(
      `user error: could not use the model \`${name.model}\`:\n  - ${reply.message}`,
    )
  }
}
