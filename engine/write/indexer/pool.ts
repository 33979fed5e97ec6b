// The index threads as the main thread sees them: one for batches, one for merges, one for bodies
// on their way in. A thread starts when it is first needed and is replaced when it ends unasked; a
// batch or a merge that it was at is tried once more.

import { MiB } from '../../../format/bytes/index.ts'
import type { EmbeddingSession } from '../../ai/embedding/index.ts'
import { type BodyFormat, Canceled, fromWire } from '../../model/index.ts'
import { type PoolJob, type RecyclePolicy, WorkerPool } from '../../threads/index.ts'
import { type BodyTransfer, ThreadTransfer } from './body-transfer.ts'
import {
  INDEX_THREADS,
  type IndexJob,
  type IndexMessage,
  type IndexReply,
  type IndexThreadData,
  type JobRequest,
  type JobResult,
  SHARED_NEXT_SEGMENT,
} from './protocol.ts'
import type { NewSegment } from './segment-sink.ts'

type Role = (typeof INDEX_THREADS)[number]
const slotOf = (role: Role): number => INDEX_THREADS.indexOf(role)
const [BATCH, MERGE, INTAKE] = [slotOf('batch'), slotOf('merge'), slotOf('intake')]
/**
 * Searches and the main thread come first, then bodies, then batches, then merges. Measured on two
 * cores with four clients that search without a pause: at 5 and 10 the p99 of searches while
 * documents change is 52–71 ms, at 10 and 19 it is 42–50 ms.
 */
const NICENESS: { readonly [role in Role]: number } = { batch: 10, merge: 19, intake: 5 }

/**
 * Room for short-lived objects of an index thread, in MiB: three semi-spaces of 4. Batches, merges
 * and bodies work in buffers of their own; V8's choice, four times as much, is 20 MB a thread that
 * stay for good once documents change all day.
 */
const YOUNG_MEGABYTES = 12

/** Replies that others to the same job follow. */
const PASSING: ReadonlySet<IndexReply['kind']> = new Set(['progress', 'body-taken', 'embedding'])

export type JobHooks = {
  readonly signal: AbortSignal | null
  /** Asks embedders for the job; absent: the job may not. */
  readonly embedding?: EmbeddingSession
  readonly progress: (done: number, total: number) => void
}

/** Builds segments: threads, or in tests the core in place. */
export interface Indexing {
  /** A number for a new segment, never given twice. */
  takeSegment(): number
  /** @throws EngineFault, StorageError, Canceled (as a rejection) */
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

/**
 * A thread that has worked on more than this keeps tens of megabytes of heap and arenas that V8 and
 * malloc do not give back. When it has nothing to do for a while it is replaced by a fresh one.
 */
const LOAD_KEPT_MAX = 8 * MiB
const REST_MS = 2000
/**
 * The thread that merges stays for so long after small merges. While some documents change again
 * and again there is one every few seconds, and a fresh thread has all its code to compile again.
 */
const LIGHT_REST_MS = 60_000
const START_PAUSE_MS = 300
/** What a document counts as load, for jobs that do not tell bytes. */
const DOCUMENT_LOAD = 1024
/** Jobs commit nothing, so doing one again is safe; what it wrote goes with the next start. */
const CRASHES_MAX = 2

export class IndexPool implements Indexing {
  readonly #pool: WorkerPool<IndexMessage, IndexReply>

