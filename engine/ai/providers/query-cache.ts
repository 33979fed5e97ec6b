// A cache of the vectors of search texts, by the embedder's configuration. The least recently used
// entry is evicted first.
import { LruCache } from '../../../format/cache/index.ts'
import { CACHED_TEXT_BYTES_MAX } from './limits.ts'

/** Bounds the entries of configurations that were changed and are no longer used. */
const CONFIGURATIONS_MAX = 256

export class QueryCache {
  readonly #entriesMax: number
  readonly #vectors = new LruCache<string, LruCache<string, Float32Array>>(CONFIGURATIONS_MAX)

  /** `entriesMax`: per configuration; 0 disables the cache. */
  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax
  }

  get(configuration: string, text: string): Float32Array | null {
    return this.#vectors.get(configuration)?.get(text) ?? null
  }

  set(configuration: string, text: string, vector: Float32Array): void {
    if (this.#entriesMax === 0 || Buffer.byteLength(text) > CACHED_TEXT_BYTES_MAX) return
    const known = this.#vectors.get(configuration) ?? new LruCache(this.#entriesMax)
    known.set(text, vector)
    this.#vectors.set(configuration, known)
  }
}
