// Worker threads of one program and the jobs they are at: starts a thread when it is first needed,
// takes replies to their jobs, calls jobs off through shared memory, ends a thread whose job takes
// too long, replaces one that rests, and says what becomes of jobs whose thread was lost.
//
// The owner decides which job goes to which slot, and when; what waits for a slot waits with its
// owner, where it can still be withdrawn. A job may be answered in several messages, and a thread
// may have several jobs: the oldest is the one it works on, the others lie in its mailbox.
import type { Worker } from 'node:worker_threads'
import { CancelCells } from './cancel-cells.ts'
import { Thread } from './thread.ts'

/** What a thread of the pool is started with. */
export type WorkerSettings = {
  readonly name: string
  /** Given to the thread as `workerData`. */
  readonly data: object
  /** Heap ceiling in MiB; null: that of the process. */
  readonly heapMegabytes: number | null
  /** Room for short-lived objects in MiB; that of the process when absent. */
  readonly youngMegabytes?: number
  /** A worker of the program that runs already; it waits for `data` as its first message. */
  readonly running?: Worker | null
}

/** When a thread that has nothing to do is ended. */
export type RecyclePolicy = {
  readonly idleMs: number
  /** Only if so much has gone through it, see `addLoad`. */
  readonly loadMin: number
  /** When it is ended although less has gone through it; absent: never. */
  readonly lightIdleMs?: number
  /** Whether another one starts in its place at once, so that the next job need not wait. */
  readonly startsAgain: boolean
}

export type WorkerPoolOptions<Reply> = {
  /** The program. */
  readonly file: URL
  readonly slots: number
  /** Called when the thread of a slot starts. */
  readonly settings: (slot: number) => WorkerSettings
  /** Called when the thread of a slot was started, before it is given anything. */
  readonly onStart?: (slot: number) => void
  /** Whether a message says that the thread is ready for jobs. Without it a thread is at once. */
  readonly isReady?: (reply: Reply) => boolean
  /** Called when a thread has become ready. */
  readonly onReady?: (slot: number) => void
  /** The job that a reply is for; without it, the oldest of the thread. */
  readonly jobOf?: (reply: Reply) => number
  /** Whether no more replies to the job follow; without it, every reply is the only one. */
  readonly isLast?: (reply: Reply) => boolean
  /** Jobs of a slot that can be called off at a time, and further words of the shared memory. */
  readonly cells?: { readonly jobs: number; readonly more: number }
  /** The thread is ended when its oldest job takes longer. */
  readonly jobMsMax?: number
  /** By slot; without it a thread stays. */
  readonly recycle?: (slot: number) => RecyclePolicy | null
  /** How often a thread may end under a job before that fails; 1, if absent: never tried again. */
  readonly crashesMax?: number
  /**
   * A slot whose threads ended `crashesMax` times without a reply in between takes no job for so
   * long; then `onRestart` is called. Without it a thread is started whenever there is a job.
   */
  readonly restartPauseMs?: number
  readonly onRestart?: (slot: number) => void
  /**
   * A thread ended by itself. Called before its jobs are lost. `wasReady`: it had been ready.
   */
  readonly onCrash?: (slot: number, error: Error, wasReady: boolean) => void
  /** A thread could not be ended. */
  readonly report?: (message: string, error: unknown) => void
}

/** A job as the pool sees it; its owner keeps it across attempts. */
export type PoolJob<Reply> = {
  /** Threads that ended while they worked on it: counted by the pool. */
  crashes: number
  /**
   * Set by the owner when it called the job off and does not wait for it: it holds its place until
   * it is answered, and is not to blame when its thread ends.
   */
  isWithdrawn?: boolean
  /** With the last reply, the thread does not have the job any more. */
  readonly onReply: (reply: Reply) => void
  /**
   * The job has no thread any more: it ended, by itself or because the job took too long
   * (`JobTookTooLong`), or the pool was closed. `mayRetry`: it may be given again.
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
  /** By number, the oldest first. */
  jobs: Map<number, PoolJob<Reply>>
  /** About how much went through the thread since it began, in bytes. */
  load: number
  /** Ends without an answer in between. */
  crashes: number
  /** Ends the thread: of its oldest job, or of idleness. */
  timer: NodeJS.Timeout | null
}

