// One account of the memory that request bodies hold, over all requests and connections: bytes that
// were kept, and what their decoders need. A body that finds no room waits for it; after a while
// the client is told to come back.
import { ApiError } from '../errors/index.ts'

type Waiter = { readonly bytes: number; readonly admit: () => void }

export class BodyAccount {
  readonly bytesMax: number
  readonly #waitMs: number
  #bytes = 0
  readonly #waiting: Waiter[] = []

  /** No body may be larger than `bytesMax`; `waitMs`: how long a body waits for room. */
  constructor(bytesMax: number, waitMs: number) {
    this.bytesMax = bytesMax
    this.#waitMs = waitMs
  }

  /** How many bytes are held. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether bodies wait for room. */
  get isShort(): boolean {
    return this.#waiting.length > 0
  }

  /** Whether there was room. Those that wait are served first. */
  take(bytes: number): boolean {
    if (this.#waiting.length > 0 || this.#bytes + bytes > this.bytesMax) return false
    this.#bytes += bytes
    return true
  }

  /** Takes the bytes when there is room. @throws ApiError too_many_request_bodies */
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

/** What one request holds of the account, until it has been answered. */
export class BodyShare {
  readonly #account: BodyAccount
  #bytes = 0

  constructor(account: BodyAccount) {
    this.#account = account
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Whether other bodies wait for room. */
  get isWanted(): boolean {
    return this.#account.isShort
  }

  /** undefined: there was room; a promise: wait for it. @throws ApiError too_many_request_bodies */
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

  /** Part of what was held is not needed any more. */
  giveBack(bytes: number): void {
    const less = Math.min(bytes, this.#bytes)
    this.#bytes -= less
    if (less > 0) this.#account.give(less)
  }

  /** The request was answered and nothing is held any more. */
  release(): void {
    this.giveBack(this.#bytes)
  }
}

const noRoom = (bytesMax: number): ApiError =>
  new ApiError(
    'too_many_request_bodies',
    `Request bodies take up all of the ${bytesMax} bytes of memory that are set aside for them. ` +
      'Retry after the time in the `Retry-After` header.',
  )
