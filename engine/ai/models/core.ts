// The work of the thread of local models, without the thread: caches the models that were used
// last, answers one text at a time.
import { LruCache } from '../../../format/cache/index.ts'
import { StorageError } from '../../model/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import { MODELS_MAX } from './limits.ts'
import { type LoadOnnx, loadModel, type Model } from './model.ts'
import { ModelFault } from './model-fault.ts'
import { loadOnnxRuntime } from './onnx-runtime.ts'
import type { ModelJob, ModelReply } from './protocol.ts'
import { firstTokens } from './tokens.ts'

export class ModelCore {
  readonly #home: FileSystem
  readonly #loadOnnx: LoadOnnx
  /** By name and revision; the most recently used is last. */
  readonly #models = new LruCache<string, Model>(MODELS_MAX)

  constructor(home: FileSystem, loadOnnx: LoadOnnx = loadOnnxRuntime) {
    this.#home = home
    this.#loadOnnx = loadOnnx
  }

  async answer({ job, name, text }: ModelJob): Promise<ModelReply> {
    try {
      if (name === null) return { kind: 'tokens', job, tokens: await firstTokens(text ?? '') }
      const model = await this.#modelOf(name.model, name.revision)
      if (text === null) return { kind: 'dimensions', job, dimensions: model.dimensions }
      return { kind: 'vector', job, vector: await model.embed(text, name.pooling) }
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
    const model =
      this.#models.get(key) ?? (await loadModel(this.#home, name, revision, this.#loadOnnx))
    for (const unused of this.#models.set(key, model)) await unused.close()
    return model
  }
}
