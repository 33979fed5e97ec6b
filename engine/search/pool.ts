// The search threads as the main thread sees them: which request runs where, what waits, what is
// called off.
//
// A thread works on one request and has one more in its mailbox while others wait, so that it does
// not stand still between two. Everything else waits here, where it can still be called off. How
// many may run at once, and who is turned away, is the business of `permits.ts`.
// It is one file because all of it is about the same few lists.
import type { Worker } from 'node:worker_threads'
import { EngineFault, fromWire } from '../errors.ts'
import type { SearchRule } from '../rules/index.ts'
import { SEARCH_YOUNG_MEGABYTES, Thread } from '../threads/index.ts'
import { SearchCanceled } from './control.ts'
import { type Applicant, Permits } from './permits.ts'
import type {
  JobRequest,
  SearchMessage,
  SearchReply,
  SearchThreadData,
  ViewKey,
  ViewsRequest,
} from './protocol.ts'
import { JOBS_PER_THREAD } from './protocol.ts'
import {
  type Admission,
  jobOf,
  type LeasedView,
  needsPermit,
  type Searching,
  type SearchLoad,
} from './searching.ts'

export type SearchPoolOptions = {
  readonly file: URL
  /** A thread of that file which was started ahead, without data. */
  readonly first: Worker | null
  readonly root: string
  readonly threads: number
  /** Searches that may wait; beyond that a random one of them is turned away. */
  readonly waitingMax: number
  /** Searches that count as running; those a thread has no room for yet are kept here. */
  readonly runningMax: number
  /** A request is given up when it has waited and run for so long. */
  readonly dropAfterMs: number
  readonly blockBytesMax: number
  readonly report: (message: string, error: unknown) => void
}

type Waiting = {
  readonly views: readonly LeasedView[]
  readonly request: JobRequest | ViewsRequest
  readonly resolve: (bytes: Uint8Array) => void
  readonly reject: (error: Error) => void
  readonly stopListening: () => void
  /** null: it needs no permit. */
  readonly applicant: Applicant | null
  isAdmitted: boolean
  /** Why it was called off; null: its client has gone. */
  fault: EngineFault | null
  /** Threads that ended while they worked on it. */
  crashes: number
}

/** A request of several runs, for as long as it lasts. */
type Admitted = Admission & { readonly runs: Set<Waiting>; isLate: boolean }

type Slot = {
  readonly number: number
  thread: Thread<SearchMessage, SearchReply> | null
  /** By job number. */
  readonly jobs: Map<number, Waiting>
  /** Views the thread was told of. */
  readonly known: Set<string>
  /** Ends without an answer in between. */
  crashes: number
}

/** A request on which a thread ended is tried once more. */
const CRASHES_MAX = 2
/** A thread that ended so often without answering anything is not started again for a while. */
const RESTART_PAUSE_MS = 1000

export class SearchPool implements Searching {
  readonly #options: SearchPoolOptions
  readonly #canceled: Int32Array
  readonly #slots: Slot[]
  readonly #permits: Permits
  /** Those that may run and have no thread yet, in order. */
  readonly #ready: Waiting[] = []
  /** All that wait for a permit. */
  readonly #applying = new Set<Waiting>()
  #dropped = 0
  #degraded = 0
  #rules: readonly SearchRule[] = []
  #nextJob = 1
  #closed = false
  #first: Worker | null

