// The index threads as the main thread sees them: one for batches, one for merges, one for bodies
// on their way in. A thread starts when it is first needed and is replaced when it ends unasked; a
// job it was at is tried once more.

import type { BodyFormat } from '../../model/index.ts'
import { fromWire } from '../../model/index.ts'
import { Thread } from '../../threads/index.ts'
import { JobCanceled } from './canceled.ts'
import {
  type BodyMessage,
  cancelSlot,
  type IndexJob,
  type IndexMessage,
  type IndexReply,
  type IndexThreadData,
  type JobRequest,
  type JobResult,
  SHARED_NEXT_SEGMENT,
} from './protocol.ts'

const ROLES = ['batch', 'merge', 'intake'] as const
type Role = (typeof ROLES)[number]
/**
 * Searches and the main thread come first, then bodies, then batches, then merges. Measured on two
 * cores with four clients that search without a pause: at 5 and 10 the p99 of searches while
 * documents change is 52–71 ms, at 10 and 19 it is 42–50 ms.
 */
const NICENESS: { readonly [role in Role]: number } = { batch: 10, merge: 19, intake: 5 }

export type JobHooks = {
  readonly signal: AbortSignal | null
  readonly progress: (done: number, total: number) => void
}

/** Takes a body to its file, chunk by chunk. */
export interface BodyTransfer {
  /** Resolves when more may come. @throws EngineFault, StorageError (as a rejection) */
  write(chunk: Uint8Array): Promise<void>
  finish(): Promise<{ readonly documents: number; readonly bytes: number }>
  abort(): void
}

/** Whatever builds segments: threads, or in tests the core in place. */
export interface Indexing {
  /** A number for a new segment, never given twice. */
  takeSegment(): number
  /** @throws EngineFault, StorageError, JobCanceled (as a rejection) */
  run<R extends JobRequest>(request: R, hooks: JobHooks): Promise<JobResult<R['kind']>>
  body(file: number, format: BodyFormat): BodyTransfer
  /** No view names these any more. */
  forget(segments: readonly number[]): void
  close(): Promise<void>
}

export type IndexPoolOptions = {
  readonly file: URL
  readonly root: string
  /** The first number that is free. */
  readonly nextSegment: number
  /** Threads that build the segments of one batch, the one that runs it included. */
  readonly buildingThreads: number
  /** What building may take, in bytes: fewer threads build at once where it asks for that. */
  readonly memoryBytesMax: number
  /** Heap of a thread in MiB, or null. */
  readonly heapMegabytes: number | null
  readonly report: (message: string, error: unknown) => void
}

type Pending = {
  readonly message: IndexJob | BodyMessage
  readonly onReply: (reply: IndexReply) => void
  readonly onCrash: (error: Error) => void
}

type Slot = {
  readonly number: number
  readonly role: Role
  thread: Thread<IndexMessage, IndexReply> | null
  readonly pending: Map<number, Pending>
  /** About how much went through the thread since it began, in bytes. */
  load: number
  /** Runs when the thread has been idle for a while. */
  rest: NodeJS.Timeout | null
}

/**
 * A thread that has worked on more than this keeps tens of megabytes of heap and arenas that V8 and
 * malloc do not give back. When it has nothing to do for a while it is replaced by a fresh one.
 */
const LOAD_KEPT_MAX = 8 * 1024 * 1024
const REST_MS = 2000
const START_PAUSE_MS = 300
/** What a document counts in `load`, for jobs that do not tell bytes. */
const DOCUMENT_LOAD = 1024

/** Bytes of a body under way to the thread before its sender is made to wait. */
const BODY_BYTES_UNDER_WAY = 1024 * 1024

export class IndexPool implements Indexing {
  readonly #options: IndexPoolOptions
  readonly #shared: Int32Array
  readonly #slots: { readonly [role in Role]: Slot }
  #nextJob = 1
  #closed = false

  constructor(options: IndexPoolOptions) {
    this.#options = options
    this.#shared = new Int32Array(new SharedArrayBuffer(4 * (1 + ROLES.length)))
    this.#shared[SHARED_NEXT_SEGMENT] = options.nextSegment
    const slot = (role: Role, number: number): Slot => {
      return { number, role, thread: null, pending: new Map(), load: 0, rest: null }
    }
    this.#slots = { batch: slot('batch', 0), merge: slot('merge', 1), intake: slot('intake', 2) }
  }

