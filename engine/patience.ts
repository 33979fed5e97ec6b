// Work in the background that asks search threads: searches go first.
import { EngineFault } from './errors.ts'

const QUEUE_PAUSE_MS = 1000

/** Asks again, after a while, for as long as the queue of searches is full. */
export async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      const isFull = error instanceof EngineFault && error.code === 'too_many_search_requests'
      if (!isFull) throw error
      await new Promise((resolve) => setTimeout(resolve, QUEUE_PAUSE_MS))
    }
  }
}
