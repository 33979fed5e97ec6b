// A single account of the memory that request bodies hold, over all requests and connections:
// buffered bytes and the memory of decoders. A body that finds no room waits for it; after a
// timeout the client gets an error and should try again later.
import { ApiError } from '../../errors/index.ts'

type Waiter = { readonly bytes: number; readonly admit: () => void }

export class BodyAccount {
  readonly bytesMax: number
  readonly #waitMs: number
  #bytes = 0
  readonly #waiting: Waiter[] = []

  /** No body may be larger than `bytesMax`; `waitMs` is how long a body waits for room. */
  constructor(bytesMax: number, waitMs: number) {
    this.bytesMax = bytesMax
    this.#waitMs = waitMs
  }

  /** Number of bytes held. */
  get bytes(): number {
    return this.#bytes
  }

  /** True if bodies are waiting for room. */
  get isShort(): boolean {
    return this.#waiting.length > 0
  }

  /** Takes the bytes if there is room and no other body waits; returns whether it did. */
  take(bytes: number): boolean {
    if (this.#waiting.length > 0 || this.#bytes + bytes > this.bytesMax) return false
    this.#bytes += bytes
    return true
  }

  /** Takes the bytes as soon as there is room. @throws ApiError too_many_request_bodies */
  wait(bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        bytes,
        admit: () => {
          clearTimeout(timer)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
        reject(noRoom(this.bytesMax))
        this.#admit()
      }, this.#waitMs)
      this.#waiting.push(waiter)
    })
  }

  give(bytes: number): void {
    this.#bytes -= bytes
    this.#admit()
  }

  #admit(): void {
    for (;;) {
      const first = this.#waiting[0]
      if (first === undefined || this.#bytes + first.bytes > this.bytesMax) return
      this.#bytes += first.bytes
      this.#waiting.shift()
      first.admit()
    }
  }
}

/** The bytes that one request holds of the account, until it has been answered. */
export class BodyShare {
  readonly #account: BodyAccount
  #bytes = 0

  constructor(account: BodyAccount) {
    this.#account = account
  }

  get bytes(): number {
    return this.#bytes
  }

  /** True if other bodies are waiting for room. */
  get isWanted(): boolean {
    return this.#account.isShort
  }

  /**
   * Holds more bytes. Returns undefined if there was room, else a promise to wait for. @throws
   * ApiError too_many_request_bodies
   */
  hold(bytes: number): Promise<void> | undefined {
    if (bytes <= 0) return undefined
    if (this.#account.take(bytes)) {
      this.#bytes += bytes
      return undefined
    }
    return this.#account.wait(bytes).then(() => {
      this.#bytes += bytes
    })
  }

  /** Returns bytes that are no longer needed. */
  giveBack(bytes: number): void {
    const less = Math.min(bytes, this.#bytes)
    this.#bytes -= less
    if (less > 0) this.#account.give(less)
  }

  /** Releases everything when the request has been answered. */
  release(): void {
    this.giveBack(this.#bytes)
  }
}

const noRoom = (bytesMax: number): ApiError =>
  new ApiError(
    'too_many_request_bodies',
    `Request bodies use all of the ${bytesMax} bytes of memory reserved for them. ` +
      'Retry after the time in the `Retry-After` header.',
  )