  constructor(options: IndexPoolOptions) {
    const { file, nextSegment, heapMegabytes, report } = options
    this.#pool = new WorkerPool<IndexMessage, IndexReply>({
      file,
      slots: INDEX_THREADS.length,
      settings: (slot) => {
        const data = this.#dataOf(slot, options)
        return { name: nameOf(slot), data, heapMegabytes, youngMegabytes: YOUNG_MEGABYTES }
      },
      jobOf: ({ job }) => job,
      isLast: ({ kind }) => !PASSING.has(kind),
      cells: { jobs: 1, more: 1 },
      recycle: recyclePolicy,
      crashesMax: CRASHES_MAX,
      onCrash: (slot, error) => {
        report(`The thread ${nameOf(slot)} ended and is started again.`, error)
      },
      report,
    })
    this.#pool.shared[SHARED_NEXT_SEGMENT] = nextSegment
  }

  takeSegment(): number {
    return Atomics.add(this.#pool.shared, SHARED_NEXT_SEGMENT, 1)
  }

  /**
   * Starts the thread for batches a moment from now, so that the first write does not wait for it,
   * and the first search does not wait for its start.
   */
  start(): void {
    setTimeout(() => this.#pool.start(BATCH), START_PAUSE_MS).unref()
  }

  async run<R extends JobRequest>(
    request: R,
    { signal, progress, embedding }: JobHooks,
  ): Promise<JobResult<R['kind']>> {
    const slot = request.kind === 'merge' ? MERGE : BATCH
    let number = 0
    const cancel = (): void => this.#pool.callOff(slot, number)
    const reply = new Promise<IndexReply>((resolve, reject) => {
      const job: PoolJob<IndexReply> = {
        crashes: 0,
        onReply: (reply) => {
          if (reply.kind === 'embedding') return embedding?.serve(reply.end)
          if (reply.kind === 'merge-done') this.#pool.raiseLoad(slot, mergeLoadOf(reply.segment))
          if (reply.kind !== 'progress') return resolve(reply)
          this.#pool.raiseLoad(slot, reply.done * DOCUMENT_LOAD)
          progress(reply.done, reply.total)
        },
        onLost: (error, mayRetry) => (mayRetry ? give() : reject(error)),
      }
      const give = (): void => {
        number = this.#pool.give(slot, job, (job) => jobOf(request, job, embedding))
        if (signal?.aborted === true) cancel()
      }
      give()
      signal?.addEventListener('abort', cancel, { once: true })
    })
    try {
      return resultOf(await reply) as JobResult<R['kind']>
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  body(file: number, format: BodyFormat): BodyTransfer {
    const job: PoolJob<IndexReply> = {
      crashes: 0,
      onReply: (reply) => transfer.reply(reply),
      onLost: (error) => transfer.fail(error),
    }
    const transfer = new ThreadTransfer((messageOf, transferred) => {
      const message = messageOf(number)
      if (message.kind === 'body-chunk') this.#pool.addLoad(INTAKE, message.bytes.length)
      this.#pool.post(INTAKE, message, transferred)
      // Nothing is answered to that.
      if (message.kind === 'body-abort') this.#pool.drop(INTAKE, number)
    })
    const number = this.#pool.give(INTAKE, job, (job) => ({ kind: 'body', job, file, format }))
    return transfer
  }

  forget(segments: readonly number[]): void {
    if (segments.length > 0) this.#pool.postToAll({ kind: 'forget', segments })
  }

  close(): Promise<void> {
    return this.#pool.close(new Error('the engine closes'))
  }

  #dataOf(slot: number, options: IndexPoolOptions): IndexThreadData {
    const { file, root, buildingThreads, memoryBytesMax } = options
    return {
      file: file.href,
      builders: slot === BATCH ? buildingThreads - 1 : 0,
      memoryBytesMax,
      root,
      thread: slot,
      shared: this.#pool.shared.buffer as SharedArrayBuffer,
      niceness: NICENESS[INDEX_THREADS[slot]!],
    }
  }
}

const nameOf = (slot: number): string => `index-${INDEX_THREADS[slot]!}`

/** Threads are replaced that have become large; the next write is not to wait for one to start. */
const recyclePolicy = (slot: number): RecyclePolicy => {
  const policy = { idleMs: REST_MS, loadMin: LOAD_KEPT_MAX, startsAgain: slot === BATCH }
  return slot === MERGE ? { ...policy, lightIdleMs: LIGHT_REST_MS } : policy
}

/** Nothing is known of a merge that left nothing: it may have been large. */
const mergeLoadOf = (segment: NewSegment | null): number =>
  segment === null ? LOAD_KEPT_MAX : segment.documents * DOCUMENT_LOAD

/** The message of a job. */
export const jobOf = (
  request: JobRequest,
  job: number,
  embedding: EmbeddingSession | undefined,
): IndexJob => {
  const asks = embedding === undefined ? {} : { embedding: embedding.modesOfThread }
  return { ...request, ...asks, job } as unknown as IndexJob
}

/** @throws EngineFault, StorageError, Canceled */
function resultOf(reply: IndexReply): unknown {
  switch (reply.kind) {
    case 'documents-done':
    case 'rebuild-done':
      return reply.result
    case 'merge-done':
      return reply.segment
    case 'failed':
      throw fromWire(reply.error)
    case 'canceled':
      throw new Canceled()
    default:
      return null
  }
}
