// The index threads from the main thread's side: one for batches, one for small batches beside a long
// one, two for merges, one for incoming bodies. A thread starts when it is first needed and is
// replaced when it crashes; its batch or merge is then tried once more.
import { availableParallelism } from 'node:os'
import { MiB } from '../../../format/bytes/index.ts'
import type { SegmentNo } from '../../../format/ids.ts'
import type { EmbeddingSession } from '../../ai/embedding/index.ts'
import { type BodyFormat, Canceled, fromWire } from '../../model/index.ts'
import { returnFreeMemory } from '../../runtime/index.ts'
import { type PoolJob, type RecyclePolicy, WorkerPool } from '../../threads/index.ts'
import { later } from '../../time/index.ts'
import { type BodyTransfer, ThreadTransfer } from './body-transfer.ts'
import {
  heldSlot,
  INDEX_THREADS,
  type IndexJob,
  type IndexMessage,
  type IndexReply,
  type IndexThreadData,
  type JobRequest,
  type JobResult,
  type MergeResult,
  SHARED_NEXT_SEGMENT,
} from './protocol.ts'

type Role = (typeof INDEX_THREADS)[number]
const slotOf = (role: Role): number => INDEX_THREADS.indexOf(role)
const [BATCH, INTAKE, SMALL] = [slotOf('batch'), slotOf('intake'), slotOf('small')]
const MERGES = [slotOf('merge'), slotOf('merge-2')] as const
/** Memory of a merge besides its inputs: dictionary, offsets and buffers for a gigabyte of text. */
const MERGE_MEMORY_BYTES = 512 * MiB
/**
 * Niceness of the threads: searches and the main thread have precedence, then bodies, then batches,
 * then merges. Measured on two cores with four clients that search without a pause: at 5 and 10 the
 * p99 of searches while documents change is 52–71 ms, at 10 and 19 it is 42–50 ms.
 */
const NICENESS: { readonly [role in Role]: number } = {
  batch: 10,
  merge: 19,
  'merge-2': 19,
  intake: 5,
  small: 5,
}

/**
 * Young heap of an index thread in MiB: three semi-spaces of 4. Batches, merges and bodies work in
 * separate buffers; V8's choice is four times as much, and stays resident in every thread once
 * documents change all day.
 */
const YOUNG_MEGABYTES = 12

/** Replies after which further replies to the same job follow. */
const INTERMEDIATE_REPLIES: ReadonlySet<IndexReply['kind']> = new Set([
  'progress',
  'body-taken',
  'embedding',
])

export type JobHooks = {
  readonly signal: AbortSignal | null
  /** Whether the job is that of a small batch beside a long one. Absent: it is not. */
  readonly isBeside?: boolean
  /** Calls embedders for the job; absent if the job may not call them. */
  readonly embedding?: EmbeddingSession
  readonly progress: (done: number, total: number) => void
}

/** Builds segments: in threads, or in tests in place. */
export interface Indexing {
  /** Number of merges that may run at the same time. */
  readonly mergesMax: number
  /** Returns a number for a new segment, never used before. */
  takeSegment(): number
  /** @throws EngineFault, StorageError, Canceled (as a rejection) */
  run<R extends JobRequest>(request: R, hooks: JobHooks): Promise<JobResult<R['kind']>>
  body(file: number, format: BodyFormat): BodyTransfer
  /** A long batch runs: small ones may follow beside it. */
  expectSmall(): void
  /** Closes segments that no view names any more. */
  forget(segments: readonly SegmentNo[]): void
  close(): Promise<void>
}

export type IndexPoolOptions = {
  readonly file: URL
  readonly root: string
  /** The first unused number. */
  readonly nextSegment: number
  /** Threads that build the segments of one batch, including the one that runs it. */
  readonly buildingThreads: number
  /** Bytes that building may use: it bounds how many threads build at the same time. */
  readonly memoryBytesMax: number
  /** Heap of a thread in MiB, or null. */
  readonly heapMegabytes: number | null
  readonly report: (message: string, error: unknown) => void
}

/**
 * Bytes of processed data above which a thread has freed tens of megabytes, which malloc does not
 * return by itself. After some idle time a merge thread ends then. Other threads stay, because
 * the next write would have to wait for a new one and its code, unless they hold much memory even
 * after V8 has collected their garbage.
 */
const LARGE_LOAD_BYTES = 8 * MiB
const IDLE_MS = 2000
/** MiB of the heap of a thread that stays: 25 in the batch thread after 25,000 documents. */
const HEAP_MEBIBYTES_MAX = 64
/** Time for threads to collect their garbage after large work. */
const RETURN_PAUSE_MS = 100
/**
 * Idle milliseconds after which the thread of small batches ends, and a merge thread after small
 * merges. While some documents change repeatedly there is one every few seconds, and a new thread
 * would have to compile all its code again.
 */
const LIGHT_IDLE_MS = 60_000
/** On a machine that is busy a first search may take this long to be answered. */
const START_PAUSE_MS = 1000
/** Load of a document in bytes, for jobs that do not report bytes. */
const DOCUMENT_LOAD = 1024
/**
 * Jobs commit nothing, so repeating one is safe; files of the first attempt are removed at the next
 * start.
 */
const CRASHES_MAX = 2

