// The chunks of a body that is kept whole. Small ones are joined as they come: a chunk of one byte
// costs some 200 bytes of objects, and a client may send nothing else.

/** So many small chunks are joined into one. */
const JOIN_COUNT = 256
/** Chunks from this size on are kept as they are. */
const LARGE_BYTES = 16 * 1024

export class ChunkList {
  bytes = 0
  readonly #joined: Uint8Array[] = []
  #small: Uint8Array[] = []

  add(chunk: Uint8Array): void {
    this.bytes += chunk.length
    this.#small.push(chunk)
    if (chunk.length >= LARGE_BYTES || this.#small.length >= JOIN_COUNT) this.#join()
  }

  /** Everything in one piece; a single chunk is returned without a copy. */
  whole(): Uint8Array {
    if (this.#joined.length > 0) this.#join()
    const all = this.#joined.length > 0 ? this.#joined : this.#small
    return all.length === 1 ? all[0]! : Buffer.concat(all, this.bytes)
  }

  clear(): void {
    this.#joined.length = 0
    this.#small = []
  }

  #join(): void {
    const last = this.#small.at(-1)
    if (last === undefined) return
    if (last.length >= LARGE_BYTES) this.#small.pop()
    if (this.#small.length > 0) this.#joined.push(Buffer.concat(this.#small))
    if (last.length >= LARGE_BYTES) this.#joined.push(last)
    this.#small = []
  }
}
