// Pauses of loops, which an event may end early.
import { setTimeout as sleep } from 'node:timers/promises'

export class Pause {
  #end: () => void = () => undefined

  /** Resolves after `ms` milliseconds or at the next `end`; `ref`: the process waits for it. */
  wait(ms: number, ref = true): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      if (!ref) timer.unref()
      this.#end = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Ends the present pause, if there is one. */
  end(): void {
    this.#end()
  }
}

/** Resolves after `ms` milliseconds, or when the signal is aborted. */
export async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
