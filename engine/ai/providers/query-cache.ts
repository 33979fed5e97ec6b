// Vectors of search texts that were asked for before, by the embedder's configuration. The one used
// least recently goes first.
import { CACHED_TEXT_BYTES_MAX } from './limits.ts'

export class QueryCache {
  readonly #entriesMax: number
  /** By configuration, then by text; maps keep the order in which entries were used. */
  readonly #vectors = new Map<string, Map<string, Float32Array>>()

  /** `entriesMax`: of each configuration; 0: nothing is kept. */
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

/** Configurations that were in use and were changed are forgotten some time. */
const CONFIGURATIONS_MAX = 256

function evict(map: Map<string, unknown>, sizeMax: number): void {
  while (map.size > sizeMax) map.delete(map.keys().next().value as string)
}
