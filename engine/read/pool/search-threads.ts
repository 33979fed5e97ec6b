// The threads that search: which views each of them has, when it is started, and what it prepares
// ahead. The pool of `engine/threads` starts, ends and pauses threads; `reserve.ts` decides when
// the last thread works.
import { performance } from 'node:perf_hooks'
import type { Worker } from 'node:worker_threads'
import type { SegmentNo } from '../../../format/ids.ts'
import { forgetThread, newKernelMemory } from '../../../format/kernel/index.ts'
import { noteIndexSize, SEARCH_YOUNG_MEGABYTES, searchHeapMegabytes } from '../../runtime/index.ts'
import { documentsOf, type ViewRef } from '../../store/views/index.ts'
import { type PoolJob, WorkerPool } from '../../threads/index.ts'
import {
  AHEAD_MS,
  ANNOUNCED_MS,
  JOBS_PER_THREAD,
  preemptionCell,
  RESERVE_WARM_MS,
  type SearchMessage,
  type SearchReply,
  type SearchThreadData,
  type ViewKey,
} from '../jobs/index.ts'
import type { SearchRule } from '../search-rules/index.ts'
import { HeldBytes } from './cache-memory.ts'
import { newSlot, type Run, type Slot } from './pending-search.ts'
import type { SearchPoolOptions } from './pool-options.ts'
import { Reserve } from './reserve.ts'
import { jobOf } from './searching.ts'
import { WarmUp, warmUpJob } from './warm-up.ts'

/** A request whose thread ended is tried once more. */
const CRASHES_MAX = 2
/** A thread that ended this often without an answer is restarted only after a pause. */
const RESTART_PAUSE_MS = 1000

export type ThreadEvents = {
  /** Returns true if a request waits for a thread. */
  readonly isBehind: () => boolean
  /** A thread has ended; its requests are returned right afterwards. */
  readonly crashed: () => void
  /** A thread that was paused may be used again. */
  readonly restarted: () => void
}

export class SearchThreads {
  readonly slots: readonly Slot[]
  readonly reserve: Reserve
  readonly held: HeldBytes
  readonly #options: SearchPoolOptions
  readonly #events: ThreadEvents
  readonly #pool: WorkerPool<SearchMessage, SearchReply>
  /** Memory of the kernel, shared by all threads. */
  readonly #kernelMemory = newKernelMemory()
  readonly #warmUp: WarmUp | null
  #startingAhead: NodeJS.Timeout | null = null
  #rules: readonly SearchRule[] = []
  #first: Worker | null

  constructor(options: SearchPoolOptions, events: ThreadEvents) {
    const { first, threads, keepsReserve, warmUpMs } = options
    this.#options = options
    this.#events = events
    this.#first = first
    this.held = new HeldBytes(threads)
    this.reserve = new Reserve(keepsReserve && threads > 1, threads, {
      now: () => performance.now(),
      mainBusy: () => performance.eventLoopUtilization().active,
    })
    this.#pool = this.#newPool()
    this.#warmUp = warmUpMs > 0 ? this.#newWarmUp(options) : null
    this.slots = Array.from({ length: threads }, (_, number) => newSlot(number))
  }