  takeSegment(): number {
    return Atomics.add(this.#shared, SHARED_NEXT_SEGMENT, 1)
  }

  /**
   * Starts the thread for batches a moment from now, so that the first write does not wait for it,
   * and the first search does not wait for its start.
   */
  start(): void {
    const start = (): void => {
      if (!this.#closed) this.#threadOf(this.#slots.batch)
    }
    setTimeout(start, START_PAUSE_MS).unref()
  }

  async run<R extends JobRequest>(request: R, hooks: JobHooks): Promise<JobResult<R['kind']>> {
    const slot = request.kind === 'merge' ? this.#slots.merge : this.#slots.batch
    try {
      return await this.#try(slot, request, hooks)
    } catch (error) {
      if (!(error instanceof ThreadEnded) || this.#closed) throw error
      // Jobs commit nothing, so doing one again is safe; what it wrote goes with the next start.
      return this.#try(slot, request, hooks)
    }
  }

  #try<R extends JobRequest>(
    slot: Slot,
    request: R,
    hooks: JobHooks,
  ): Promise<JobResult<R['kind']>> {
    const { signal, progress } = hooks
    const job = this.#nextJob++
    const message = { ...request, job } as unknown as IndexJob
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        Atomics.store(this.#shared, cancelSlot(slot.number), job)
      }
      const end = (): void => {
        signal?.removeEventListener('abort', cancel)
        slot.pending.delete(job)
        this.#restLater(slot)
      }
      if (request.kind === 'merge') slot.load += LOAD_KEPT_MAX
      const onReply = (reply: IndexReply): void => {
        if (reply.kind === 'progress') {
          slot.load = Math.max(slot.load, reply.done * DOCUMENT_LOAD)
          progress(reply.done, reply.total)
          return
        }
        end()
        if (reply.kind === 'failed') reject(fromWire(reply.error))
        else if (reply.kind === 'canceled') reject(new JobCanceled())
        else resolve(resultOf(reply) as JobResult<R['kind']>)
      }
      const onCrash = (error: Error): void => {
        end()
        reject(error)
      }
      if (signal?.aborted === true) cancel()
      signal?.addEventListener('abort', cancel, { once: true })
      slot.pending.set(job, { message, onReply, onCrash })
      this.#threadOf(slot).post(message)
    })
  }

  body(file: number, format: BodyFormat): BodyTransfer {
    const slot = this.#slots.intake
    const job = this.#nextJob++
    const transfer = new Transfer((message, transferred) => {
      if (message.kind === 'body-chunk') slot.load += message.bytes.length
      // Nothing is answered to that.
      if (message.kind === 'body-abort') slot.pending.delete(job)
      this.#threadOf(slot).post(message, transferred)
    }, job)
    const message = { kind: 'body', job, file, format } as const
    slot.pending.set(job, {
      message,
      onReply: (reply) => {
        if (reply.kind !== 'body-taken') {
          slot.pending.delete(job)
          this.#restLater(slot)
        }
        transfer.reply(reply)
      },
      onCrash: (error) => {
        slot.pending.delete(job)
        transfer.fail(error)
      },
    })
    this.#threadOf(slot).post(message)
    return transfer
  }

