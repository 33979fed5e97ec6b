// The search threads as seen from the main thread: takes requests, limits how many of them run and
// wait, and ends those that are canceled or late.
//
// `semaphore.ts` decides which requests may run and which are rejected; `dispatcher.ts` assigns
// them to the threads of `search-threads.ts`.
import { performance } from 'node:perf_hooks'
import type { SegmentNo } from '../../../format/ids.ts'
import { Canceled, EngineFault } from '../../model/index.ts'
import type { ViewRef } from '../../store/views/index.ts'
import { isLarge, type JobRequest, type ViewKey, type ViewsRequest } from '../jobs/index.ts'
import type { SearchRule } from '../search-rules/index.ts'
import { Accounts, type CallerId, NO_CALLER } from './accounts.ts'
import { Dispatcher } from './dispatcher.ts'
import type { PendingSearch, SharedPermit } from './pending-search.ts'
import type { SearchPoolOptions } from './pool-options.ts'
import { SearchThreads } from './search-threads.ts'
import {
  type LeasedView,
  needsPermit,
  type Searching,
  type SearchLoad,
  type SearchPermit,
} from './searching.ts'
import { SearchSemaphore, type Waiter } from './semaphore.ts'
import { type SearchClaim, Turns } from './turns.ts'

export class SearchPool implements Searching {
  readonly #options: SearchPoolOptions
  readonly #accounts = new Accounts(() => performance.now())
  readonly #turns = new Turns(this.#accounts, () => performance.now())
  readonly #semaphore: SearchSemaphore
  readonly #threads: SearchThreads
  readonly #dispatcher: Dispatcher
  /** Requests that wait for the semaphore. */
  readonly #acquiring = new Set<PendingSearch>()
  #dropped = 0

