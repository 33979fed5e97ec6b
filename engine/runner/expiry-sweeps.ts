// Gives back the space of documents that have expired. No search waits for it: searches leave them
// out from the moment on at which they expire. It runs between batches, because a batch builds on
// the copies of documents that it finds at its begin.
import { deleteExpired } from '../task-kinds/kind/index.ts'

export type SweepParts = Parameters<typeof deleteExpired>[0] & {
  readonly report: (message: string, error: unknown) => void
}

/** Milliseconds between two sweeps: space comes back within minutes, and a sweep costs a batch. */
const SWEEP_MS = 60_000

export class ExpirySweeps {
  readonly #parts: SweepParts
  readonly #controller = new AbortController()
  #timer: NodeJS.Timeout | null = null
  #sweeping: Promise<void> | null = null
  /** A sweep that was put off until no batch runs. */
  #isDue = false
  /** Batches that run, and those that wait for the sweep. */
  #batches = 0
  #waiting = 0

  constructor(parts: SweepParts) {
    this.#parts = parts
  }

  start(): void {
    this.#timer = setInterval(() => void this.sweep(), SWEEP_MS)
    this.#timer.unref()
  }

  /** Runs a batch; no sweep runs meanwhile. */
  async beside<T>(run: () => Promise<T>): Promise<T> {
    this.#waiting++
    while (this.#sweeping !== null) await this.#sweeping
    this.#waiting--
    this.#batches++
    try {
      return await run()
    } finally {
      this.#batches--
      if (this.#isDue) void this.sweep()
    }
  }

  /** Deletes the expired documents of all indexes, or puts it off while batches run. */
  async sweep(): Promise<void> {
    while (this.#sweeping !== null) await this.#sweeping
    this.#isDue = this.#batches > 0
    if (this.#isDue) return
    this.#sweeping = this.#sweepAll().finally(() => {
      this.#sweeping = null
    })
    await this.#sweeping
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#controller.abort()
    await this.#sweeping
  }

  /** A failure is reported; the next sweep tries again. */
  async #sweepAll(): Promise<void> {
    const { manifest, report } = this.#parts
    const { signal } = this.#controller
    const hooks = { signal, progress: () => undefined }
    for (const { uid, settings } of [...manifest.state.indexes.values()]) {
      // Most indexes lack the setting, and decoding all settings would take time from requests.
      if (!settings.includes('"expiresAtAttribute":"')) continue
      this.#isDue = this.#waiting > 0
      if (signal.aborted || this.#isDue) return
      try {
        await deleteExpired(this.#parts, uid, hooks)
      } catch (error) {
        if (!signal.aborted) report('Expired documents could not be deleted yet.', error)
      }
    }
  }
}
