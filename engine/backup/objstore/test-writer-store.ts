// Support for tests of the writer lease: a store in memory, and a world in which requests are
// executed, answered and lost at any time.
import { EngineFault } from '../../model/index.ts'
import type { Random } from '../../store/storage/index.ts'
import { decodedOrNull, type StoredRecord, type WriterStore } from './writer-store.ts'

/** An object that is written under conditions, as a store keeps it. */
export class MemoryRecord {
  bytes: Uint8Array | null = null
  #version = 0

  get stored(): StoredRecord | null {
    const { bytes } = this
    return bytes === null ? null : { bytes, record: decodedOrNull(bytes), etag: this.#etag }
  }

  get #etag(): string {
    return `"${this.#version}"`
  }

  put(bytes: Uint8Array, etag: string | null): string | null {
    const is = this.bytes === null ? null : this.#etag
    if (is !== etag) return null
    this.bytes = bytes
    this.#version++
    return this.#etag
  }
}

/** Returns a store that executes and answers every request at once. */
export const promptStore = (object: MemoryRecord): WriterStore => ({
  get: async () => object.stored,
  put: async (bytes, etag) => object.put(bytes, etag),
})

export const noAnswer = (): EngineFault =>
  new EngineFault('s_3_snapshot_server_error', 'S3 HTTP error: no answer')

const LATE_MS = 3000

/** Everything that happens in a test happens in steps, in an order that a seed decides. */
export class World {
  /** Milliseconds. */
  time = 0
  readonly object = new MemoryRecord()
  readonly #random: Random
  readonly #waiting: (() => void)[] = []

  constructor(random: Random) {
    this.#random = random
  }

  /** Resolves in one of the next steps. */
  moment(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** The same, but now and then it takes long, as if a process was stopped or a packet was late. */
  async later(msMax: number): Promise<void> {
    const end = this.#random.below(25) === 0 ? this.time + this.#random.below(msMax) : 0
    do await this.moment()
    while (this.time < end)
  }

  /** Lets time pass, and one thing happen. */
  async step(msMax: number): Promise<void> {
    this.time += this.#random.below(msMax)
    const [next] = this.#waiting.splice(this.#random.below(this.#waiting.length || 1), 1)
    next?.()
    // All that follows from it, and waits for no other moment, has then happened.
    await new Promise((resolve) => setImmediate(resolve))
  }

  /** A request is executed at some moment and answered at a later one, or its answer is lost. */
  readonly store: WriterStore = {
    get: () => this.#request(() => this.object.stored),
    put: (bytes, etag) => this.#request(() => this.object.put(bytes, etag)),
  }

  #request<T>(execute: () => T): Promise<T> {
    const executed = this.later(LATE_MS).then(execute)
    if (this.#random.below(6) > 0)
      return executed.then((got) => this.later(LATE_MS).then(() => got))
    // The process gives up, before the request is executed or after.
    return this.later(LATE_MS).then(() => Promise.reject(noAnswer()))
  }
}
