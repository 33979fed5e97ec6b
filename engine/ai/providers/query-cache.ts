// A cache of the vectors of search texts, by the embedder's configuration. The least recently used
// entry is evicted first.
import { CACHED_TEXT_BYTES_MAX } from './limits.ts'

export class QueryCache {
  readonly #entriesMax: number
  /** By configuration, then by text; the order of a map is the order of use. */
  readonly #vectors = new Map<string, Map<string, Float32Array>>()

  /** `entriesMax`: per configuration; 0 disables the cache. */
  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax
  }

  get(configuration: string, text: string): Float32Array | null {
    const known = this.#vectors.get(configuration)
    const vector = known?.get(text)
    if (known === undefined || vector === undefined) return null
    known.delete(text)
    known.set(text, vector)
    return vector
  }

  set(configuration: string, text: string, vector: Float32Array): void {
    if (this.#entriesMax === 0 || Buffer.byteLength(text) > CACHED_TEXT_BYTES_MAX) return
    const known = this.#vectors.get(configuration) ?? new Map<string, Float32Array>()
    known.set(text, vector)
    this.#vectors.delete(configuration)
    this.#vectors.set(configuration, known)
    evict(known, this.#entriesMax)
    evict(this.#vectors, CONFIGURATIONS_MAX)
  }
}

/** Bounds the entries of configurations that were changed and are no longer used. */
const CONFIGURATIONS_MAX = 256

function evict(map: Map<string, unknown>, sizeMax: number): void {
  while (map.size > sizeMax) map.delete(map.keys().next().value as string)
}
