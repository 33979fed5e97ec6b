// The state of each request and of each thread of the search pool.
import type { EngineFault } from '../../model/index.ts'
import type { PoolJob } from '../../threads/index.ts'
import type { JobRequest, SearchReply, ViewsRequest } from '../jobs/index.ts'
import type { Account } from './accounts.ts'
import type { LeasedView, SearchPermit } from './searching.ts'
import type { Waiter } from './semaphore.ts'
import type { SearchClaim } from './turns.ts'

/** A request that waits, or that a thread has. */
export type PendingSearch = {
  readonly views: readonly LeasedView[]
  readonly request: JobRequest | ViewsRequest
  readonly resolve: (bytes: Uint8Array) => void
  readonly reject: (error: Error) => void
  readonly stopListening: () => void
  readonly account: Account
  readonly isLarge: boolean
  readonly isSeveral: boolean
  /** Null if it needs no permit. */
  readonly waiter: Waiter | null
  hasPermit: boolean
  isCanceled: boolean
  /** When it began to wait for a thread. */
  waitsSince: number
  /** Why it was canceled; null if its client has disconnected. */
  fault: EngineFault | null
  /** Threads that ended while they worked on it. */
  crashes: number
}

/** The permit of a request that consists of several runs, and those that have not ended. */
export type SharedPermit = SearchPermit & { readonly runs: Set<PendingSearch>; isLate: boolean }

/** A request assigned to a thread; withdrawn when it leaves the mailbox before its turn. */
export type Run = SearchClaim & PoolJob<SearchReply> & { readonly search: PendingSearch }

export type Slot = {
  readonly number: number
  /** By job number. */
  readonly jobs: Map<number, Run>
  /** When the running job began. */
  since: number
  /** The last job that was preempted; 0 for none. */
  preemptedJob: number
  /** Views that were sent to the thread. */
  readonly sentViews: Set<string>
  /** The index of the last request, and when it was assigned. */
  searchedIndex: number
  searchedAt: number
}

export const newSlot = (number: number): Slot => ({
  number,
  jobs: new Map(),
  since: 0,
  preemptedJob: 0,
  sentViews: new Set(),
  searchedIndex: 0,
  searchedAt: Number.NEGATIVE_INFINITY,
})
