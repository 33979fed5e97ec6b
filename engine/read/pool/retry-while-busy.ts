// Searches of background work (dumps, exports), which give way to those of clients.
import { setTimeout as sleep } from 'node:timers/promises'
import { EngineFault } from '../../model/index.ts'

const QUEUE_PAUSE_MS = 1000

/** Repeats the search a second later while the search queue is full. */
export async function retryWhileBusy<T>(search: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await search()
    } catch (error) {
      const isFull = error instanceof EngineFault && error.code === 'too_many_search_requests'
      if (!isFull) throw error
      await sleep(QUEUE_PAUSE_MS)
    }
  }
}
