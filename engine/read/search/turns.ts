// Which search gets which thread, and which one has to end for another.
//
// A search thread cannot be preempted: a search ends by itself, or at one of its checkpoints after
// it was told to. The rule below keeps the wait of a caller of short searches within
//
//   HURRY_MS + LOOK_MS + time to the next checkpoint + the search of its own
//     = 250 + 50 + about 50 + 20 ms
//
// in the worst case, and within one short search of another caller in the usual one.
//
// 1. Each search has an expected time. That of a large request (`size.ts`) is without bound: its
//    size is known before it runs. That of any other is the mean of what the last ones of its
//    caller took, the last one counting for a quarter; requests for several searches have a mean
//    of their own. So one slow search, the first one after a
//    start for example, does not change what is expected of a caller; three in a row do.
// 2. A search is heavy when it is expected to take SLICE_MS or more, or has already run so long. A
//    thread is held when its search is heavy.
// 3. Of those that wait, the one whose caller used least thread time is next (`accounts.ts`).
// 4. A heavy search never waits in a mailbox behind another search: the mailbox stays empty where
//    it is next. Nothing waits behind a heavy one. A heavy one does not take the last thread that
//    is not held while another caller has asked within RECENT_MS whose searches are expected to
//    take less than half of its time. Heavy searches of any number of callers thus share all
//    threads but one. Where only callers of equal weight ask they have all of them. With a single
//    thread this point does not apply: it would never run them.
// 5. Where a short search waits and all threads are held, one of another caller that has run for
//    HURRY_MS ends: the one that has run longest first, one each look. This counts for a single
//    thread, and for the time until point 4 has learned that a caller is heavy. A heavy search
//    that waits ends another one only after PATIENCE times the time that it is expected to take:
//    searches may take eight times as long as those of others and still complete. With a single
//    thread it is twice the time: there, callers of somewhat slower searches wait like short ones.
//
// No caller starves: what a caller uses is charged to it, so that everybody else comes before it
// in time (3). Heavy searches complete on the threads that point 4 gives them. On a single thread
// with short searches always waiting they get HURRY_MS in turn and are told why they ended.
import { type Account, type Accounts, compareAccounts, expectedMs } from './accounts.ts'
import { HURRY_MS, SLICE_MS } from './limits.ts'

export type SearchClaim = {
  readonly account: Account
  /** Whether its request is so large that it is expected to run for long. */
  readonly isLarge: boolean
  /** Whether it asks for several searches. */
  readonly isSeveral?: boolean
}

export type ThreadState = {
  /** By job number: the one that runs, then those in the mailbox. */
  readonly jobs: ReadonlyMap<number, SearchClaim>
  /** When the one that runs began. */
  readonly since: number
  /** The job that was told to end last; 0: none. */
  readonly told: number
}

/** A thread has so many requests at most, the one it works on included. */
export const JOBS_PER_THREAD = 2

/** See 5: searches that take 1.5 s, the usual cutoff, end for those below 190 ms alone. */
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

  /** Whether what the thread works on is heavy. */
  isHeld({ jobs, since }: ThreadState): boolean {
    for (const running of jobs.values()) {
      return this.isHeavy(running) || this.#now() - since >= SLICE_MS
    }
    return false
  }

  /** The thread with most room for one more; null: none has room. */
  roomiest<T extends ThreadState>(threads: readonly T[]): T | null {
    let best: T | null = null
    for (const thread of threads) {
      if (thread.jobs.size >= JOBS_PER_THREAD) continue
      if (thread.jobs.size > 0 && this.isHeld(thread)) continue
      if (best === null || thread.jobs.size < best.jobs.size) best = thread
    }
    return best
  }

  /** The position of the search that `thread` is to get; -1: none of them may have it now. */
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
    // The mailbox stays empty, so that it begins when the thread is idle.
    return best >= 0 && thread.jobs.size > 0 && this.isHeavy(ready[best]!) ? -1 : best
  }

  /** Whether callers ask of late whose searches are expected to take less than half of its time. */
  #hasQuicker(claim: SearchClaim): boolean {
    return this.#accounts.hasQuickerThan(claim.account, expectedOf(claim) / 2)
  }

  /** The thread whose search is to end for one of those that wait; null: there is none. */
  toEnd<T extends ThreadState>(threads: readonly T[], waiting: Iterable<SearchClaim>): T | null {
    let longest: T | null = null
    for (const thread of threads) {
      const [job] = thread.jobs.keys()
      if (job === undefined || thread.told === job) continue
      if (this.#now() - thread.since < HURRY_MS) continue
      if (longest === null || thread.since < longest.since) longest = thread
    }
    if (longest === null) return null
    const [running] = longest.jobs.values()
    const elapsed = this.#now() - longest.since
    // Short ones get a thread soon as long as one is not held.
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
