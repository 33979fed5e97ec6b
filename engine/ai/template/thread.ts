// Runs templates of clients in a separate thread, one request at a time, so that no template blocks
// the main thread. The thread starts with the first request. It is terminated when a request takes
// too long, and ended when it is idle for a while.
import { EngineFault } from '../../model/index.ts'
import { JobTookTooLong, type PoolJob, WorkerPool } from '../../threads/index.ts'
import { TemplateFault } from './fault.ts'
import { faultOutcome, runTemplateJob, type TemplateJob, type TemplateOutcome } from './job.ts'
import {
  IDLE_MS,
  THREAD_HEAP_MEGABYTES,
  THREAD_MS_MAX,
  WAITING_LENGTH_MAX,
  WAITING_MAX,
} from './limits.ts'
import { sizeOfInput, sizeOfSource } from './size.ts'

export interface Templates {
  /**
   * Parses and renders. A request whose `signal` is aborted leaves the queue.
   * @throws EngineFault too_many_search_requests
   */
  run(job: TemplateJob, options?: TemplateRunOptions): Promise<TemplateOutcome>
  close(): Promise<void>
}

export type TemplateRunOptions = {
  readonly signal?: AbortSignal
  /** Work of the engine itself: runs before that of clients and is never refused. */
  readonly isOurs?: boolean
}

/** Runs templates inline, for tests and tools without threads. */
export const templatesInPlace: Templates = {
  run: async (job) => {
    const length = lengthOf(job)
    return typeof length === 'number' ? runTemplateJob(job) : length
  },
  close: async () => undefined,
}

export type TemplateReply =
  /** The thread has loaded the library. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'outcome'; readonly outcome: TemplateOutcome }
  /** A programming error. */
  | { readonly kind: 'failed'; readonly message: string }

type Waiting = {
  readonly job: TemplateJob
  readonly length: number
  readonly resolve: (outcome: TemplateOutcome) => void
  readonly reject: (error: Error) => void
  readonly stopListening: () => void
}

type Times = { readonly threadMsMax: number; readonly idleMs: number }
/** There is one thread. */
const SLOT = 0
const TIMES: Times = { threadMsMax: THREAD_MS_MAX, idleMs: IDLE_MS }

export class TemplateThread implements Templates {
  readonly #pool: WorkerPool<TemplateJob, TemplateReply>
  readonly #waiting: Waiting[] = []
  #waitingLength = 0
  #isRunning = false

  /** `file`: the script of the thread. */
  constructor(file: URL, times: Times = TIMES) {
    const recycle = { idleMs: times.idleMs, loadMin: 0, startsAgain: false }
    this.#pool = new WorkerPool<TemplateJob, TemplateReply>({
      file,
      slots: 1,
      settings: () => ({ name: 'template', data: {}, heapMegabytes: THREAD_HEAP_MEGABYTES }),
      isReady: ({ kind }) => kind === 'ready',
      onReady: () => this.#next(),
      jobMsMax: times.threadMsMax,
      recycle: () => recycle,
      onCrash: (_, error, wasReady) => this.#crashed(error, wasReady),
    })
  }

  async run(
    job: TemplateJob,
    { signal, isOurs }: TemplateRunOptions = {},
  ): Promise<TemplateOutcome> {
    const length = lengthOf(job)
    if (typeof length !== 'number') return length
    const isFull =
      this.#waiting.length >= WAITING_MAX || this.#waitingLength + length > WAITING_LENGTH_MAX
    if (isFull && !isOurs) {
      const message = 'Too many requests wait for their templates to be rendered. Retry later.'
      throw new EngineFault('too_many_search_requests', message)
    }
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        if (!this.#remove(waiting)) return
        reject(new Error('the client has gone before its templates were rendered'))
      }
      const stopListening = (): void => signal?.removeEventListener('abort', giveUp)
      const waiting: Waiting = { job, length, resolve, reject, stopListening }
      signal?.addEventListener('abort', giveUp, { once: true })
      if (isOurs) this.#waiting.unshift(waiting)
      else this.#waiting.push(waiting)
      this.#waitingLength += length
      this.#next()
    })
  }

  async close(): Promise<void> {
    const error = new Error('the engine is closing')
    this.#rejectWaiting(error)
    await this.#pool.close(error)
  }

  /** Removes a waiting request; returns false if it no longer waits. */
  #remove(waiting: Waiting): boolean {
    const at = this.#waiting.indexOf(waiting)
    if (at < 0) return false
    this.#waiting.splice(at, 1)
    this.#waitingLength -= waiting.length
    waiting.stopListening()
    return true
  }

  #rejectWaiting(error: Error): void {
    for (const waiting of [...this.#waiting]) {
      this.#remove(waiting)
      waiting.reject(error)
    }
  }

  #next(): void {
    const [waiting] = this.#waiting
    if (this.#isRunning || waiting === undefined) return
    this.#pool.start(SLOT)
    if (!this.#pool.isReady(SLOT)) return
    this.#remove(waiting)
    this.#isRunning = true
    const job: PoolJob<TemplateReply> = {
      crashes: 0,
      onReply: (reply) => {
        if (reply.kind === 'outcome') waiting.resolve(reply.outcome)
        else if (reply.kind === 'failed') waiting.reject(new Error(reply.message))
        this.#ended()
      },
      onLost: (error) => {
        const words = limitExceeded(error)
        if (words === null) waiting.reject(error)
        else waiting.resolve(faultOutcome({ kind: 'rendering', words }))
        this.#ended()
      },
    }
    this.#pool.give(SLOT, job, () => waiting.job)
  }

  #ended(): void {
    this.#isRunning = false
    this.#next()
  }

  #crashed(error: Error, wasReady: boolean): void {
    // If a thread fails at its start, the next one would fail as well.
    if (!wasReady) this.#rejectWaiting(error)
    this.#next()
  }
}

/** Describes the limit that a job of a crashed thread exceeded, or returns null. */
function limitExceeded(error: Error): string | null {
  if (error instanceof JobTookTooLong) {
    return `the templates of a request take at most ${error.msMax} ms\n`
  }
  if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') return null
  return `the templates of a request use at most ${THREAD_HEAP_MEGABYTES} MiB\n`
}

/**
 * Returns the memory that a waiting job takes, in characters and bytes, or the outcome of a job
 * that is too large to run.
 */
function lengthOf({ source, input }: TemplateJob): number | TemplateOutcome {
  try {
    const length = sizeOfSource(source)
    if (input === null) return length
    return length + (input.kind === 'stored' ? input.json.length : sizeOfInput(input))
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error
    return faultOutcome(error)
  }
}
