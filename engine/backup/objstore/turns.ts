// Uploads into one store alternate with the removal of old files there: the removal deletes files
// that no head names, so no upload may run meanwhile.

export class StoreTurns {
  /**
   * Bytes of the files that are known to be in the store, by key; uploads add to it. null means
   * that the store must be listed.
   */
  known: Map<string, number> | null = null
  #uploads = 0
  #retaining: Promise<void> | null = null

  /** Runs `work` when no removal runs. Uploads run in parallel. */
  async upload<T>(work: () => Promise<T>): Promise<T> {
    while (this.#retaining !== null) await this.#retaining
    this.#uploads++
    try {
      return await work()
    } finally {
      this.#uploads--
    }
  }

  /** Runs `work` unless an upload or a removal runs; returns whether it did. */
  async retain(work: () => Promise<void>): Promise<boolean> {
    if (this.#uploads > 0 || this.#retaining !== null) return false
    this.known = null
    const done = work().finally(() => {
      this.#retaining = null
    })
    this.#retaining = done.catch(() => undefined)
    await done
    return true
  }
}
