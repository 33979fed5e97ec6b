// The search threads as seen from the main thread: assigns requests to threads, queues them and
// cancels them.
//
// A thread works on one request and may hold one more in its mailbox, so that it does not idle
// between two requests. All other requests wait here, where they can still be canceled.
// `permits.ts` decides how many run and which are refused; `turns.ts` decides which is next, and
// which running one has to end for it. The pool of `engine/threads` starts, ends and pauses
// threads; `reserve.ts` decides when the last thread works. This is one file because all of it
// works on the same few lists (`pool-lists.ts`).
import { performance } from 'node:perf_hooks'
import type { Worker } from 'node:worker_threads'
import { forgetThread, newKernelMemory } from '../../../format/kernel/index.ts'
import { Canceled, EngineFault, fromWire } from '../../model/index.ts'
import { documentsOf, type ViewRef } from '../../store/views/index.ts'
import {
  noteIndexSize,
  type PoolJob,
  SEARCH_YOUNG_MEGABYTES,
  searchHeapMegabytes,
  WorkerPool,
} from '../../threads/index.ts'
import {
  AHEAD_MS,
  ANNOUNCED_MS,
  CHECK_INTERVAL_MS,
  hurriedCell,
  isLarge,
  JOBS_PER_THREAD,
  type JobRequest,
  RESERVE_WARM_MS,
  type SearchMessage,
  type SearchReply,
  type SearchThreadData,
  SLICE_MS,
  type ViewKey,
  type ViewsRequest,
} from '../jobs/index.ts'
import type { SearchRule } from '../rules/index.ts'
import { Accounts, type CallerId, NO_CALLER } from './accounts.ts'
import { BusyShare } from './busy-share.ts'
import { type Applicant, Permits } from './permits.ts'
import { type Admitted, newSlot, type Run, type Slot, type Waiting } from './pool-lists.ts'
import type { SearchPoolOptions } from './pool-options.ts'
import { Reserve } from './reserve.ts'
import {
  type Admission,
  jobOf,
  type LeasedView,
  needsPermit,
  type Searching,
  type SearchLoad,
} from './searching.ts'
import { type SearchClaim, Turns } from './turns.ts'
import { WarmUp, warmUpJob } from './warm-up.ts'

/** A request whose thread ended is tried once more. */
const CRASHES_MAX = 2
/** A thread that ended this often without an answer is restarted only after a pause. */
const RESTART_PAUSE_MS = 1000

export class SearchPool implements Searching {
  readonly #options: SearchPoolOptions
  readonly #pool: WorkerPool<SearchMessage, SearchReply>
  readonly #slots: Slot[]
  /** Memory of the kernel, shared by all threads. */
  readonly #kernelMemory = newKernelMemory()
  readonly #permits: Permits
  readonly #accounts = new Accounts(() => performance.now())
  readonly #turns = new Turns(this.#accounts, () => performance.now())
  readonly #busy: BusyShare
  readonly #reserve: Reserve
  #nextCheck: NodeJS.Timeout | null = null
  #startingAhead: NodeJS.Timeout | null = null
  readonly #warmUp: WarmUp | null
  /** Requests that may run and wait for a thread, in order. */
  readonly #ready: Waiting[] = []
  /** Requests that wait for a permit. */
  readonly #applying = new Set<Waiting>()
  #dropped = 0
  #degraded = 0
  #rules: readonly SearchRule[] = []
  #closed = false
  #first: Worker | null