  forget(segments: readonly number[]): void {
    if (segments.length === 0) return
    for (const role of ROLES) this.#slots[role].thread?.post({ kind: 'forget', segments })
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const role of ROLES) {
      const slot = this.#slots[role]
      if (slot.rest !== null) clearTimeout(slot.rest)
      const ended = new ThreadEnded('the engine closes')
      for (const pending of [...slot.pending.values()]) pending.onCrash(ended)
      await slot.thread?.stop()
      slot.thread = null
    }
  }

  #threadOf(slot: Slot): Thread<IndexMessage, IndexReply> {
    if (slot.thread !== null) return slot.thread
    const { file, root, heapMegabytes, buildingThreads, memoryBytesMax } = this.#options
    const data: IndexThreadData = {
      file: file.href,
      builders: slot.role === 'batch' ? buildingThreads - 1 : 0,
      memoryBytesMax,
      root,
      thread: slot.number,
      shared: this.#shared.buffer as SharedArrayBuffer,
      niceness: NICENESS[slot.role],
    }
    slot.thread = new Thread<IndexMessage, IndexReply>({
      file,
      name: `index-${slot.role}`,
      data,
      heapMegabytes,
      onMessage: (reply) => {
        if (reply.kind !== 'ready') slot.pending.get(reply.job)?.onReply(reply)
      },
      onCrash: (error, thread) => {
        if (slot.thread === thread) this.#crashed(slot, error)
      },
    })
    return slot.thread
  }

  /** Replaces a thread that has become large, once it has been idle for a while. */
  #restLater(slot: Slot): void {
    if (slot.load < LOAD_KEPT_MAX || this.#closed) return
    if (slot.rest !== null) clearTimeout(slot.rest)
    slot.rest = setTimeout(() => {
      slot.rest = null
      const { thread } = slot
      if (slot.pending.size > 0 || thread === null || this.#closed) return
      slot.thread = null
      slot.load = 0
      // The next write is not to wait for a thread to start.
      if (slot.role === 'batch') this.#threadOf(slot)
      thread.stop().catch((error: unknown) => {
        this.#options.report(`The thread index-${slot.role} did not end.`, error)
      })
    }, REST_MS)
    slot.rest.unref()
  }

  #crashed(slot: Slot, error: Error): void {
    if (this.#closed) return
    this.#options.report(`The thread index-${slot.role} ended and is started again.`, error)
    slot.thread = null
    const ended = new ThreadEnded(error.message, { cause: error })
    for (const pending of [...slot.pending.values()]) pending.onCrash(ended)
  }
}

/** A thread was lost with the job it was at. */
class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded'
}

function resultOf(reply: IndexReply): unknown {
  switch (reply.kind) {
    case 'documents-done':
      return reply.result
    case 'rebuild-done':
      return { segments: reply.segments, fieldsAdded: reply.fieldsAdded }
    case 'merge-done':
      return reply.segment
    default:
      return null
  }
}

type Send = (message: BodyMessage, transfer: readonly ArrayBuffer[]) => void
type Taken = { readonly documents: number; readonly bytes: number }

class Transfer implements BodyTransfer {
  readonly #send: Send
  readonly #job: number
  #underWay = 0
  #failure: Error | null = null
  #taken: Taken | null = null
  /** What waits for an answer of the thread. */
  #wake: () => void = () => undefined

  constructor(send: Send, job: number) {
    this.#send = send
    this.#job = job
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#failure !== null) throw this.#failure
    // A copy of its own (a Buffer has another idea of `slice`): the chunk may be part of a larger
    // buffer.
    const bytes = new Uint8Array(chunk)
    this.#underWay += bytes.length
    this.#send({ kind: 'body-chunk', job: this.#job, bytes }, [bytes.buffer])
    while (this.#underWay > BODY_BYTES_UNDER_WAY && this.#failure === null) await this.#answer()
    if (this.#failure !== null) throw this.#failure
  }

  async finish(): Promise<Taken> {
    if (this.#failure === null) this.#send({ kind: 'body-end', job: this.#job }, [])
    while (this.#taken === null) {
      if (this.#failure !== null) throw this.#failure
      await this.#answer()
    }
    return this.#taken
  }

  abort(): void {
    if (this.#failure === null && this.#taken === null) {
      this.#send({ kind: 'body-abort', job: this.#job }, [])
    }
    this.fail(new JobCanceled())
  }

  reply(reply: IndexReply): void {
    if (reply.kind === 'body-taken') this.#underWay -= reply.bytes
    else if (reply.kind === 'body-done') {
      this.#taken = { documents: reply.documents, bytes: reply.bytes }
    } else if (reply.kind === 'failed') this.#failure ??= fromWire(reply.error)
    this.#wake()
  }

  fail(error: Error): void {
    this.#failure ??= error
    this.#wake()
  }

  #answer(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