  #newWarmUp({ threads, warmUpMs, isIndexing }: SearchPoolOptions): WarmUp {
    // The running piece; its thread always sends a reply.
    let running = { slot: 0, job: 0 }
    return new WarmUp({
      threads,
      msMax: (slot) => (this.isReserve(slot) ? Math.min(RESERVE_WARM_MS, warmUpMs) : warmUpMs),
      isIdle: () =>
        !isIndexing() &&
        !this.#events.isBehind() &&
        this.slots.every(({ jobs }) => jobs.size === 0),
      isStarted: (slot) => this.#pool.isStarted(slot),
      run: (slot, ref, piece) =>
        new Promise((resolve) => {
          this.#show(this.slots[slot]!, ref)
          const onReply = ({ kind }: SearchReply) => resolve(kind === 'answer' ? 'done' : 'ended')
          const onLost = (): void => resolve('ended')
          const one: PoolJob<SearchReply> = { crashes: 0, isWithdrawn: true, onReply, onLost }
          const job = this.#pool.give(slot, one, (number) => warmUpJob(number, ref, piece))
          running = { slot, job }
        }),
      interrupt: () => this.#pool.cancel(running.slot, running.job),
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
        const held = this.held.shared
        const data: SearchThreadData = { root, thread: slot, shared, kernelMemory, caches, held }
        const running = this.#first
        this.#first = null
        const heapMegabytes = searchHeapMegabytes()
        const youngMegabytes = SEARCH_YOUNG_MEGABYTES
        return { name: `search-${slot}`, data, heapMegabytes, youngMegabytes, running }
      },
      onStart: (slot) => {
        this.slots[slot]!.sentViews.clear()
        this.slots[slot]!.searchedAt = Number.NEGATIVE_INFINITY
        const rules = this.#rules
        if (rules.length > 0) this.#pool.post(slot, { kind: 'rules', rules })
        this.#warmUp?.started(slot)
      },
      jobOf: ({ job }) => job,
      // After the cells of canceled jobs, one cell for each thread names its preempted job.
      cells: { jobs: JOBS_PER_THREAD, more: threads },
      crashesMax: CRASHES_MAX,
      restartPauseMs: RESTART_PAUSE_MS,
      onRestart: () => this.#events.restarted(),
      onCrash: (slot, error) => {
        report('A search thread ended and is started again.', error)
        this.slots[slot]!.jobs.clear()
        forgetThread(this.#kernelMemory, slot)
        this.held.forget(slot)
        this.#events.crashed()
      },
      report,
    })
  }

  /** Starts the first thread; further threads are started when all running ones are busy. */
  start(): void {
    this.#pool.start(0)
  }

  /** Returns the threads that may get a request now. */
  usable(): Slot[] {
    const usable = this.slots.filter(({ number }) => this.#pool.canRun(number))
    // The thread in reserve works if it is the only one that can.
    if (usable.length > 1 && this.isReserve(usable.at(-1)!.number) && !this.reserve.isOpen)
      usable.pop()
    return usable
  }

  isReserve(slot: number): boolean {
    return this.reserve.isKept && slot === this.#options.threads - 1
  }

  /** Sends a request to a thread, with the views that the thread lacks. */
  give(slot: Slot, run: Run): void {
    this.#warmUp?.touch()
    const { views, request } = run.search
    for (const { ref } of views) this.#show(slot, ref)
    slot.searchedIndex = views[0]?.ref.index ?? 0
    slot.searchedAt = performance.now()
    if (slot.jobs.size === 0) slot.since = performance.now()
    const number = this.#pool.give(slot.number, run, (job) => jobOf(views, request, job))
    slot.jobs.set(number, run)
    this.#startAhead()
  }

  /** Cancels a request of a thread, which ends it at its next checkpoint or does not start it. */
  cancel(slot: Slot, job: number): void {
    this.#pool.cancel(slot.number, job)
  }

  /** Orders the running request of a thread to end at its next checkpoint, because others wait. */
  preempt(slot: Slot): void {
    const [job] = slot.jobs.keys()
    slot.preemptedJob = job!
    const { shared } = this.#pool
    Atomics.store(shared, preemptionCell(shared, slot.number), job!)
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
   * Starts one thread more than are busy, after a delay: a start competes with searches for the
   * processors. The first answer after a start of the server is sent before it.
   */
  #startAhead(): void {
    const isStarted = ({ number }: Slot): boolean => this.#pool.isStarted(number)
    if (this.slots.some((slot) => slot.jobs.size === 0 && isStarted(slot))) return
    this.#startingAhead ??= setTimeout(() => {
      this.#startingAhead = null
      const isWanted = (slot: Slot): boolean =>
        this.#pool.crashesOf(slot.number) === 0 &&
        !(this.isReserve(slot.number) && this.reserve.isCold)
      const next = this.slots.find((slot) => !isStarted(slot) && isWanted(slot))
      if (next !== undefined) this.#pool.start(next.number)
    }, AHEAD_MS).unref()
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
    for (const slot of this.slots) {
      if (slot.searchedIndex !== view.index || slot.searchedAt < since) continue
      slot.sentViews.add(keyOf(view))
      this.#pool.post(slot.number, { kind: 'view', view, isAhead: true })
    }
  }

  forget(views: readonly ViewKey[], segments: readonly SegmentNo[]): void {
    this.#warmUp?.retired(views)
    for (const slot of this.slots) {
      const known = views.filter((view) => slot.sentViews.delete(keyOf(view)))
      if (known.length === 0 && segments.length === 0) continue
      this.#pool.post(slot.number, { kind: 'forget', views: known, segments })
    }
  }

  /** Prepares nothing further; what runs goes on. */
  stopWarmUp(): void {
    this.#warmUp?.close()
  }

  async close(reason: Error): Promise<void> {
    await this.#pool.close(reason)
    for (const { jobs } of this.slots) jobs.clear()
  }
}

const keyOf = ({ index, sequence }: ViewKey): string => `${index}:${sequence}`
