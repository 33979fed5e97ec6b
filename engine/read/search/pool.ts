// The search threads as the main thread sees them: which request runs where, what waits, what is
// called off.
//
// A thread works on one request and has one more in its mailbox while others wait, so that it does
// not stand still between two. Everything else waits here, where it can still be called off. How
// many may run at once, and who is turned away, is the business of `permits.ts`.
//
// Which of them is next, and which running one has to end for it, is the business of `turns.ts`.
// It is one file because all of it is about the same few lists.
import type { Worker } from 'node:worker_threads'
import { Canceled, EngineFault, fromWire } from '../../model/index.ts'
import { SEARCH_YOUNG_MEGABYTES, Thread } from '../../threads/index.ts'
import type { SearchRule } from '../rules/index.ts'
import { type Account, Accounts, type CallerId, NO_CALLER } from './accounts.ts'
import { LOOK_MS, SLICE_MS } from './limits.ts'
import { type Applicant, Permits } from './permits.ts'
import type {
  JobRequest,
  SearchMessage,
  SearchReply,
  SearchThreadData,
  ViewKey,
  ViewsRequest,
} from './protocol.ts'
import { hurriedCell } from './protocol.ts'
import {
  type Admission,
  jobOf,
  type LeasedView,
  needsPermit,
  type Searching,
  type SearchLoad,
} from './searching.ts'
import { isLarge } from './size.ts'
import { JOBS_PER_THREAD, type SearchClaim, Turns } from './turns.ts'

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
  readonly account: Account
  readonly isLarge: boolean
  readonly isSeveral: boolean
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
  /** Of those, jobs that were taken back: their answers count for nothing. */
  readonly moved: Set<number>
  /** When the job that it works on began. */
  since: number
  /** The job that was told to end for others; 0: none. */
  told: number
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
  readonly #accounts = new Accounts(() => performance.now())
  readonly #turns = new Turns(this.#accounts, () => performance.now())
  #looking: NodeJS.Timeout | null = null
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
    this.#canceled = new Int32Array(
      new SharedArrayBuffer(4 * (JOBS_PER_THREAD + 1) * options.threads),
    )
    this.#slots = Array.from({ length: options.threads }, (_, number) => ({
      number,
      thread: null,
      jobs: new Map(),
      moved: new Set(),
      since: 0,
      told: 0,
      known: new Set(),
      crashes: 0,
    }))
  }

  /** Starts the first thread; the others start one ahead of those at work. */
  start(): void {
    this.#startThread(this.#slots[0]!)
  }

  get load(): SearchLoad {
    const { running, waiting, turnedAway } = this.#permits
    const { waitingMax } = this.#options
    const [dropped, degraded] = [this.#dropped, this.#degraded]
    return { waitingMax, running, waiting, turnedAway, dropped, degraded }
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
        // So many searches that they take several parts: more than anybody looks at.
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
      // What was admitted has its time as a whole.
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
      const waiting: Waiting = {
        ...claim,
        views,
        request,
        resolve,
        reject,
        stopListening,
        applicant,
        isAdmitted: false,
        fault: null,
        crashes: 0,
      }
      if (!waiting.isLarge) this.#accounts.noteSmall(account, isSeveral)
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

  #applicantOf(waiting: () => Waiting, claim: SearchClaim): Applicant {
    return {
      account: claim.account,
      isHeavy: this.#turns.isHeavy(claim),
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
      for (const [job, waiting] of slot.jobs) {
        if (!slot.moved.has(job)) this.#end(waiting, () => waiting.reject(gone))
      }
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
      const slot = this.#turns.roomiest(this.#slots.filter(canRun))
      const next = slot === null ? -1 : this.#turns.next(slot, this.#slots, this.#ready)
      if (slot === null || next < 0) return
      this.#give(slot, this.#ready.splice(next, 1)[0]!)
    }
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
    if (slot.jobs.size === 0) slot.since = performance.now()
    slot.jobs.set(job, waiting)
    this.#accounts.served(waiting.account)
    slot.thread?.post(jobOf(waiting.views, waiting.request, job))
    this.#looking ??= setTimeout(() => this.#look(), LOOK_MS).unref()
    this.#startAhead()
  }

  /**
   * One thread more than are at work: a start takes 50 ms of a processor, and half a second of time
   * where heavy searches use the processors.
   */
  #startAhead(): void {
    if (this.#slots.some(({ thread, jobs }) => thread !== null && jobs.size === 0)) return
    const next = this.#slots.find(({ thread, crashes }) => thread === null && crashes === 0)
    if (next !== undefined) this.#startThread(next)
  }

  /** Looks at what the threads work on, again and again as long as they do. */
  #look(): void {
    this.#looking = null
    if (this.#closed) return
    const now = performance.now()
    for (const slot of this.#slots) {
      const ms = now - slot.since
      const [job] = slot.jobs.keys()
      if (job === undefined || slot.moved.has(job) || ms < SLICE_MS) continue
      this.#takeBack(slot, job)
    }
    this.#dispatch()
    this.#hurry()
    if (this.#slots.some(({ jobs }) => jobs.size > 0)) {
      this.#looking ??= setTimeout(() => this.#look(), LOOK_MS).unref()
    }
  }

  /** What lies in the mailbox behind a heavy job goes where there is room. */
  #takeBack(slot: Slot, running: number): void {
    for (const [job, waiting] of slot.jobs) {
      if (job === running || slot.moved.has(job)) continue
      this.#callOff(slot, job)
      slot.moved.add(job)
      this.#ready.unshift(waiting)
    }
  }

  /** Some search waits and no thread is free for it: one of another caller is to end. */
  #hurry(): void {
    const slot =
      this.#turns.toEnd(this.#slots, this.#ready) ?? this.#turns.toEnd(this.#slots, this.#applying)
    if (slot === null) return
    const [job] = slot.jobs.keys()
    slot.told = job!
    Atomics.store(this.#canceled, hurriedCell(this.#canceled, slot.number), job!)
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
    const now = performance.now()
    slot.jobs.delete(reply.job)
    slot.crashes = 0
    if (slot.moved.delete(reply.job)) {
      slot.since = now
      this.#dispatch()
      return
    }
    this.#accounts.charge(waiting.account, now - slot.since)
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

  /** Whoever is admitted in its place stands in line: `#dispatch` is to follow. */
  #end(waiting: Waiting, settle: () => void): void {
    waiting.stopListening()
    for (const { release } of waiting.views) release()
    if (waiting.isAdmitted) this.#permits.giveBack(waiting.applicant!)
    settle()
  }

  /** Calls a request off: at once when it waits, else as soon as its thread looks up. */
  #cancel(waiting: Waiting): void {
    const at = this.#ready.indexOf(waiting)
    const applies = waiting.applicant !== null && this.#permits.withdraw(waiting.applicant)
    if (at >= 0 || applies) {
      if (at >= 0) this.#ready.splice(at, 1)
      this.#applying.delete(waiting)
      this.#end(waiting, () => waiting.reject(waiting.fault ?? new Canceled()))
      this.#dispatch()
      return
    }
    for (const slot of this.#slots) {
      for (const [job, other] of slot.jobs) {
        if (other === waiting && !slot.moved.has(job)) this.#callOff(slot, job)
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
    for (const [job, waiting] of slot.jobs) {
      if (slot.moved.has(job)) continue
      if (isFirst) waiting.crashes++
      isFirst = false
      if (waiting.crashes < CRASHES_MAX) this.#ready.unshift(waiting)
      else this.#end(waiting, () => waiting.reject(error))
    }
    slot.jobs.clear()
    slot.moved.clear()
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

/** A thread that ended again and again is not given anything until it is started anew. */
const canRun = ({ crashes, thread }: Slot): boolean => crashes < CRASHES_MAX || thread !== null

const keyOf = ({ index, sequence }: ViewKey): string => `${index}:${sequence}`
