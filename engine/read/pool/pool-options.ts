// The options of the search pool.
import type { Worker } from 'node:worker_threads'
import type { LackedVector, SearchThreadData } from '../jobs/index.ts'

export type SearchPoolOptions = {
  readonly file: URL
  /** A thread that was started from that file ahead of time, without data. */
  readonly first: Worker | null
  readonly root: string
  readonly threads: number
  /** Whether the last of several threads works only when the others do not suffice. */
  readonly keepsReserve: boolean
  /** Searches that may wait; when more arrive, one is refused. */
  readonly waitingMax: number
  /** Searches that count as running; those without a free thread are queued here. */
  readonly runningMax: number
  /** A request is given up after waiting and running for this many milliseconds. */
  readonly dropAfterMs: number
  readonly caches: SearchThreadData['caches']
  /** Milliseconds of idle time that a thread may spend on warm-up; 0 disables it. */
  readonly warmUpMs: number
  /** Returns true while documents are indexed, which warm-up must not slow down. */
  readonly isIndexing: () => boolean
  /** Receives hybrid searches that have no vector because the client sent none. */
  readonly lackedVectors?: (searches: readonly LackedVector[]) => void
  readonly report: (message: string, error: unknown) => void
}
