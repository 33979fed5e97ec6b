// Buffers an answer as it arrives. Long answers are written to shared memory chunk by chunk, so
// that neither joining them nor passing them to a thread blocks the main thread.
import { SHARED_BYTES_MIN } from './limits.ts'

export class AnswerBuffer {
  readonly #bytesMax: number
  readonly #isShared: boolean
  #chunks: Uint8Array[] = []
  #shared: SharedArrayBuffer | null = null
  #length = 0

  /** Bytes beyond `bytesMax` are discarded. */
  constructor(bytesMax: number, isShared: boolean) {
    this.#bytesMax = bytesMax
    this.#isShared = isShared
  }

  get length(): number {
    return this.#length
  }

  add(received: Uint8Array): void {
    const chunk = received.subarray(0, this.#bytesMax - this.#length)
    if (chunk.length === 0) return
    const length = this.#length + chunk.length
    if (this.#shared === null && !(this.#isShared && length >= SHARED_BYTES_MIN)) {
      this.#chunks.push(chunk)
    } else {
      this.#share(length)
      new Uint8Array(this.#shared!, this.#length, chunk.length).set(chunk)
    }
    this.#length = length
  }

  /**
   * Makes room for `length` bytes; address space is reserved once, and memory is used as it grows.
   */
  #share(length: number): void {
    if (this.#shared === null) {
      const maxByteLength = Math.max(this.#bytesMax, SHARED_BYTES_MIN)
      this.#shared = new SharedArrayBuffer(SHARED_BYTES_MIN, { maxByteLength })
      let at = 0
      const bytes = new Uint8Array(this.#shared)
      for (const chunk of this.#chunks) {
        bytes.set(chunk, at)
        at += chunk.length
      }
      this.#chunks = []
    }
    const { byteLength, maxByteLength } = this.#shared
    if (length > byteLength) this.#shared.grow(Math.min(maxByteLength, length + STEP))
  }

  /** Returns all bytes; unless they are shared, in memory of exactly their length. */
  bytes(): Uint8Array {
    if (this.#shared !== null) return new Uint8Array(this.#shared, 0, this.#length)
    const bytes = new Uint8Array(this.#length)
    let at = 0
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at)
      at += chunk.length
    }
    return bytes
  }
}

/** Growth step of the shared memory: the chunks of a socket have 64 KiB at most. */
const STEP = 65_536