  constructor(options: SearchPoolOptions) {
    this.#first = options.first
    this.#options = options
    const { runningMax, waitingMax } = options
    this.#permits = new Permits({ runningMax, waitingMax, random: Math.random })
    this.#busy = new BusyShare(options.threads, () => performance.now())
    const { threads, keepsReserve } = options
    this.#reserve = new Reserve(keepsReserve && threads > 1, threads, {
      now: () => performance.now(),
      mainBusy: () => performance.eventLoopUtilization().active,
    })
    this.#pool = this.#newPool()
    this.#warmUp = options.warmUpMs > 0 ? this.#newWarmUp(options) : null
    this.#slots = Array.from({ length: options.threads }, (_, number) => newSlot(number))
  }

  #newWarmUp({ threads, warmUpMs, isIndexing }: SearchPoolOptions): WarmUp {
    // The running piece; its thread always sends a reply.
    let running = { slot: 0, job: 0 }
    return new WarmUp({
      threads,
      msMax: (slot) => (this.#isReserve(slot) ? Math.min(RESERVE_WARM_MS, warmUpMs) : warmUpMs),
      isIdle: () =>
        !isIndexing() && !this.isBehind && this.#slots.every(({ jobs }) => jobs.size === 0),
      isStarted: (slot) => this.#pool.isStarted(slot),
      run: (slot, ref, piece) =>
        new Promise((resolve) => {
          this.#show(this.#slots[slot]!, ref)
          const onReply = ({ kind }: SearchReply) => resolve(kind === 'answer' ? 'done' : 'ended')
          const onLost = (): void => resolve('ended')
          const one: PoolJob<SearchReply> = { crashes: 0, isWithdrawn: true, onReply, onLost }
          const job = this.#pool.give(slot, one, (number) => warmUpJob(number, ref, piece))
          running = { slot, job }
        }),
      interrupt: () => this.#pool.callOff(running.slot, running.job),
      now: () => performance.now(),
    })
  }

  #newPool(): WorkerPool<SearchMessage, SearchReply> {
    const { file, root, threads, caches, report } = this.#options
    return new WorkerPool<SearchMessage, SearchReply>({
      file,
      slots: threads,
      settings: (slot) => {
        const shared = this.#pool.shared.buffer as SharedArrayBuffer
        const kernelMemory = this.#kernelMemory
        const data: SearchThreadData = { root, thread: slot, shared, kernelMemory, caches }
        const running = this.#first
        this.#first = null
        const heapMegabytes = searchHeapMegabytes()
        const youngMegabytes = SEARCH_YOUNG_MEGABYTES
        return { name: `search-${slot}`, data, heapMegabytes, youngMegabytes, running }
      },
      onStart: (slot) => {
        this.#slots[slot]!.sentViews.clear()
        this.#slots[slot]!.searchedAt = Number.NEGATIVE_INFINITY
        const rules = this.#rules
        if (rules.length > 0) this.#pool.post(slot, { kind: 'rules', rules })
        this.#warmUp?.started(slot)
      },
      jobOf: ({ job }) => job,
      // After the cells of canceled jobs, one cell for each thread names the job that has to end
      // for others.
      cells: { jobs: JOBS_PER_THREAD, more: threads },
      crashesMax: CRASHES_MAX,
      restartPauseMs: RESTART_PAUSE_MS,
      onRestart: () => this.#dispatch(),
      onCrash: (slot, error) => {
        report('A search thread ended and is started again.', error)
        this.#slots[slot]!.jobs.clear()
        this.#noteBusy()
        forgetThread(this.#kernelMemory, slot)
        // After the pool has returned all jobs of the thread.
        queueMicrotask(() => this.#dispatch())
      },
      report,
    })
  }

  /** Starts the first thread; further threads are started when all running ones are busy. */
  start(): void {
    this.#pool.start(0)
  }

  get load(): SearchLoad {
    const { running, waiting, turnedAway } = this.#permits
    const { waitingMax } = this.#options
    const [dropped, degraded] = [this.#dropped, this.#degraded]
    return { waitingMax, running, waiting, turnedAway, dropped, degraded }
  }

  get busyShare(): number {
    return this.#busy.share
  }

  /** Requests that run or wait for a thread. */
  get #outstanding(): number {
    return this.#slots.reduce((count, { jobs }) => count + jobs.size, this.#ready.length)
  }

  /** Counts the thread in reserve as busy, too, if a request waits that it could run. */
  #noteBusy(): void {
    this.#busy.note(Math.min(this.#outstanding, this.#slots.length))
  }

  get isBehind(): boolean {
    return this.#permits.waiting > 0 || this.#outstanding > this.#slots.length
  }

  admit(signal: AbortSignal | null, caller = NO_CALLER): Promise<Admission> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(new Canceled())
      const stop = (): void => {
        clearTimeout(late)
        signal?.removeEventListener('abort', cancel)
      }
      const leave = (): void => {
        stop()
        this.#permits.giveBack(applicant)
        this.#dispatch()
      }
      const admitted: Admitted = { leave, runs: new Set(), isLate: false }
      const giveUp = (error: Error): boolean => {
        if (!this.#permits.withdraw(applicant)) return false
        stop()
        reject(error)
        return true
      }
      // Once it is admitted, its runs listen to the signal themselves.
      const cancel = (): void => void giveUp(new Canceled())
      const late = setTimeout(() => {
        this.#dropped++
        if (!giveUp(this.#tooMany())) this.#callLate(admitted)
      }, this.#options.dropAfterMs)
      late.unref()
      const applicant: Applicant = {
        account: this.#accounts.of(caller),
        // A request with several parts has more searches than a person reads.
        isHeavy: true,
        admitted: () => resolve(admitted),
        turnedAway: () => {
          stop()
          reject(this.#tooMany())
        },
      }
      signal?.addEventListener('abort', cancel, { once: true })
      this.#permits.apply(applicant)
    })
  }

  #callLate(admitted: Admitted): void {
    admitted.isLate = true
    for (const waiting of admitted.runs) {
      waiting.fault = this.#tooMany()
      this.#cancel(waiting)
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
    admission: Admission | null = null,
    caller = NO_CALLER,
  ): Promise<Uint8Array> {
    return this.#run(views, request, signal, admission as Admitted | null, caller)
  }

  #run(
    views: readonly LeasedView[],
    request: JobRequest | ViewsRequest,
    signal: AbortSignal | null,
    admitted: Admitted | null,
    caller: CallerId,
  ): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true || admitted?.isLate === true) {
        for (const { release } of views) release()
        reject(admitted?.isLate === true ? this.#tooMany() : new Canceled())
        return
      }
      const cancel = (): void => this.#cancel(waiting)
      signal?.addEventListener('abort', cancel, { once: true })
      // Runs of an admitted request share its time limit.
      const late = admitted === null ? this.#timer(() => waiting) : undefined
      const stopListening = (): void => {
        clearTimeout(late)
        admitted?.runs.delete(waiting)
        signal?.removeEventListener('abort', cancel)
      }
      const isFree = admitted !== null || !needsPermit(request)
      const account = this.#accounts.of(caller)
      const isSeveral = request.kind === 'searches' || request.kind === 'federated'
      const claim = { account, isLarge: isLarge(request), isSeveral }
      const applicant = isFree ? null : this.#applicantOf(() => waiting, claim)
      // Member by member: spreading `claim` gave each request a hidden class of its own, 0.05 ms.
      const waiting: Waiting = {
        account,
        isLarge: claim.isLarge,
        isSeveral,
        views,
        request,
        resolve,
        reject,
        stopListening,
        applicant,
        isAdmitted: false,
        isCanceled: false,
        waitsSince: 0,
        fault: null,
        crashes: 0,
      }
      if (!waiting.isLarge) this.#accounts.noteSmall(account, isSeveral)
      admitted?.runs.add(waiting)
      if (applicant === null) this.#enqueue(waiting)
      else {
        this.#applying.add(waiting)
        this.#permits.apply(applicant)
      }
      this.#dispatch()
    })
  }

  #enqueue(waiting: Waiting): void {
    waiting.waitsSince = performance.now()
    this.#ready.push(waiting)
    if (this.#reserve.isKept && this.#turns.isHeavy(waiting)) this.#reserve.open()
    this.#noteBusy()
  }

  #timer(waiting: () => Waiting): NodeJS.Timeout {
    const late = setTimeout(() => {
      this.#dropped++
      const one = waiting()
      one.fault = this.#tooMany()
      this.#cancel(one)
    }, this.#options.dropAfterMs)
    return late.unref()
  }

  #applicantOf(waiting: () => Waiting, claim: SearchClaim): Applicant {
    return {
      account: claim.account,
      isHeavy: this.#turns.isHeavy(claim),
      admitted: () => {
        const admitted = waiting()
        this.#applying.delete(admitted)
        admitted.isAdmitted = true
        this.#enqueue(admitted)
      },
      turnedAway: () => {
        const refused = waiting()
        this.#applying.delete(refused)
        this.#end(refused, () => refused.reject(this.#tooMany()))
      },
    }
  }

  setRules(rules: readonly SearchRule[]): void {
    this.#rules = rules
    this.#pool.postToAll({ kind: 'rules', rules })
  }

  /**
   * Threads that have searched the index recently prepare the view immediately, so that its first
   * searches need not. Other threads would do it in vain.
   */
  announce(view: ViewRef): void {
    noteIndexSize(documentsOf(view))
    this.#warmUp?.published(view)
    const since = performance.now() - ANNOUNCED_MS
    for (const slot of this.#slots) {
      if (slot.searchedIndex !== view.index || slot.searchedAt < since) continue
      slot.sentViews.add(keyOf(view))
      this.#pool.post(slot.number, { kind: 'view', view, isAhead: true })
    }
  }

  forget(views: readonly ViewKey[], segments: readonly number[]): void {
    this.#warmUp?.retired(views)
    for (const slot of this.#slots) {
      const known = views.filter((view) => slot.sentViews.delete(keyOf(view)))
      if (known.length === 0 && segments.length === 0) continue
      this.#pool.post(slot.number, { kind: 'forget', views: known, segments })
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#warmUp?.close()
    const stopping = new EngineFault('internal', 'The server is stopping.')
    for (const waiting of this.#applying) {
      this.#permits.withdraw(waiting.applicant!)
      this.#end(waiting, () => waiting.reject(stopping))
    }
    this.#applying.clear()
    for (const waiting of this.#ready.splice(0)) this.#end(waiting, () => waiting.reject(stopping))
    await this.#pool.close(stopping)
    for (const { jobs } of this.#slots) jobs.clear()
  }

  #tooMany(): EngineFault {
    const { waitingMax } = this.#options
    const words = `Too many search requests running at the same time: ${waitingMax}. Retry after 10s.`
    return new EngineFault('too_many_search_requests', words)
  }

  #dispatch(): void {
    while (this.#ready.length > 0) {
      const slot = this.#turns.roomiest(this.#usableSlots())
      const next = slot === null ? -1 : this.#turns.next(slot, this.#slots, this.#ready)
      if (slot === null || next < 0) return
      this.#give(slot, this.#ready.splice(next, 1)[0]!)
    }
  }

  #usableSlots(): Slot[] {
    const usable = this.#slots.filter(({ number }) => this.#pool.canRun(number))
    // The thread in reserve works if it is the only one that can.
    if (usable.length > 1 && this.#isReserve(usable.at(-1)!.number) && !this.#reserve.isOpen)
      usable.pop()
    return usable
  }

  #isReserve(slot: number): boolean {
    return this.#reserve.isKept && slot === this.#options.threads - 1
  }

  #give(slot: Slot, waiting: Waiting): void {
    this.#warmUp?.touch()
    for (const { ref } of waiting.views) this.#show(slot, ref)
    slot.searchedIndex = waiting.views[0]?.ref.index ?? 0
    slot.searchedAt = performance.now()
    const { account, isLarge, isSeveral, views, request, crashes } = waiting
    const run: Run = {
      account,
      isLarge,
      isSeveral,
      waiting,
      crashes,
      isWithdrawn: false,
      onReply: (reply) => this.#reply(slot, run, reply),
      onLost: (error, mayRetry) => this.#lost(run, error, mayRetry),
    }
    if (slot.jobs.size === 0) slot.since = performance.now()
    const number = this.#pool.give(slot.number, run, (job) => jobOf(views, request, job))
    slot.jobs.set(number, run)
    this.#accounts.served(account)
    this.#nextCheck ??= setTimeout(() => this.#check(), CHECK_INTERVAL_MS).unref()
    this.#startAhead()
  }

  /** Sends a view to the thread of a slot, which is started if necessary. */
  #show(slot: Slot, view: ViewRef): void {
    this.#pool.start(slot.number)
    const key = keyOf(view)
    if (slot.sentViews.has(key)) return
    slot.sentViews.add(key)
    this.#pool.post(slot.number, { kind: 'view', view, isAhead: false })
  }

  /**
   * Starts one thread more than are busy, after a delay: a start takes 50 ms of a processor, and
   * half a second of time while heavy searches use the processors. The first answer after a start
   * of the server is sent before it.
   */
  #startAhead(): void {
    const isStarted = ({ number }: Slot): boolean => this.#pool.isStarted(number)
    if (this.#slots.some((slot) => slot.jobs.size === 0 && isStarted(slot))) return
    this.#startingAhead ??= setTimeout(() => {
      this.#startingAhead = null
      const isWanted = (slot: Slot): boolean =>
        this.#pool.crashesOf(slot.number) === 0 &&
        !(this.#isReserve(slot.number) && this.#reserve.isCold)
      const next = this.#slots.find((slot) => !isStarted(slot) && isWanted(slot))
      if (next !== undefined) this.#pool.start(next.number)
    }, AHEAD_MS).unref()
  }

  /** Checks the work of the threads at intervals while they have any. */
  #check(): void {
    this.#nextCheck = null
    if (this.#closed) return
    const now = performance.now()
    const sliceMs = this.#needsReserve(now) ? this.#reserve.waitMs : SLICE_MS
    for (const slot of this.#slots) {
      const [oldest] = slot.jobs.values()
      if (oldest === undefined || oldest.isWithdrawn || now - slot.since < sliceMs) continue
      this.#takeBack(slot, oldest)
    }
    this.#dispatch()
    this.#hurry()
    if (this.#slots.some(({ jobs }) => jobs.size > 0)) {
      this.#nextCheck ??= setTimeout(() => this.#check(), CHECK_INTERVAL_MS).unref()
    }
  }

  /** Opens the reserve if a search has waited for long; returns whether it has. */
  #needsReserve(now: number): boolean {
    if (this.#reserve.isOpen) return false
    const isLate = (since: number): boolean => now - since >= this.#reserve.waitMs
    const isBehindLong = ({ jobs, since }: Slot): boolean => jobs.size > 1 && isLate(since)
    const waits = this.#ready.some((one) => isLate(one.waitsSince))
    if (!waits && !this.#slots.some(isBehindLong)) return false
    this.#reserve.open()
    return true
  }

  /** Moves requests in the mailbox behind a heavy job back to the queue. */
  #takeBack(slot: Slot, running: Run): void {
    for (const [job, run] of slot.jobs) {
      if (run === running || run.isWithdrawn) continue
      this.#pool.callOff(slot.number, job)
      run.isWithdrawn = true
      this.#ready.unshift(run.waiting)
    }
  }

  /** If a search waits and no thread is free for it, orders a search of another caller to end. */
  #hurry(): void {
    const slot =
      this.#turns.toEnd(this.#slots, this.#ready) ?? this.#turns.toEnd(this.#slots, this.#applying)
    if (slot === null) return
    const [job] = slot.jobs.keys()
    slot.hurriedJob = job!
    const { shared } = this.#pool
    Atomics.store(shared, hurriedCell(shared, slot.number), job!)
  }

  #reply(slot: Slot, run: Run, reply: SearchReply): void {
    const { waiting } = run
    const now = performance.now()
    slot.jobs.delete(reply.job)
    this.#noteBusy()
    if (run.isWithdrawn) {
      slot.since = now
      this.#dispatch()
      return
    }
    this.#accounts.charge(waiting.account, now - slot.since)
    if (!this.#isReserve(slot.number)) this.#reserve.worked(now - slot.since)
    const { account, isSeveral } = waiting
    if (!waiting.isLarge) this.#accounts.learn(account, now - slot.since, isSeveral)
    slot.since = now
    if (reply.kind === 'answer' && reply.degraded) this.#degraded++
    this.#end(waiting, () => {
      if (reply.kind === 'answer') waiting.resolve(reply.bytes)
      else if (reply.kind === 'failed') waiting.reject(fromWire(reply.error))
      else waiting.reject(waiting.fault ?? new Canceled())
    })
    this.#dispatch()
  }

  /** May admit another request in its place; the caller has to call `#dispatch` afterwards. */
  #end(waiting: Waiting, settle: () => void): void {
    waiting.stopListening()
    for (const { release } of waiting.views) release()
    if (waiting.isAdmitted) this.#permits.giveBack(waiting.applicant!)
    settle()
  }

  /** Cancels a request: immediately if it waits, else at the next checkpoint of its thread. */
  #cancel(waiting: Waiting): void {
    const at = this.#ready.indexOf(waiting)
    const applies = waiting.applicant !== null && this.#permits.withdraw(waiting.applicant)
    if (at >= 0 || applies) {
      if (at >= 0) this.#ready.splice(at, 1)
      this.#applying.delete(waiting)
      this.#noteBusy()
      this.#endCanceled(waiting)
      this.#dispatch()
      return
    }
    for (const slot of this.#slots) {
      const [running] = slot.jobs.values()
      for (const [job, run] of slot.jobs) {
        if (run.waiting !== waiting || run.isWithdrawn) continue
        this.#pool.callOff(slot.number, job)
        waiting.isCanceled = true
        if (run === running) continue
        // Its reply would come after that of the running job.
        run.isWithdrawn = true
        this.#endCanceled(waiting)
      }
    }
    this.#dispatch()
  }

  #endCanceled(waiting: Waiting): void {
    this.#end(waiting, () => waiting.reject(waiting.fault ?? new Canceled()))
  }

  #lost({ waiting, crashes, isWithdrawn }: Run, error: Error, mayRetry: boolean): void {
    if (isWithdrawn) return
    waiting.crashes = crashes
    if (waiting.isCanceled) this.#endCanceled(waiting)
    else if (mayRetry) this.#ready.unshift(waiting)
    else this.#end(waiting, () => waiting.reject(error))
  }
}

const keyOf = ({ index, sequence }: ViewKey): string => `${index}:${sequence}`
