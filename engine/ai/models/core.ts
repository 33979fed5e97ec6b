// What the thread of local models does with a job, apart from being a thread: keeps the models that
// were used last, answers one text at a time.
import { StorageError } from '../../model/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import { MODELS_MAX } from './limits.ts'
import { loadModel, type Model } from './model.ts'
import { ModelFault } from './model-fault.ts'
import type { ModelJob, ModelReply } from './protocol.ts'
import { firstTokens } from './tokens.ts'

export class ModelCore {
  readonly #home: FileSystem
  /** By name and revision, the one used last at the end. */
  readonly #models = new Map<string, Model>()

  constructor(home: FileSystem) {
    this.#home = home
  }

  async answer({ job, name, text }: ModelJob): Promise<ModelReply> {
    try {
      if (name === null) return { kind: 'tokens', job, tokens: await firstTokens(text ?? '') }
      const model = await this.#modelOf(name.model, name.revision)
      if (text === null) return { kind: 'dimensions', job, dimensions: model.dimensions }
      return { kind: 'vector', job, vector: model.embed(text, name.pooling) }
    } catch (error) {
      if (error instanceof ModelFault || error instanceof StorageError) {
        return { kind: 'fault', job, message: error.message }
      }
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
      return { kind: 'failed', job, message }
    }
  }

  async #modelOf(name: string, revision: string | null): Promise<Model> {
    const key = JSON.stringify([name, revision])
    const model = this.#models.get(key) ?? (await loadModel(this.#home, name, revision))
    this.#models.delete(key)
    this.#models.set(key, model)
    if (this.#models.size > MODELS_MAX) {
      this.#models.delete(this.#models.keys().next().value as string)
    }
    return model
  }
}
