// Assigns requests to threads, in the order of `turns.ts`: which is next, which is moved back from
// a mailbox, and which is preempted.
//
// A thread works on one request and may hold one more in its mailbox, so that it does not idle
// between two requests. All other requests wait here, where they can still be canceled.
import { performance } from 'node:perf_hooks'
import { Canceled, fromWire } from '../../model/index.ts'
import { CHECK_INTERVAL_MS, type SearchReply, SLICE_MS, VectorNeeded } from '../jobs/index.ts'
import type { Accounts } from './accounts.ts'
import { BusyShare } from './busy-share.ts'
import type { PendingSearch, Run, Slot } from './pending-search.ts'
import type { SearchPoolOptions } from './pool-options.ts'
import type { SearchThreads } from './search-threads.ts'
import type { SearchSemaphore } from './semaphore.ts'
import type { Turns } from './turns.ts'

type Parts = {
  readonly threads: SearchThreads
  readonly accounts: Accounts
  readonly turns: Turns
  readonly semaphore: SearchSemaphore
  /** Requests that wait for the semaphore. */
  readonly acquiring: ReadonlySet<PendingSearch>
  readonly lackedVectors: SearchPoolOptions['lackedVectors']
}

export class Dispatcher {
  readonly #parts: Parts
  readonly #busy: BusyShare
  /** Requests that wait for a thread, in order. */
  readonly #ready: PendingSearch[] = []
  #nextCheck: NodeJS.Timeout | null = null
  #degraded = 0
  #closed = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#busy = new BusyShare(parts.threads.slots.length, () => performance.now())
  }

  get busyShare(): number {
    return this.#busy.share
  }

  /** Answers cut short by their index's time limit, since the start. */
  get degraded(): number {
    return this.#degraded
  }

  /** True if more requests run or wait for a thread than there are threads. */
  get isBehind(): boolean {
    return this.#outstanding > this.#parts.threads.slots.length
  }

  /** Requests that run or wait for a thread. */
  get #outstanding(): number {
    const { slots } = this.#parts.threads
    return slots.reduce((count, { jobs }) => count + jobs.size, this.#ready.length)
  }

  /** Counts the thread in reserve as busy, too, if a request waits that it could run. */
  noteBusy(): void {
    this.#busy.note(Math.min(this.#outstanding, this.#parts.threads.slots.length))
  }

  /** Lets a request wait for a thread; the caller has to call `dispatch` afterwards. */
  enqueue(search: PendingSearch): void {
    search.waitsSince = performance.now()
    this.#ready.push(search)
    const { reserve } = this.#parts.threads
    if (reserve.isKept && this.#parts.turns.isHeavy(search)) reserve.open()
    this.noteBusy()
  }

  /** Removes a request that waits for a thread; returns false if it does not. */
  remove(search: PendingSearch): boolean {
    const at = this.#ready.indexOf(search)
    if (at >= 0) this.#ready.splice(at, 1)
    return at >= 0
  }

  dispatch(): void {
    const { turns, threads } = this.#parts
    while (this.#ready.length > 0) {
      const slot = turns.roomiest(threads.usable())
      const next = slot === null ? -1 : turns.next(slot, threads.slots, this.#ready)
      if (slot === null || next < 0) return
      this.#give(slot, this.#ready.splice(next, 1)[0]!)
    }
  }

  #give(slot: Slot, search: PendingSearch): void {
    const { account, isLarge, isSeveral, crashes } = search
    const run: Run = {
      account,
      isLarge,
      isSeveral,
      search,
      crashes,
      isWithdrawn: false,
      onReply: (reply) => this.#reply(slot, run, reply),
      onLost: (error, mayRetry) => this.#lost(run, error, mayRetry),
    }
    this.#parts.threads.give(slot, run)
    this.#parts.accounts.served(account)
    this.#checkLater()
  }

  #checkLater(): void {
    this.#nextCheck ??= setTimeout(() => this.#check(), CHECK_INTERVAL_MS).unref()
  }

  /** Checks the work of the threads at intervals while they have any. */
  #check(): void {
    this.#nextCheck = null
    if (this.#closed) return
    const { slots, reserve } = this.#parts.threads
    const now = performance.now()
    const sliceMs = this.#needsReserve(now) ? reserve.waitMs : SLICE_MS
    for (const slot of slots) {
      const [oldest] = slot.jobs.values()
      if (oldest === undefined || oldest.isWithdrawn || now - slot.since < sliceMs) continue
      this.#requeueMailbox(slot, oldest)
    }
    this.dispatch()
    this.#preempt()
    if (slots.some(({ jobs }) => jobs.size > 0)) this.#checkLater()
  }

  /** Opens the reserve if a search has waited for long; returns whether it has. */
  #needsReserve(now: number): boolean {
    const { slots, reserve } = this.#parts.threads
    if (reserve.isOpen) return false
    const isLate = (since: number): boolean => now - since >= reserve.waitMs
    const isBehindLong = ({ jobs, since }: Slot): boolean => jobs.size > 1 && isLate(since)
    const waits = this.#ready.some((one) => isLate(one.waitsSince))
    if (!waits && !slots.some(isBehindLong)) return false
    reserve.open()
    return true
  }

  /** Moves requests in the mailbox behind a heavy job back to the queue. */
  #requeueMailbox(slot: Slot, running: Run): void {
    for (const [job, run] of slot.jobs) {
      if (run === running || run.isWithdrawn) continue
      this.#parts.threads.cancel(slot, job)
      run.isWithdrawn = true
      this.#ready.unshift(run.search)
    }
  }

  /** Preempts a search of another caller if a search waits and no thread is free for it. */
  #preempt(): void {
    const { threads, turns, acquiring } = this.#parts
    const { slots } = threads
    const slot = turns.toPreempt(slots, this.#ready) ?? turns.toPreempt(slots, acquiring)
    if (slot !== null) threads.preempt(slot)
  }

  #reply(slot: Slot, run: Run, reply: SearchReply): void {
    const { threads, accounts } = this.#parts
    const { search } = run
    const now = performance.now()
    slot.jobs.delete(reply.job)
    this.noteBusy()
    if (run.isWithdrawn) {
      slot.since = now
      this.dispatch()
      return
    }
    const { account, isSeveral } = search
    accounts.charge(account, now - slot.since)
    if (!threads.isReserve(slot.number)) threads.reserve.worked(now - slot.since)
    if (!search.isLarge) accounts.learn(account, now - slot.since, isSeveral)
    slot.since = now
    if (reply.kind === 'answer' && reply.degraded) this.#degraded++
    if (reply.kind === 'answer' && reply.lackedVectors !== undefined) {
      this.#parts.lackedVectors?.(reply.lackedVectors)
    }
    this.end(search, () => settle(search, reply))
    this.dispatch()
  }

  #lost({ search, crashes, isWithdrawn }: Run, error: Error, mayRetry: boolean): void {
    if (isWithdrawn) return
    search.crashes = crashes
    if (search.isCanceled) this.endCanceled(search)
    else if (mayRetry) this.#ready.unshift(search)
    else this.end(search, () => search.reject(error))
  }

  /** Cancels a request that a thread has: it ends at the next checkpoint of the thread. */
  cancelRun(search: PendingSearch): void {
    const { threads } = this.#parts
    for (const slot of threads.slots) {
      const [running] = slot.jobs.values()
      for (const [job, run] of slot.jobs) {
        if (run.search !== search || run.isWithdrawn) continue
        threads.cancel(slot, job)
        search.isCanceled = true
        if (run === running) continue
        // Its reply would come after that of the running job.
        run.isWithdrawn = true
        this.endCanceled(search)
      }
    }
  }

  /** Another request may acquire its permit; the caller has to call `dispatch` afterwards. */
  end(search: PendingSearch, settled: () => void): void {
    search.stopListening()
    for (const { release } of search.views) release()
    if (search.hasPermit) this.#parts.semaphore.release(search.waiter!)
    settled()
  }

  endCanceled(search: PendingSearch): void {
    this.end(search, () => search.reject(canceled(search)))
  }

  /** Rejects all requests that wait for a thread; checks no thread from now on. */
  close(reason: Error): void {
    this.#closed = true
    for (const search of this.#ready.splice(0)) this.end(search, () => search.reject(reason))
  }
}

function settle(search: PendingSearch, reply: SearchReply): void {
  if (reply.kind === 'answer') search.resolve(reply.bytes)
  else if (reply.kind === 'failed') search.reject(fromWire(reply.error))
  else if (reply.kind === 'vector-needed') search.reject(new VectorNeeded(reply.needed))
  else search.reject(canceled(search))
}

const canceled = (search: PendingSearch): Error => search.fault ?? new Canceled()
