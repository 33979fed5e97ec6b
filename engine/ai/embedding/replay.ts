// Embedding without a thread that could wait, for tests and tools: a job that needs vectors ends,
// the vectors are obtained, and the job runs again with them.
import type { Embedder } from '../../settings/embedders/index.ts'
import { EmbeddingFailure } from '../providers/index.ts'
import { type EmbeddedInputs, EmbeddingRefusal, type InputEmbedder } from './channel.ts'
import type { EmbeddingSession } from './session.ts'

type Request = { readonly embedder: Embedder; readonly inputs: readonly unknown[] }

export class ReplayEmbedder implements InputEmbedder {
  readonly #answers: (EmbeddedInputs | EmbeddingRefusal)[] = []
  #requests: Request[] = []

  /** Called before the job runs once more. */
  begin(): void {
    this.#requests = []
  }

  /** Whether the job ended because it has to wait for vectors. */
  get isAwaited(): boolean {
    return this.#requests.length > this.#answers.length
  }

  give(embedder: Embedder, inputs: readonly unknown[]): number {
    return this.#requests.push({ embedder, inputs }) - 1
  }

  take(number: number): EmbeddedInputs {
    const answer = this.#answers[number]
    if (answer === undefined) throw new Error('the job has to wait for vectors')
    if (answer instanceof EmbeddingRefusal) throw answer
    return answer
  }

  /** Obtains the requested vectors. @throws Canceled */
  async answer(session: EmbeddingSession): Promise<void> {
    for (const { embedder, inputs } of this.#requests.slice(this.#answers.length)) {
      try {
        this.#answers.push(await session.embed(embedder, inputs))
      } catch (error) {
        if (!(error instanceof EmbeddingFailure)) throw error
        this.#answers.push(new EmbeddingRefusal(error.reason))
      }
    }
  }
}