  constructor(options: SearchPoolOptions) {
    this.#first = options.first
    this.#options = options
    const { runningMax, waitingMax } = options
    this.#permits = new Permits({ runningMax, waitingMax, random: Math.random })
    this.#canceled = new Int32Array(new SharedArrayBuffer(4 * JOBS_PER_THREAD * options.threads))
    this.#slots = Array.from({ length: options.threads }, (_, number) => ({
      number,
      thread: null,
      jobs: new Map(),
      known: new Set(),
      crashes: 0,
    }))
  }

  /** Starts the first thread; the others start when they are needed. */
  start(): void {
    this.#startThread(this.#slots[0]!)
  }

  get load(): SearchLoad {
    const { running, waiting, turnedAway } = this.#permits
    const { waitingMax } = this.#options
    const [dropped, degraded] = [this.#dropped, this.#degraded]
    return { waitingMax, running, waiting, turnedAway, dropped, degraded }
  }

  admit(signal: AbortSignal | null): Promise<Admission> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(new SearchCanceled())
      const stop = (): void => {
        clearTimeout(late)
        signal?.removeEventListener('abort', cancel)
      }
      const leave = (): void => {
        stop()
        this.#permits.giveBack()
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
      const cancel = (): void => void giveUp(new SearchCanceled())
      const late = setTimeout(() => {
        this.#dropped++
        if (!giveUp(this.#tooMany())) this.#callLate(admitted)
      }, this.#options.dropAfterMs)
      late.unref()
      const applicant: Applicant = {
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
  ): Promise<Uint8Array> {
    return this.#run([view, ...others], request, signal, null)
  }

  runOver(
    views: readonly LeasedView[],
    request: ViewsRequest,
    signal: AbortSignal | null,
    admission: Admission | null = null,
  ): Promise<Uint8Array> {
    return this.#run(views, request, signal, admission as Admitted | null)
  }

  #run(
    views: readonly LeasedView[],
    request: JobRequest | ViewsRequest,
    signal: AbortSignal | null,
    admitted: Admitted | null,
  ): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true || admitted?.isLate === true) {
        for (const { release } of views) release()
        reject(admitted?.isLate === true ? this.#tooMany() : new SearchCanceled())
        return
      }
      const cancel = (): void => this.#cancel(waiting)
      signal?.addEventListener('abort', cancel, { once: true })
      // What was admitted has its time as a whole.
      const late = admitted === null ? this.#timer(() => waiting) : undefined
      const stopListening = (): void => {
        clearTimeout(late)
        admitted?.runs.delete(waiting)
        signal?.removeEventListener('abort', cancel)
      }
      const isFree = admitted !== null || !needsPermit(request)
      const applicant = isFree ? null : this.#applicantOf(() => waiting)
      const waiting: Waiting = {
        ...{ views, request, resolve, reject, stopListening, applicant },
        ...{ isAdmitted: false, fault: null, crashes: 0 },
      }
      admitted?.runs.add(waiting)
      if (applicant === null) this.#ready.push(waiting)
      else {
        this.#applying.add(waiting)
        this.#permits.apply(applicant)
      }
      this.#dispatch()
    })
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

  #applicantOf(waiting: () => Waiting): Applicant {
    return {
      admitted: () => {
        const admitted = waiting()
        this.#applying.delete(admitted)
        admitted.isAdmitted = true
        this.#ready.push(admitted)
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
    for (const { thread } of this.#slots) thread?.post({ kind: 'rules', rules })
  }

  forget(views: readonly ViewKey[], segments: readonly number[]): void {
    for (const slot of this.#slots) {
      const known = views.filter((view) => slot.known.delete(keyOf(view)))
      if (known.length === 0 && segments.length === 0) continue
      slot.thread?.post({ kind: 'forget', views: known, segments })
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    const gone = new EngineFault('internal', 'The server is stopping.')
    for (const waiting of this.#applying) {
      this.#permits.withdraw(waiting.applicant!)
      this.#end(waiting, () => waiting.reject(gone))
    }
    this.#applying.clear()
    for (const waiting of this.#ready.splice(0)) this.#end(waiting, () => waiting.reject(gone))
    for (const slot of this.#slots) {
      for (const waiting of slot.jobs.values()) this.#end(waiting, () => waiting.reject(gone))
      slot.jobs.clear()
      await slot.thread?.stop()
    }
  }

  #tooMany(): EngineFault {
    const { waitingMax } = this.#options
    const words = `Too many search requests running at the same time: ${waitingMax}. Retry after 10s.`
    return new EngineFault('too_many_search_requests', words)
  }

  #dispatch(): void {
    while (this.#ready.length > 0) {
      const slot = this.#freeSlot()
      if (slot === null) return
      this.#give(slot, this.#ready.shift()!)
    }
  }

  /**
   * The slot to give the next request to: an idle thread, a thread not yet started, a short
   * mailbox.
   */
  #freeSlot(): Slot | null {
    let best: Slot | null = null
    for (const slot of this.#slots) {
      if (slot.jobs.size >= JOBS_PER_THREAD) continue
      if (slot.crashes >= CRASHES_MAX && slot.thread === null) continue
      if (best === null || slot.jobs.size < best.jobs.size) best = slot
    }
    return best
  }

  #give(slot: Slot, waiting: Waiting): void {
    if (slot.thread === null) this.#startThread(slot)
    for (const { ref } of waiting.views) {
      const key = keyOf(ref)
      if (slot.known.has(key)) continue
      slot.known.add(key)
      slot.thread?.post({ kind: 'view', view: ref })
    }
    const job = this.#nextJob++
    slot.jobs.set(job, waiting)
    slot.thread?.post(jobOf(waiting.views, waiting.request, job))
  }

  #startThread(slot: Slot): void {
    const { file, root, blockBytesMax } = this.#options
    const shared = this.#canceled.buffer as SharedArrayBuffer
    const data: SearchThreadData = { root, thread: slot.number, shared, blockBytesMax }
    slot.known.clear()
    const running = this.#first
    this.#first = null
    slot.thread = new Thread<SearchMessage, SearchReply>({
      file,
      running,
      name: `search-${slot.number}`,
      data,
      heapMegabytes: null,
      youngMegabytes: SEARCH_YOUNG_MEGABYTES,
      onMessage: (reply) => this.#reply(slot, reply),
      onCrash: (error, thread) => {
        if (slot.thread === thread) this.#crashed(slot, error)
      },
    })
    if (this.#rules.length > 0) slot.thread.post({ kind: 'rules', rules: this.#rules })
  }

  #reply(slot: Slot, reply: SearchReply): void {
    if (reply.kind === 'ready') return
    const waiting = slot.jobs.get(reply.job)
    if (waiting === undefined) return
    slot.jobs.delete(reply.job)
    slot.crashes = 0
    if (reply.kind === 'answer' && reply.degraded) this.#degraded++
    this.#end(waiting, () => {
      if (reply.kind === 'answer') waiting.resolve(reply.bytes)
      else if (reply.kind === 'failed') waiting.reject(fromWire(reply.error))
      else waiting.reject(waiting.fault ?? new SearchCanceled())
    })
    this.#dispatch()
  }

  /** Whoever is admitted in its place stands in line: `#dispatch` is to follow. */
  #end(waiting: Waiting, settle: () => void): void {
    waiting.stopListening()
    for (const { release } of waiting.views) release()
    if (waiting.isAdmitted) this.#permits.giveBack()
    settle()
  }

  /** Calls a request off: at once when it waits, else as soon as its thread looks up. */
  #cancel(waiting: Waiting): void {
    const at = this.#ready.indexOf(waiting)
    const applies = waiting.applicant !== null && this.#permits.withdraw(waiting.applicant)
    if (at >= 0 || applies) {
      if (at >= 0) this.#ready.splice(at, 1)
      this.#applying.delete(waiting)
      this.#end(waiting, () => waiting.reject(waiting.fault ?? new SearchCanceled()))
      this.#dispatch()
      return
    }
    for (const slot of this.#slots) {
      for (const [job, other] of slot.jobs) {
        if (other === waiting) this.#callOff(slot, job)
      }
    }
  }

  /** A thread has a cell for each of its jobs; one that holds a job of the past is free. */
  #callOff(slot: Slot, job: number): void {
    for (let i = 0; i < JOBS_PER_THREAD; i++) {
      const cell = slot.number * JOBS_PER_THREAD + i
      const held = Atomics.load(this.#canceled, cell)
      if (held !== job && slot.jobs.has(held)) continue
      Atomics.store(this.#canceled, cell, job)
      return
    }
  }

  #crashed(slot: Slot, error: Error): void {
    if (this.#closed) return
    this.#options.report('A search thread ended and is started again.', error)
    slot.thread = null
    slot.crashes++
    // The oldest is the one it worked on; those in its mailbox are not to blame.
    let isFirst = true
    for (const waiting of slot.jobs.values()) {
      if (isFirst) waiting.crashes++
      isFirst = false
      if (waiting.crashes < CRASHES_MAX) this.#ready.unshift(waiting)
      else this.#end(waiting, () => waiting.reject(error))
    }
    slot.jobs.clear()
    if (slot.crashes >= CRASHES_MAX) {
      const restart = setTimeout(() => {
        slot.crashes = 0
        this.#dispatch()
      }, RESTART_PAUSE_MS)
      restart.unref()
    }
    this.#dispatch()
  }
}

const keyOf = ({ index, sequence }: ViewKey): string => `${index}:${sequence}`
