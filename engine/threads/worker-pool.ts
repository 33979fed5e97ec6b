// Worker threads of one program and their jobs: starts a thread when it is first needed, matches
// replies with jobs, cancels jobs through shared memory, ends a thread whose job takes too long,
// replaces an idle one, and reports jobs whose thread was lost.
//
// The owner decides which job goes to which slot, and when; jobs that wait for a slot stay with the
// owner, where they can still be withdrawn. A job may be answered in several messages, and a thread
// may have several jobs: it works on the oldest, the others wait in its mailbox.
import type { Worker } from 'node:worker_threads'
import { withScarcity } from '../model/index.ts'
import { CancelCells } from './cancel-cells.ts'
import { Thread } from './thread.ts'

/** Start parameters of a thread of the pool. */
export type WorkerSettings = {
  readonly name: string
  /** Passed to the thread as `workerData`. */
  readonly data: object
  /** Heap ceiling in MiB; null means that of the process. */
  readonly heapMegabytes: number | null
  /** Young heap in MiB; absent means that of the process. */
  readonly youngMegabytes?: number
  /** A worker that already runs the program; it waits for `data` as its first message. */
  readonly running?: Worker | null
}

/** When an idle thread is ended. */
export type RecyclePolicy = {
  readonly idleMs: number
  /** Applies only if the thread's load is at least this, see `addLoad`. */
  readonly loadMin: number
  /** Idle milliseconds after which a thread with a smaller load is ended; absent: never. */
  readonly lightIdleMs?: number
  /** Returns whether the idle thread may stay, although its load is large; absent: it may not. */
  readonly mayStay?: () => boolean
  /** Whether another thread starts in its place immediately, so that the next job does not wait. */
  readonly startsAgain: boolean
}

export type WorkerPoolOptions<Reply> = {
  /** The program. */
  readonly file: URL
  readonly slots: number
  /** Called when the thread of a slot starts. */
  readonly settings: (slot: number) => WorkerSettings
  /** Called after the thread of a slot was started, before its first job. */
  readonly onStart?: (slot: number) => void
  /**
   * Whether a message means that the thread is ready for jobs. If absent, a new thread is ready.
   */
  readonly isReady?: (reply: Reply) => boolean
  /** Called when a thread has become ready. */
  readonly onReady?: (slot: number) => void
  /** Returns the job that a reply belongs to; if absent, the oldest job of the thread. */
  readonly jobOf?: (reply: Reply) => number
  /** Returns whether no more replies to the job follow; if absent, each job has one reply. */
  readonly isLast?: (reply: Reply) => boolean
  /**
   * Number of jobs of a slot that can be canceled at a time, and of further words of the shared
   * memory.
   */
  readonly cells?: { readonly jobs: number; readonly more: number }
  /** Milliseconds after which the thread is ended if its oldest job has not finished. */
  readonly jobMsMax?: number
  /** Returns the policy of a slot; if absent, threads are never recycled. */
  readonly recycle?: (slot: number) => RecyclePolicy | null
  /** Number of crashes after which a job fails; 1 if absent: a job is never tried again. */
  readonly crashesMax?: number
  /**
   * Milliseconds during which a slot accepts no job after its threads ended `crashesMax` times
   * without a reply in between; then `onRestart` is called. If absent, a thread is started whenever
   * there is a job.
   */
  readonly restartPauseMs?: number
  readonly onRestart?: (slot: number) => void
  /**
   * Called when a thread ended by itself, before its jobs are lost. `wasReady`: it had been ready.
   */
  readonly onCrash?: (slot: number, error: Error, wasReady: boolean) => void
  /** Called if a thread could not be ended. */
  readonly report?: (message: string, error: unknown) => void
}

/** A job from the pool's side; its owner keeps the object across attempts. */
export type PoolJob<Reply> = {
  /** Number of threads that ended while they worked on it: counted by the pool. */
  crashes: number
  /**
   * Set by the owner when it canceled the job and does not wait for it: the job keeps its place
   * until it is answered, and is not blamed when its thread ends.
   */
  isWithdrawn?: boolean
  /** Called for each reply. Before the last reply, the job is removed from the thread. */
  readonly onReply: (reply: Reply) => void
  /**
   * Called when the job has lost its thread: the thread ended by itself, or the job took too long
   * (`JobTookTooLong`), or the pool was closed. `mayRetry`: the owner may submit it again.
   */
  readonly onLost: (error: Error, mayRetry: boolean) => void
}

export class JobTookTooLong extends Error {
  override readonly name = 'JobTookTooLong'
  readonly msMax: number

