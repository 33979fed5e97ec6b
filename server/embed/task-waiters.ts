// Callers that wait for tasks to finish.
import { awaitedLater } from '../../engine/index.ts'
import { SvcSearchError } from './errors.ts'

type Waiter = { readonly resolve: () => void; readonly reject: (error: Error) => void }

export type Wait = {
  readonly finished: Promise<void>
  /** Must be called in every case: removes timers and listeners. */
  readonly end: () => void
}

export class TaskWaiters {
  readonly #waiting = new Map<number, Set<Waiter>>()

  /**
   * Returns a promise that resolves when the task finishes later. `timeoutMs` null waits without a
   * limit.
   */
  wait(uid: number, timeoutMs: number | null, signal: AbortSignal | null): Wait {
    const { promise, resolve, reject } = withResolvers()
    awaitedLater(promise)
    const waiter = { resolve, reject }
    const waiters = this.#waiting.get(uid) ?? new Set()
    this.#waiting.set(uid, waiters.add(waiter))
    const late = `task ${uid} has not finished after ${timeoutMs} ms`
    const timer =
      timeoutMs === null
        ? undefined
        : setTimeout(() => reject(new SvcSearchError('timeout', late)), timeoutMs)
    const abort = (): void => {
      reject(new SvcSearchError('timeout', `waiting for task ${uid} was aborted`))
    }
    if (signal?.aborted === true) abort()
    signal?.addEventListener('abort', abort)
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      waiters.delete(waiter)
      if (waiters.size === 0 && this.#waiting.get(uid) === waiters) this.#waiting.delete(uid)
    }
    return { finished: promise, end }
  }

  finished(tasks: Iterable<number>): void {
    if (this.#waiting.size === 0) return
    for (const uid of tasks) for (const { resolve } of this.#waiting.get(uid) ?? []) resolve()
  }

  /** Rejects all waiting callers. */
  close(): void {
    for (const waiters of this.#waiting.values()) {
      for (const { reject } of waiters) {
        reject(
          new SvcSearchError('engine_closed', 'the engine was closed before the task finished'),
        )
      }
    }
  }
}

/** Like `Promise.withResolvers`, which Node 20 lacks. */
function withResolvers(): Waiter & { readonly promise: Promise<void> } {
  let waiter: Waiter | undefined
  const promise = new Promise<void>((resolve, reject) => {
    waiter = { resolve, reject }
  })
  return { promise, ...waiter! }
}
