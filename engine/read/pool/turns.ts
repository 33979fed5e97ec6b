// Decides which search gets which thread, and which one is preempted by another.
//
// A search thread cannot be interrupted anywhere: a search ends when it is done, or at its next
// checkpoint after it was preempted. The rules below keep the wait of a caller of short searches
// within
//
//   PREEMPT_AFTER_MS + CHECK_INTERVAL_MS + time to the next checkpoint + its own search
//     = 250 + 20 + about 50 + 20 ms
//
// in the worst case, and within one short search of another caller in the usual case.
//
// 1. Each search has an expected time. For a large request (`size.ts`) it is unlimited: its size
//    is known before it runs. For any other it is the mean of its caller's last searches, the last
//    one with a weight of a quarter; requests for several searches have a separate mean. So one
//    slow search, such as the first one after a start, does not change the expectation of a
//    caller; three in a row do.
// 2. A search is heavy if it is expected to take SLICE_MS or more, or has already run that long. A
//    thread is held while its search is heavy.
// 3. The next search is that of the caller with the least thread time (`accounts.ts`).
// 4. A heavy search never waits in a mailbox behind another search: the mailbox stays empty if it
//    is next. Nothing waits behind a heavy search. A heavy search does not get the last thread
//    that is not held if another caller, whose searches are expected to take less than half of its
//    time, has sent a request within RECENT_MS. Heavy searches of any number of callers thus share
//    all threads but one; they get all threads if only callers of equal weight are active. This
//    rule does not apply to a single thread, which would never run them.
// 5. If a short search waits and all threads are held, a search of another caller that has run
//    for PREEMPT_AFTER_MS is preempted: the longest running one first, one at each check. This
//    matters for a single thread, and until rule 4 has learned that a caller is heavy. A waiting
//    heavy search preempts another one only after PATIENCE times its own expected time: searches
//    may take eight times as long as those of others and still complete. With a single thread it
//    is twice the time, because there callers of somewhat slower searches wait like short ones.
//
// No caller starves: used time is charged to its caller, so that all other callers come before it
// in time (3). Heavy searches complete on the threads that rule 4 leaves to them. On a single
// thread with short searches always waiting, they get PREEMPT_AFTER_MS at a time, and their fault
// says why they ended.

import { JOBS_PER_THREAD, PREEMPT_AFTER_MS, SLICE_MS } from '../jobs/index.ts'
import { type Account, type Accounts, compareAccounts, expectedMs } from './accounts.ts'

export type SearchClaim = {
  readonly account: Account
  /** True if the request is so large that it is expected to run for long. */
  readonly isLarge: boolean
  /** True if it is a request for several searches. */
  readonly isSeveral?: boolean
}

export type ThreadState = {
  /** By job number: the running job, then those in the mailbox. */
  readonly jobs: ReadonlyMap<number, SearchClaim>
  /** When the running job began. */
  readonly since: number
  /** The last job that was preempted; 0 for none. */
  readonly preemptedJob: number
}

/** See rule 5: searches of 1.5 s, the usual cutoff, are preempted only by those below 190 ms. */
const PATIENCE = 8

export class Turns {
  readonly #accounts: Accounts
  readonly #now: () => number

  constructor(accounts: Accounts, now: () => number) {
    this.#accounts = accounts
    this.#now = now
  }

  isHeavy(claim: SearchClaim): boolean {
    return expectedOf(claim) >= SLICE_MS
  }

  /** Returns true if the running search of the thread is heavy. */
  isHeld({ jobs, since }: ThreadState): boolean {
    for (const running of jobs.values()) {
      return this.isHeavy(running) || this.#now() - since >= SLICE_MS
    }
    return false
  }

  /** Returns the thread with most room for one more job, or null if none has room. */
  roomiest<T extends ThreadState>(threads: readonly T[]): T | null {
    let best: T | null = null
    for (const thread of threads) {
      if (thread.jobs.size >= JOBS_PER_THREAD) continue
      if (thread.jobs.size > 0 && this.isHeld(thread)) continue
      if (best === null || thread.jobs.size < best.jobs.size) best = thread
    }
    return best
  }

  /** Returns the position of the search that `thread` gets next, or -1 if none may run now. */
  next(
    thread: ThreadState,
    threads: readonly ThreadState[],
    ready: readonly SearchClaim[],
  ): number {
    const leavesOne = threads.filter((one) => this.isHeld(one)).length + 1 < threads.length
    let best = -1
    for (let i = 0; i < ready.length; i++) {
      const claim = ready[i]!
      if (best >= 0 && compareAccounts(claim.account, ready[best]!.account) >= 0) continue
      const needsFree = this.isHeavy(claim) && threads.length > 1 && !leavesOne
      if (needsFree && this.#hasQuicker(claim)) continue
      best = i
    }
    // The mailbox stays empty, so that the heavy search starts when the thread is idle.
    return best >= 0 && thread.jobs.size > 0 && this.isHeavy(ready[best]!) ? -1 : best
  }

  /**
   * Returns true if callers whose searches take less than half of its time were active recently.
   */
  #hasQuicker(claim: SearchClaim): boolean {
    return this.#accounts.hasQuickerThan(claim.account, expectedOf(claim) / 2)
  }

  /** Returns the thread whose search is preempted by a waiting one, or null if none is. */
  toPreempt<T extends ThreadState>(
    threads: readonly T[],
    waiting: Iterable<SearchClaim>,
  ): T | null {
    let longest: T | null = null
    for (const thread of threads) {
      const [job] = thread.jobs.keys()
      if (job === undefined || thread.preemptedJob === job) continue
      if (this.#now() - thread.since < PREEMPT_AFTER_MS) continue
      if (longest === null || thread.since < longest.since) longest = thread
    }
    if (longest === null) return null
    const [running] = longest.jobs.values()
    const elapsed = this.#now() - longest.since
    // Short searches get a thread soon while one is not held.
    const areHeld = threads.every((thread) => this.isHeld(thread))
    const patience = threads.length === 1 ? 2 : PATIENCE
    for (const claim of waiting) {
      if (claim.account === running!.account) continue
      const isDue = this.isHeavy(claim) ? elapsed >= patience * expectedOf(claim) : areHeld
      if (isDue) return longest
    }
    return null
  }
}

const expectedOf = ({ account, isLarge, isSeveral = false }: SearchClaim): number =>
  isLarge ? Number.POSITIVE_INFINITY : expectedMs(account, isSeveral)
