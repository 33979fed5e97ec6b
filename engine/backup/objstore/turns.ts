// Uploads into one place and the removal of old files there: the removal takes away what no head
// names, so nothing may be on its way meanwhile.

export class StoreTurns {
  /**
   * Bytes of the files that the place is known to have, by key; null: it has to be asked. Uploads
   * add to it.
   */
  known: Map<string, number> | null = null
  #uploads = 0
  #retaining: Promise<void> | null = null

  /** Runs `work` when nothing is being removed. Any number run side by side. */
  async upload<T>(work: () => Promise<T>): Promise<T> {
    while (this.#retaining !== null) await this.#retaining
    this.#uploads++
    try {
      return await work()
    } finally {
      this.#uploads--
    }
  }

  /** Runs `work` unless something is being uploaded or removed; whether it did. */
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
