// One timer for everything of a server that has a pace to keep, in place of one for each request.

export type Watched = {
  /** `elapsedMs`: since the last call, or since it was added; the server's own pauses left out. */
  check(elapsedMs: number): void
}

export class Watch {
  readonly #everyMs: number
  readonly #watched = new Set<Watched>()
  #timer: NodeJS.Timeout | null = null
  #lastAt = 0

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  add(watched: Watched): void {
    this.#watched.add(watched)
    if (this.#timer !== null) return
    this.#lastAt = performance.now()
    this.#timer = setInterval(this.#tick, this.#everyMs)
    this.#timer.unref()
  }

  delete(watched: Watched): void {
    this.#watched.delete(watched)
  }

  readonly #tick = (): void => {
    const now = performance.now()
    // A pause of the process is not the fault of its clients.
    const elapsedMs = Math.min(now - this.#lastAt, 2 * this.#everyMs)
    this.#lastAt = now
    if (this.#watched.size === 0) {
      if (this.#timer !== null) clearInterval(this.#timer)
      this.#timer = null
      return
    }
    for (const watched of this.#watched) watched.check(elapsedMs)
  }
}