  constructor(options: SearchPoolOptions) {
    this.#options = options
    const { runningMax, waitingMax } = options
    this.#semaphore = new SearchSemaphore({ runningMax, waitingMax, random: Math.random })
    this.#threads = new SearchThreads(options, {
      isBehind: () => this.isBehind,
      crashed: () => {
        this.#dispatcher.noteBusy()
        // After the pool of threads has returned all jobs of the thread.
        queueMicrotask(() => this.#dispatcher.dispatch())
      },
      restarted: () => this.#dispatcher.dispatch(),
    })
    this.#dispatcher = new Dispatcher({
      threads: this.#threads,
      accounts: this.#accounts,
      turns: this.#turns,
      semaphore: this.#semaphore,
      acquiring: this.#acquiring,
      lackedVectors: options.lackedVectors,
    })
  }

  /** Starts the first thread; further threads are started when all running ones are busy. */
  start(): void {
    this.#threads.start()
  }

  get load(): SearchLoad {
    const { running, waiting, rejected } = this.#semaphore
    const { waitingMax } = this.#options
    const { degraded } = this.#dispatcher
    const cacheBytes = this.#threads.held.total()
    return { waitingMax, running, waiting, rejected, dropped: this.#dropped, degraded, cacheBytes }
  }

  get busyShare(): number {
    return this.#dispatcher.busyShare
  }

  get isBehind(): boolean {
    return this.#semaphore.waiting > 0 || this.#dispatcher.isBehind
  }

  acquire(signal: AbortSignal | null, caller = NO_CALLER): Promise<SearchPermit> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(new Canceled())
      const stop = (): void => {
        clearTimeout(late)
        signal?.removeEventListener('abort', cancel)
      }
      const release = (): void => {
        stop()
        this.#semaphore.release(waiter)
        this.#dispatcher.dispatch()
      }
      const permit: SharedPermit = { release, runs: new Set(), isLate: false }
      const giveUp = (error: Error): boolean => {
        if (!this.#semaphore.cancel(waiter)) return false
        stop()
        reject(error)
        return true
      }
      // Once it has the permit, its runs listen to the signal themselves.
      const cancel = (): void => void giveUp(new Canceled())
      const late = setTimeout(() => {
        this.#dropped++
        if (!giveUp(this.#tooMany())) this.#endLate(permit)
      }, this.#options.dropAfterMs)
      late.unref()
      const waiter: Waiter = {
        account: this.#accounts.of(caller),
        // A request with several parts has more searches than a person reads.
        isHeavy: true,
        acquired: () => resolve(permit),
        rejected: () => {
          stop()
          reject(this.#tooMany())
        },
      }
      signal?.addEventListener('abort', cancel, { once: true })
      this.#semaphore.acquire(waiter)
    })
  }

  #endLate(permit: SharedPermit): void {
    permit.isLate = true
    for (const search of permit.runs) {
      search.fault = this.#tooMany()
      this.#cancel(search)
    }
  }

  run(
    view: LeasedView,
    request: JobRequest,
    signal: AbortSignal | null,
    others: readonly LeasedView[] = [],
    caller = NO_CALLER,
  ): Promise<Uint8Array> {
    return this.#run([view, ...others], request, signal, null, caller)
  }

  runOver(
    views: readonly LeasedView[],
    request: ViewsRequest,
    signal: AbortSignal | null,
    permit: SearchPermit | null = null,
    caller = NO_CALLER,
  ): Promise<Uint8Array> {
    return this.#run(views, request, signal, permit as SharedPermit | null, caller)
  }

  #run(
    views: readonly LeasedView[],
    request: JobRequest | ViewsRequest,
    signal: AbortSignal | null,
    permit: SharedPermit | null,
    caller: CallerId,
  ): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true || permit?.isLate === true) {
        for (const { release } of views) release()
        reject(permit?.isLate === true ? this.#tooMany() : new Canceled())
        return
      }
      const cancel = (): void => this.#cancel(search)
      signal?.addEventListener('abort', cancel, { once: true })
      // Runs of a request with a permit share its time limit.
      const late = permit === null ? this.#timer(() => search) : undefined
      const stopListening = (): void => {
        clearTimeout(late)
        permit?.runs.delete(search)
        signal?.removeEventListener('abort', cancel)
      }
      const isFree = permit !== null || !needsPermit(request)
      const account = this.#accounts.of(caller)
      const isSeveral = request.kind === 'searches' || request.kind === 'federated'
      const claim = { account, isLarge: isLarge(request), isSeveral }
      const waiter = isFree ? null : this.#waiterOf(() => search, claim)
      // Member by member: spreading `claim` gave each request a hidden class of its own, 0.05 ms.
      const search: PendingSearch = {
        account,
        isLarge: claim.isLarge,
        isSeveral,
        views,
        request,
        resolve,
        reject,
        stopListening,
        waiter,
        hasPermit: false,
        isCanceled: false,
        waitsSince: 0,
        fault: null,
        crashes: 0,
      }
      permit?.runs.add(search)
      this.#begin(search)
    })
  }

  #begin(search: PendingSearch): void {
    const { waiter, account, isSeveral } = search
    if (!search.isLarge) this.#accounts.noteSmall(account, isSeveral)
    if (waiter === null) this.#dispatcher.enqueue(search)
    else {
      this.#acquiring.add(search)
      this.#semaphore.acquire(waiter)
    }
    this.#dispatcher.dispatch()
  }

  #timer(search: () => PendingSearch): NodeJS.Timeout {
    const late = setTimeout(() => {
      this.#dropped++
      const one = search()
      one.fault = this.#tooMany()
      this.#cancel(one)
    }, this.#options.dropAfterMs)
    return late.unref()
  }

  #waiterOf(search: () => PendingSearch, claim: SearchClaim): Waiter {
    return {
      account: claim.account,
      isHeavy: this.#turns.isHeavy(claim),
      acquired: () => {
        const one = search()
        this.#acquiring.delete(one)
        one.hasPermit = true
        this.#dispatcher.enqueue(one)
      },
      rejected: () => {
        const one = search()
        this.#acquiring.delete(one)
        this.#dispatcher.end(one, () => one.reject(this.#tooMany()))
      },
    }
  }

  /** Cancels a request: immediately if it waits, else at the next checkpoint of its thread. */
  #cancel(search: PendingSearch): void {
    const isRemoved = this.#dispatcher.remove(search)
    const isAcquiring = search.waiter !== null && this.#semaphore.cancel(search.waiter)
    if (isRemoved || isAcquiring) {
      this.#acquiring.delete(search)
      this.#dispatcher.noteBusy()
      this.#dispatcher.endCanceled(search)
    } else this.#dispatcher.cancelRun(search)
    this.#dispatcher.dispatch()
  }

  setRules(rules: readonly SearchRule[]): void {
    this.#threads.setRules(rules)
  }

  announce(view: ViewRef): void {
    this.#threads.announce(view)
  }

  forget(views: readonly ViewKey[], segments: readonly SegmentNo[]): void {
    this.#threads.forget(views, segments)
  }

  async close(): Promise<void> {
    this.#threads.stopWarmUp()
    const stopping = new EngineFault('internal', 'The server is stopping.')
    for (const search of this.#acquiring) {
      this.#semaphore.cancel(search.waiter!)
      this.#dispatcher.end(search, () => search.reject(stopping))
    }
    this.#acquiring.clear()
    this.#dispatcher.close(stopping)
    await this.#threads.close(stopping)
  }

  #tooMany(): EngineFault {
    const { waitingMax } = this.#options
    const words = `Too many search requests running at the same time: ${waitingMax}. Retry after 10s.`
    return new EngineFault('too_many_search_requests', words)
  }
}