export class IndexPool implements Indexing {
  readonly #pool: WorkerPool<IndexMessage, IndexReply>
  readonly #returnMemorySoon = later(RETURN_PAUSE_MS, returnFreeMemory)
  /** Number of batches and merges that are running. */
  #running = 0
  readonly mergesMax: number
  /** Slots of merges that are running. */
  readonly #merging = new Set<number>()

  constructor(options: IndexPoolOptions) {
    const { file, nextSegment, heapMegabytes, memoryBytesMax, report } = options
    const mergesInMemory = Math.max(1, Math.floor(memoryBytesMax / MERGE_MEMORY_BYTES))
    this.mergesMax = Math.min(MERGES.length, availableParallelism(), mergesInMemory)
    this.#pool = new WorkerPool<IndexMessage, IndexReply>({
      file,
      slots: INDEX_THREADS.length,
      settings: (slot) => {
        const data = this.#dataOf(slot, options)
        return { name: nameOf(slot), data, heapMegabytes, youngMegabytes: YOUNG_MEGABYTES }
      },
      jobOf: ({ job }) => job,
      isLast: ({ kind }) => !INTERMEDIATE_REPLIES.has(kind),
      cells: { jobs: 1, more: 1 + INDEX_THREADS.length },
      recycle: (slot) => this.#recyclePolicy(slot),
      crashesMax: CRASHES_MAX,
      onCrash: (slot, error) => {
        report(`The thread ${nameOf(slot)} ended and is started again.`, error)
      },
      report,
    })
    this.#pool.shared[SHARED_NEXT_SEGMENT] = nextSegment
  }

  /** True while a batch or a merge is running. */
  get isBusy(): boolean {
    return this.#running > 0
  }

  takeSegment(): number {
    return Atomics.add(this.#pool.shared, SHARED_NEXT_SEGMENT, 1)
  }

  /**
   * Starts the batch thread after a pause: the first write then need not wait for it, and the
   * first search is not delayed by its start.
   */
  start(): void {
    setTimeout(() => this.#pool.start(BATCH), START_PAUSE_MS).unref()
  }

  async run<R extends JobRequest>(
    request: R,
    { signal, progress, embedding, isBeside }: JobHooks,
  ): Promise<JobResult<R['kind']>> {
    const slot = this.#slotOf(request, isBeside === true)
    let number = 0
    let load = 0
    const cancel = (): void => this.#pool.cancel(slot, number)
    const reply = new Promise<IndexReply>((resolve, reject) => {
      const job: PoolJob<IndexReply> = {
        crashes: 0,
        onReply: (reply) => {
          if (reply.kind === 'embedding') return embedding?.serve(reply.end)
          if (reply.kind === 'merge-done') this.#pool.raiseLoad(slot, mergeLoadOf(reply.segment))
          if (reply.kind !== 'progress') return resolve(reply)
          load = Math.max(load, reply.done * DOCUMENT_LOAD)
          this.#pool.raiseLoad(slot, load)
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
    this.#running++
    if (request.kind === 'merge') this.#merging.add(slot)
    try {
      return resultOf(await reply) as JobResult<R['kind']>
    } finally {
      this.#running--
      this.#merging.delete(slot)
      if (load >= LARGE_LOAD_BYTES) this.#returnMemorySoon()
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
      // An abort has no reply.
      if (message.kind === 'body-abort') this.#pool.drop(INTAKE, number)
    })
    const number = this.#pool.give(INTAKE, job, (job) => ({ kind: 'body', job, file, format }))
    return transfer
  }

  /** Starts the thread of small batches, so that the first one need not wait for its code. */
  expectSmall(): void {
    this.#pool.start(SMALL)
  }

  forget(segments: readonly SegmentNo[]): void {
    if (segments.length > 0) this.#pool.postToAll({ kind: 'forget', segments })
  }

  close(): Promise<void> {
    return this.#pool.close(new Error('the engine closes'))
  }

  #slotOf({ kind }: JobRequest, isBeside: boolean): number {
    if (kind === 'merge') return MERGES.find((slot) => !this.#merging.has(slot)) ?? MERGES[0]
    return isBeside ? SMALL : BATCH
  }

  /**
   * Returns the recycling policy of a slot. The batch thread restarts immediately, so that the next
   * write does not wait.
   */
  #recyclePolicy(slot: number): RecyclePolicy {
    const policy = { idleMs: IDLE_MS, loadMin: LARGE_LOAD_BYTES, startsAgain: slot === BATCH }
    if (slot === SMALL || MERGES.includes(slot)) return { ...policy, lightIdleMs: LIGHT_IDLE_MS }
    const held = heldSlot(slot)
    return {
      ...policy,
      mayStay: () => Atomics.load(this.#pool.shared, held) <= HEAP_MEBIBYTES_MAX,
    }
  }

  #dataOf(slot: number, options: IndexPoolOptions): IndexThreadData {
    const { file, root, buildingThreads, memoryBytesMax } = options
    Atomics.store(this.#pool.shared, heldSlot(slot), 0)
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

/**
 * Returns the load of a merge. The size of a merge without a result is unknown, so it counts as
 * large.
 */
const mergeLoadOf = (segment: MergeResult): number =>
  segment === null || segment === 'apart' ? LARGE_LOAD_BYTES : segment.documents * DOCUMENT_LOAD

/** Returns the message of a job. */
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