  constructor(msMax: number) {
    super(`a job takes at most ${msMax} ms`)
    this.msMax = msMax
  }
}

type Slot<Message, Reply> = {
  readonly number: number
  thread: Thread<Message, Reply> | null
  isReady: boolean
  /** The jobs by number, the oldest first. */
  jobs: Map<number, PoolJob<Reply>>
  /** Estimated bytes that the thread has processed. */
  load: number
  /** Number of times the thread ended since the last reply. */
  crashes: number
  /** Ends the thread after its oldest job's time limit, or when idle. */
  timer: NodeJS.Timeout | null
}

export class WorkerPool<Message, Reply> {
  readonly #options: WorkerPoolOptions<Reply>
  readonly #slots: readonly Slot<Message, Reply>[]
  readonly #cells: CancelCells
  /** Threads that are being terminated. */
  readonly #ending = new Set<Promise<void>>()
  #nextJob = 1
  /** The error for jobs after the pool was closed; null while it is open. */
  #closedWith: Error | null = null

  constructor(options: WorkerPoolOptions<Reply>) {
    this.#options = options
    const { slots, cells = { jobs: 0, more: 0 } } = options
    this.#cells = new CancelCells(slots, cells.jobs, cells.more)
    this.#slots = Array.from({ length: slots }, (_, number) => {
      const [load, crashes] = [0, 0]
      const jobs = new Map<number, PoolJob<Reply>>()
      return { number, thread: null, isReady: false, jobs, load, crashes, timer: null }
    })
  }

  /** Shared with all threads: the cells of canceled jobs, then the further words. */
  get shared(): Int32Array {
    return this.#cells.words
  }

  isStarted(slot: number): boolean {
    return this.#slots[slot]!.thread !== null
  }

  isReady(slot: number): boolean {
    return this.#slots[slot]!.isReady
  }

  /** Returns false while the slot is paused because its threads keep crashing. */
  canRun(slot: number): boolean {
    const { restartPauseMs } = this.#options
    const { thread, crashes } = this.#slots[slot]!
    return thread !== null || restartPauseMs === undefined || crashes < this.#crashesMax
  }

  /** Returns how often threads of the slot ended since the last reply. */
  crashesOf(slot: number): number {
    return this.#slots[slot]!.crashes
  }

  jobsOf(slot: number): number {
    return this.#slots[slot]!.jobs.size
  }

  /** Starts the thread of a slot if it has none. */
  start(slot: number): void {
    if (this.#closedWith === null) this.#threadOf(this.#slots[slot]!)
  }

  /**
   * Submits a job to the thread of a slot, which is started if necessary. `messageOf` receives the
   * number of the job, which is unique and is returned. `transfer`: buffers to move.
   */
  give(
    slot: number,
    job: PoolJob<Reply>,
    messageOf: (number: number) => Message,
    transfer: readonly ArrayBuffer[] = [],
  ): number {
    const number = this.#nextJob++
    if (this.#closedWith !== null) {
      job.onLost(this.#closedWith, false)
      return number
    }
    const given = this.#slots[slot]!
    const thread = this.#threadOf(given)
    given.jobs.set(number, job)
    if (given.jobs.size === 1) this.#beginOldest(given)
    thread.post(messageOf(number), transfer)
    return number
  }

  /** Sends a message to the thread of a slot, if there is one. */
  post(slot: number, message: Message, transfer: readonly ArrayBuffer[] = []): void {
    this.#slots[slot]!.thread?.post(message, transfer)
  }

  postToAll(message: Message): void {
    for (const { thread } of this.#slots) thread?.post(message)
  }

  /** Cancels a job: its thread sees this when it reads the shared memory. */
  cancel(slot: number, job: number): void {
    const { jobs } = this.#slots[slot]!
    this.#cells.set(slot, job, (held) => jobs.has(held))
  }

  /** Forgets a job; replies to it are ignored. */
  drop(slot: number, job: number): void {
    const from = this.#slots[slot]!
    const [oldest] = from.jobs.keys()
    if (!from.jobs.delete(job)) return
    if (from.jobs.size === 0) this.#recycleLater(from)
    else if (oldest === job) this.#beginOldest(from)
  }

  /** Adds to the estimated bytes that the thread of a slot has processed. */
  addLoad(slot: number, bytes: number): void {
    this.#slots[slot]!.load += bytes
  }

  /** Raises the load of a slot to at least `bytes`. */
  raiseLoad(slot: number, bytes: number): void {
    const raised = this.#slots[slot]!
    raised.load = Math.max(raised.load, bytes)
  }

  /** Terminates all threads. Their jobs, and jobs submitted later, are lost with `error`. */
  async close(error: Error): Promise<void> {
    this.#closedWith = error
    for (const slot of this.#slots) {
      const jobs = [...slot.jobs.values()]
      this.#endThread(slot)
      for (const job of jobs) job.onLost(error, false)
    }
    await Promise.all(this.#ending)
  }

  get #crashesMax(): number {
    return this.#options.crashesMax ?? 1
  }

  #threadOf(slot: Slot<Message, Reply>): Thread<Message, Reply> {
    if (slot.thread !== null) return slot.thread
    const { file, settings, isReady, onStart } = this.#options
    slot.isReady = isReady === undefined
    slot.load = 0
    slot.thread = new Thread<Message, Reply>({
      file,
      ...settings(slot.number),
      onMessage: (reply, thread) => {
        if (slot.thread === thread) this.#reply(slot, reply)
      },
      onCrash: (error, thread) => {
        if (slot.thread === thread) this.#crashed(slot, error)
      },
    })
    if (slot.isReady && slot.jobs.size === 0) this.#recycleLater(slot)
    onStart?.(slot.number)
    return slot.thread
  }

  #reply(slot: Slot<Message, Reply>, reply: Reply): void {
    const { isReady, onReady, jobOf, isLast } = this.#options
    if (isReady?.(reply) === true) {
      slot.isReady = true
      if (slot.jobs.size === 0) this.#recycleLater(slot)
      onReady?.(slot.number)
      return
    }
    const [oldest] = slot.jobs.keys()
    const number = jobOf === undefined ? oldest : jobOf(reply)
    const job = number === undefined ? undefined : slot.jobs.get(number)
    if (number === undefined || job === undefined) return
    slot.crashes = 0
    if (isLast === undefined || isLast(reply)) this.drop(slot.number, number)
    job.onReply(reply)
  }

  /** Starts the time limit of the job that is the oldest now. */
  #beginOldest(slot: Slot<Message, Reply>): void {
    this.#stopTimer(slot)
    const { jobMsMax } = this.#options
    if (jobMsMax === undefined) return
    const tookTooLong = (): void => {
      const jobs = [...slot.jobs.values()]
      this.#endThread(slot)
      const error = new JobTookTooLong(jobMsMax)
      for (const [i, job] of jobs.entries()) job.onLost(error, i > 0)
    }
    slot.timer = setTimeout(tookTooLong, jobMsMax).unref()
  }

  #recycleLater(slot: Slot<Message, Reply>): void {
    this.#stopTimer(slot)
    const policy = this.#options.recycle?.(slot.number) ?? null
    if (policy === null || this.#closedWith !== null) return
    const idleMs = slot.load < policy.loadMin ? policy.lightIdleMs : policy.idleMs
    if (idleMs === undefined) return
    const recycle = (): void => {
      if (policy.mayStay?.() === true) return
      this.#endThread(slot)
      if (policy.startsAgain) this.start(slot.number)
    }
    slot.timer = setTimeout(recycle, idleMs).unref()
  }

  #crashed(slot: Slot<Message, Reply>, failure: Error): void {
    const error = withScarcity(failure) as Error
    const { onCrash, restartPauseMs, onRestart } = this.#options
    const { isReady } = slot
    const jobs = [...slot.jobs.values()]
    this.#forget(slot)
    slot.crashes++
    onCrash?.(slot.number, error, isReady)
    if (restartPauseMs !== undefined && slot.crashes >= this.#crashesMax) {
      const restart = (): void => {
        slot.crashes = 0
        onRestart?.(slot.number)
      }
      setTimeout(restart, restartPauseMs).unref()
    }
    // The thread worked on the oldest job; those in its mailbox are not blamed.
    const oldest = jobs.find(({ isWithdrawn }) => isWithdrawn !== true)
    if (oldest !== undefined) oldest.crashes++
    for (const job of jobs) job.onLost(error, job.crashes < this.#crashesMax)
  }

  /** Terminates the thread; the caller handles its jobs. */
  #endThread(slot: Slot<Message, Reply>): void {
    const { thread } = slot
    this.#forget(slot)
    if (thread === null) return
    const ending: Promise<void> = thread
      .stop()
      .catch((error: unknown) => {
        this.#options.report?.(`The thread ${thread.name} did not end.`, error)
      })
      .finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
  }

  #forget(slot: Slot<Message, Reply>): void {
    this.#stopTimer(slot)
    slot.thread = null
    slot.isReady = false
    slot.jobs = new Map()
  }

  #stopTimer(slot: Slot<Message, Reply>): void {
    if (slot.timer !== null) clearTimeout(slot.timer)
    slot.timer = null
  }
}
