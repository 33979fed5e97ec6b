// The search threads as the main thread sees them: which request runs where, what waits, what is
// called off.
//
// A thread works on one request and has one more in its mailbox while others wait, so that it does
// not stand still between two. Everything else waits here, where it can still be called off or
// turned away.
import type { Worker } from 'node:worker_threads'
import { EngineFault, fromWire } from '../errors.ts'
import type { SearchRule } from '../rules/index.ts'
import type { ViewRef } from '../segments/index.ts'
import { Thread } from '../threads/index.ts'
import { SearchCanceled } from './control.ts'
import type {
  JobRequest,
  SearchMessage,
  SearchReply,
  SearchThreadData,
  ViewKey,
  ViewsRequest,
} from './protocol.ts'
import { JOBS_PER_THREAD } from './protocol.ts'

export type SearchPoolOptions = {
  readonly file: URL
  /** A thread of that file which was started ahead, without data. */
  readonly first: Worker | null
  readonly root: string
  readonly threads: number
  /** Requests that may wait; beyond that a random one of them is turned away. */
  readonly waitingMax: number
  /** Requests that count as running; those a thread has no room for yet are kept here. */
  readonly runningMax: number
  /** A request is given up when it has waited and run for so long. */
  readonly dropAfterMs: number
  readonly blockBytesMax: number
  readonly report: (message: string, error: unknown) => void
}

/** A view that a request is about; given back when the request has ended. */
export type LeasedView = { readonly ref: ViewRef; readonly release: () => void }

/** Whatever answers searches: threads, or in tests the core in place. */
export interface Searching {
  /** Takes over the lease. @throws EngineFault, StorageError (as a rejection) */
  run(view: LeasedView, request: JobRequest, signal: AbortSignal | null): Promise<Uint8Array>
  /** The same over several views at once. */
  runOver(
    views: readonly LeasedView[],
    request: ViewsRequest,
    signal: AbortSignal | null,
  ): Promise<Uint8Array>
  /** The active rules in their order; they count for whatever is asked from now on. */
  setRules(rules: readonly SearchRule[]): void
  /** Nobody asks about these any more. */
  forget(views: readonly ViewKey[], segments: readonly number[]): void
  close(): Promise<void>
}

type Waiting = {
  readonly views: readonly LeasedView[]
  readonly request: JobRequest | ViewsRequest
  readonly resolve: (bytes: Uint8Array) => void
  readonly reject: (error: Error) => void
  readonly stopListening: () => void
  /** Why it was called off; null: its client has gone. */
  fault: EngineFault | null
  /** Threads that ended while they worked on it. */
  crashes: number
}

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
  readonly #waiting: Waiting[] = []
  #rules: readonly SearchRule[] = []
  #nextJob = 1
  #closed = false
  #first: Worker | null

  constructor(options: SearchPoolOptions) {
    this.#first = options.first
    this.#options = options
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

  run(view: LeasedView, request: JobRequest, signal: AbortSignal | null): Promise<Uint8Array> {
    return this.#run([view], request, signal)
  }

  runOver(
    views: readonly LeasedView[],
    request: ViewsRequest,
    signal: AbortSignal | null,
  ): Promise<Uint8Array> {
    return this.#run(views, request, signal)
  }

  #run(
    views: readonly LeasedView[],
    request: JobRequest | ViewsRequest,
    signal: AbortSignal | null,
  ): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        for (const { release } of views) release()
        reject(new SearchCanceled())
        return
      }
      const cancel = (): void => this.#cancel(waiting)
      signal?.addEventListener('abort', cancel, { once: true })
      const late = setTimeout(() => {
        waiting.fault = this.#tooMany()
        cancel()
      }, this.#options.dropAfterMs)
      late.unref()
      const stopListening = (): void => {
        clearTimeout(late)
        signal?.removeEventListener('abort', cancel)
      }
      const waiting: Waiting = {
        ...{ views, request, resolve, reject, stopListening },
        ...{ fault: null, crashes: 0 },
      }
      this.#waiting.push(waiting)
      this.#turnAway()
      this.#dispatch()
    })
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
    for (const waiting of this.#waiting.splice(0)) this.#end(waiting, () => waiting.reject(gone))
    for (const slot of this.#slots) {
      for (const waiting of slot.jobs.values()) this.#end(waiting, () => waiting.reject(gone))
      slot.jobs.clear()
      await slot.thread?.stop()
    }
  }

  /** Makes room: of all that wait, a random one goes, so that no client is always the one. */
  #turnAway(): void {
    const { waitingMax, runningMax } = this.#options
    const atThreads = this.#slots.length * JOBS_PER_THREAD
    if (this.#waiting.length <= waitingMax + Math.max(0, runningMax - atThreads)) return
    const [victim] = this.#waiting.splice(Math.floor(Math.random() * this.#waiting.length), 1)
    this.#end(victim!, () => victim!.reject(this.#tooMany()))
  }

  #tooMany(): EngineFault {
    const { waitingMax } = this.#options
    const words = `Too many search requests running at the same time: ${waitingMax}. Retry after 10s.`
    return new EngineFault('too_many_search_requests', words)
  }

  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const slot = this.#freeSlot()
      if (slot === null) return
      this.#give(slot, this.#waiting.shift()!)
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
    this.#end(waiting, () => {
      if (reply.kind === 'answer') waiting.resolve(reply.bytes)
      else if (reply.kind === 'failed') waiting.reject(fromWire(reply.error))
      else waiting.reject(waiting.fault ?? new SearchCanceled())
    })
    this.#dispatch()
  }

  #end(waiting: Waiting, settle: () => void): void {
    waiting.stopListening()
    for (const { release } of waiting.views) release()
    settle()
  }

  /** Calls a request off: at once when it waits, else as soon as its thread looks up. */
  #cancel(waiting: Waiting): void {
    const at = this.#waiting.indexOf(waiting)
    if (at >= 0) {
      this.#waiting.splice(at, 1)
      this.#end(waiting, () => waiting.reject(waiting.fault ?? new SearchCanceled()))
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
      if (waiting.crashes < CRASHES_MAX) this.#waiting.unshift(waiting)
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

/** A request as a thread gets it. */
export function jobOf(
  views: readonly LeasedView[],
  request: JobRequest | ViewsRequest,
  job: number,
): SearchMessage {
  const keys = views.map(({ ref: { index, sequence } }): ViewKey => ({ index, sequence }))
  return request.kind === 'federated' || request.kind === 'searches'
    ? { ...request, job, views: keys }
    : { ...request, job, view: keys[0]! }
}

const keyOf = ({ index, sequence }: ViewKey): string => `${index}:${sequence}`
