// Templates of clients in a thread of their own, one request at a time: no template holds up
// the main thread. The thread is started with the first request, ended when a request takes
// too long, and given up when there is nothing to do for a while.
import { EngineFault } from '../../model/index.ts'
import { Thread } from '../../threads/index.ts'
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
   * Parses and renders. A client that has gone, as `signal` tells, gives up its place.
   * @throws EngineFault too_many_search_requests
   */
  run(job: TemplateJob, options?: TemplateRunOptions): Promise<TemplateOutcome>
  close(): Promise<void>
}

export type TemplateRunOptions = {
  readonly signal?: AbortSignal
  /** Work of the engine itself: goes before that of clients and is never turned away. */
  readonly isOurs?: boolean
}

/** Where there are no threads: tests and tools. */
export const templatesInPlace: Templates = {
  run: async (job) => {
    const length = lengthOf(job)
    return typeof length === 'number' ? runTemplateJob(job) : length
  },
  close: async () => undefined,
}

export type TemplateReply =
  /** The thread has loaded what it needs. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'outcome'; readonly outcome: TemplateOutcome }
  /** A mistake of ours. */
  | { readonly kind: 'failed'; readonly message: string }

type Waiting = {
  readonly job: TemplateJob
  readonly length: number
  readonly resolve: (outcome: TemplateOutcome) => void
  readonly reject: (error: Error) => void
  readonly stopListening: () => void
}

type Times = { readonly threadMsMax: number; readonly idleMs: number }
const TIMES: Times = { threadMsMax: THREAD_MS_MAX, idleMs: IDLE_MS }

export class TemplateThread implements Templates {
  readonly #file: URL
  readonly #times: Times
  readonly #waiting: Waiting[] = []
  #waitingLength = 0
  #thread: Thread<TemplateJob, TemplateReply> | null = null
  #isReady = false
  #running: Waiting | null = null
  /** Ends the thread: of the running request, or of idleness. */
  #timer: NodeJS.Timeout | null = null
  /** Threads on their way out. */
  #stopping: Promise<void> = Promise.resolve()
  #isClosed = false

  /** `file`: what the thread runs. */
  constructor(file: URL, times: Times = TIMES) {
    this.#file = file
    this.#times = times
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
    this.#isClosed = true
    const error = new Error('the engine is closing')
    for (const waiting of [...this.#waiting]) {
      this.#remove(waiting)
      waiting.reject(error)
    }
    this.#finish()?.reject(error)
    this.#endThread()
    await this.#stopping
  }

  /** Whether it was still waiting. */
  #remove(waiting: Waiting): boolean {
    const at = this.#waiting.indexOf(waiting)
    if (at < 0) return false
    this.#waiting.splice(at, 1)
    this.#waitingLength -= waiting.length
    waiting.stopListening()
    return true
  }

  #next(): void {
    if (this.#running !== null || this.#isClosed) return
    this.#stopTimer()
    const [waiting] = this.#waiting
    if (waiting === undefined) {
      this.#startTimer(this.#times.idleMs, () => this.#endThread())
      return
    }
    this.#thread ??= this.#startThread()
    if (!this.#isReady) return
    this.#remove(waiting)
    this.#running = waiting
    this.#startTimer(this.#times.threadMsMax, () => this.#giveUpRunning())
    this.#thread.post(waiting.job)
  }

  #startThread(): Thread<TemplateJob, TemplateReply> {
    this.#isReady = false
    return new Thread<TemplateJob, TemplateReply>({
      file: this.#file,
      name: 'template',
      data: {},
      heapMegabytes: THREAD_HEAP_MEGABYTES,
      onMessage: (reply, thread) => {
        if (thread === this.#thread) this.#hear(reply)
      },
      onCrash: (error, thread) => {
        if (thread === this.#thread) this.#crashed(error)
      },
    })
  }

  #hear(reply: TemplateReply): void {
    if (reply.kind === 'ready') this.#isReady = true
    else {
      const running = this.#finish()
      if (reply.kind === 'outcome') running?.resolve(reply.outcome)
      else running?.reject(new Error(reply.message))
    }
    this.#next()
  }

  /** The thread is ended wherever it is, and the next request gets a new one. */
  #giveUpRunning(): void {
    const running = this.#finish()
    this.#endThread()
    const words = `the templates of a request take at most ${this.#times.threadMsMax} ms\n`
    running?.resolve(faultOutcome({ kind: 'rendering', words }))
    this.#next()
  }

  #crashed(error: Error): void {
    const hasBegun = this.#isReady
    this.#thread = null
    this.#isReady = false
    const running = this.#finish()
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') {
      const words = `the templates of a request use at most ${THREAD_HEAP_MEGABYTES} MiB\n`
      running?.resolve(faultOutcome({ kind: 'rendering', words }))
    } else running?.reject(error)
    // A thread that does not even start would not start for the next request either.
    if (!hasBegun) {
      for (const waiting of [...this.#waiting]) {
        this.#remove(waiting)
        waiting.reject(error)
      }
    }
    this.#next()
  }

  /** The running request, which runs no longer. */
  #finish(): Waiting | null {
    const running = this.#running
    this.#running = null
    this.#stopTimer()
    return running
  }

  #endThread(): void {
    const thread = this.#thread
    this.#thread = null
    this.#isReady = false
    this.#stopTimer()
    if (thread === null) return
    this.#stopping = Promise.all([this.#stopping, thread.stop()]).then(() => undefined)
  }

  #startTimer(ms: number, work: () => void): void {
    this.#stopTimer()
    this.#timer = setTimeout(work, ms)
    this.#timer.unref()
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }
}

/**
 * What a job keeps in memory while it waits, in characters and bytes; the outcome of one that is
 * too large to be run.
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