export class WorkerPool<Message, Reply> {
  readonly #options: WorkerPoolOptions<Reply>
  readonly #slots: readonly Slot<Message, Reply>[]
  readonly #cells: CancelCells
  /** Threads on their way out. */
  readonly #ending = new Set<Promise<void>>()
  #nextJob = 1
  /** What jobs are refused with once it is closed. */
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

  /** Shared with all threads: cells of jobs that are called off, then the further words. */
  get shared(): Int32Array {
    return this.#cells.words
  }

  isStarted(slot: number): boolean {
    return this.#slots[slot]!.thread !== null
  }

  isReady(slot: number): boolean {
    return this.#slots[slot]!.isReady
  }

  /** Whether a job may be given to it: not while a slot whose threads keep ending is paused. */
  canRun(slot: number): boolean {
    const { restartPauseMs } = this.#options
    const { thread, crashes } = this.#slots[slot]!
    return thread !== null || restartPauseMs === undefined || crashes < this.#crashesMax
  }

  /** How often its threads ended since the last answer. */
  crashesOf(slot: number): number {
    return this.#slots[slot]!.crashes
  }

  /** How many jobs it has. */
  jobsOf(slot: number): number {
    return this.#slots[slot]!.jobs.size
  }

  /** Starts the thread of a slot unless it has one. */
  start(slot: number): void {
    if (this.#closedWith === null) this.#threadOf(this.#slots[slot]!)
  }

  /**
   * Hands a job over, to a thread that is started if need be. `messageOf` is given the number of
   * the job, never used twice, which is returned. `transfer`: memory that goes along.
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

  /** A message to the thread of a slot, if there is one. */
  post(slot: number, message: Message, transfer: readonly ArrayBuffer[] = []): void {
    this.#slots[slot]!.thread?.post(message, transfer)
  }

  postToAll(message: Message): void {
    for (const { thread } of this.#slots) thread?.post(message)
  }

  /** The thread will see that the job is to be given up when it looks at the shared memory. */
  callOff(slot: number, job: number): void {
    const { jobs } = this.#slots[slot]!
    this.#cells.set(slot, job, (held) => jobs.has(held))
  }

  /** A job that is not answered any more. */
  drop(slot: number, job: number): void {
    const from = this.#slots[slot]!
    const [oldest] = from.jobs.keys()
    if (!from.jobs.delete(job)) return
    if (from.jobs.size === 0) this.#recycleLater(from)
    else if (oldest === job) this.#beginOldest(from)
  }

  /** So many bytes more, about, have gone through the thread of a slot. */
  addLoad(slot: number, bytes: number): void {
    this.#slots[slot]!.load += bytes
  }

  /** So many bytes, about, have gone through it, at least. */
  raiseLoad(slot: number, bytes: number): void {
    const raised = this.#slots[slot]!
    raised.load = Math.max(raised.load, bytes)
  }

  /** Ends all threads wherever they are. Their jobs, and those to come, are lost with the error. */
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

  /** The thread begins with the job that is the oldest now. */
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
      this.#endThread(slot)
      if (policy.startsAgain) this.start(slot.number)
    }
    slot.timer = setTimeout(recycle, idleMs).unref()
  }

  #crashed(slot: Slot<Message, Reply>, error: Error): void {
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
    // The oldest is the one it worked on; those in its mailbox are not to blame.
    const oldest = jobs.find(({ isWithdrawn }) => isWithdrawn !== true)
    if (oldest !== undefined) oldest.crashes++
    for (const job of jobs) job.onLost(error, job.crashes < this.#crashesMax)
  }

  /** Ends the thread wherever it is; its jobs are the caller's. */
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
