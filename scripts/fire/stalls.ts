// How long this machine kept a process from running: on a loaded machine all processes of a test
// stand still at times, and limits of time that a server keeps say nothing about it then.

const LOOK_MS = 50
/** Less is usual. */
const STALL_MS = 200

export class Stalls {
  #totalMs = 0
  #seenAt = performance.now()
  readonly #timer: NodeJS.Timeout

  constructor() {
    this.#timer = setInterval(() => this.#look(), LOOK_MS)
    this.#timer.unref()
  }

  #look(): void {
    const now = performance.now()
    const late = now - this.#seenAt - LOOK_MS
    this.#seenAt = now
    if (late >= STALL_MS) this.#totalMs += late
  }

  /** Milliseconds since the beginning for which this process stood still. */
  get totalMs(): number {
    this.#look()
    return this.#totalMs
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
