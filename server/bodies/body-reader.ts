// Turns bodies of requests into typed values. Small bodies are read inline; large ones by a thread,
// which starts with the first of them and ends when it is idle.
//
// The thread reads one body at a time; others wait in lanes. A body that kills the thread fails
// only its own request.
import { fromWire, JobTookTooLong, type PoolJob, WorkerPool } from '../../engine/index.ts'
import { InvariantError } from '../../format/errors.ts'
import { ApiError } from '../errors/index.ts'
import type { BodySource, WholeBody } from '../http/messages/index.ts'
import { isQuick } from '../parse/schema/index.ts'
import { fillsNoWindow, unpack } from '../unpack/index.ts'
import { Lanes } from './lanes.ts'
import {
  HEAP_MEGABYTES,
  IDLE_MS,
  INLINE_BYTES_MAX,
  READING_MS_MAX,
  SMALL_BYTES_MAX,
} from './limits.ts'
import { Assembly } from './pieces.ts'
import type { ReadMessage, ReadReply } from './protocol.ts'
import { type BodyDetail, type BodyName, type BodyValue, readNow } from './readers.table.ts'

export type BodyReaderOptions = {
  /** Entry file of the thread, or null to read every body inline. */
  readonly file: URL | null
  /** Called when a thread ended because of a defect. */
  readonly report: (message: string, error: unknown) => void
  readonly heapMegabytes?: number
  readonly readingMsMax?: number
  readonly idleMs?: number
}

type Job = {
  readonly name: BodyName
  readonly detail: readonly unknown[]
  readonly body: WholeBody
  /** Size of the body as received. */
  readonly bytes: number
  readonly signal: AbortSignal
  readonly assembly: Assembly
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** There is one thread. */
const SLOT = 0

export class BodyReader {
  readonly #options: BodyReaderOptions
  readonly #waiting = new Lanes<Job>()
  readonly #pool: WorkerPool<ReadMessage, ReadReply> | null
  /** The body that the thread reads. */
  #job: Job | null = null
  #threads = 0
  #closed = false

  constructor(options: BodyReaderOptions) {
    this.#options = options
    this.#pool = options.file === null ? null : this.#newPool(options.file)
  }

  /** Number of threads started so far. */
  get threads(): number {
    return this.#threads
  }

  /** Reads the body of a request with the named reader. @throws ApiError */
  async read<N extends BodyName>(
    request: BodySource,
    name: N,
    ...detail: BodyDetail<N>
  ): Promise<BodyValue<N>> {
    const body = await request.json()
    const { packing } = body
    const most = this.#options.file === null ? Number.POSITIVE_INFINITY : INLINE_BYTES_MAX
    let bytes: Uint8Array | null = body.bytes
    if (packing !== null) {
      // A small compressed body is usually small after decompression too.
      const isSmall = bytes.length <= SMALL_BYTES_MAX && fillsNoWindow(packing)
      const isReadHere = this.#options.file === null || isSmall
      bytes = isReadHere ? unpack(bytes, packing, most) : null
    }
    if (bytes === null || (this.#options.file !== null && !isInline(bytes))) {
      return (await this.#readOnThread(request, name, detail, body)) as BodyValue<N>
    }
    if (packing !== null) await body.hold(bytes.length)
    return readNow(name, bytes, detail)
  }

  /** Ends the thread and refuses the waiting requests. */
  async close(): Promise<void> {
    this.#closed = true
    for (const job of this.#drain()) job.reject(busy())
    await this.#pool?.close(busy())
  }

  *#drain(): Generator<Job, void, undefined> {
    for (let job = this.#waiting.take(); job !== undefined; job = this.#waiting.take()) yield job
  }

  #readOnThread(
    request: BodySource,
    name: BodyName,
    detail: readonly unknown[],
    body: WholeBody,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const { signal } = request
      const bytes = body.bytes.length
      const assembly = new Assembly()
      const job = { name, detail, body, bytes, signal, assembly, resolve, reject }
      if (this.#closed || !this.#waiting.add(request.header('authorization') ?? '', job)) {
        reject(busy())
      } else this.#readNext()
    })
  }

  #newPool(file: URL): WorkerPool<ReadMessage, ReadReply> {
    const { heapMegabytes = HEAP_MEGABYTES, readingMsMax, idleMs, report } = this.#options
    const recycle = { idleMs: idleMs ?? IDLE_MS, loadMin: 0, startsAgain: false }
    return new WorkerPool<ReadMessage, ReadReply>({
      file,
      slots: 1,
      settings: () => {
        this.#threads++
        return { name: 'bodies', data: {}, heapMegabytes }
      },
      isLast: (reply) => (reply.kind === 'piece' ? reply.isLast : reply.kind !== 'unpacked'),
      jobMsMax: readingMsMax ?? READING_MS_MAX,
      recycle: () => recycle,
      onCrash: (_, error) => {
        if (!isOutOfMemory(error)) report('the thread that reads bodies ended unexpectedly', error)
      },
    })
  }

  #readNext(): void {
    if (this.#job !== null) return
    let job = this.#waiting.take()
    while (job?.signal.aborted === true) {
      job.reject(gone())
      job = this.#waiting.take()
    }
    if (job !== undefined) this.#readInThread(this.#pool!, job)
  }

  #readInThread(pool: WorkerPool<ReadMessage, ReadReply>, job: Job): void {
    const { name, detail } = job
    const { packing } = job.body
    const body = ownBytes(job.body.bytes)
    const read: PoolJob<ReadReply> = {
      crashes: 0,
      onReply: (reply) => {
        if (reply.kind === 'unpacked') void this.#takeRoom(pool, job, number, reply.bytes)
        else if (reply.kind !== 'piece') this.#fail(faultOf(reply))
        else this.#takePiece(pool, job, reply)
      },
      onLost: (error) => this.#fail(this.#lossOf(error)),
    }
    this.#job = job
    const message = { kind: 'read', name, detail, body, packing } as const
    const number = pool.give(SLOT, read, () => message, [body.buffer])
  }

  #takePiece(
    pool: WorkerPool<ReadMessage, ReadReply>,
    job: Job,
    { piece, isLast }: Extract<ReadReply, { kind: 'piece' }>,
  ): void {
    job.assembly.add(piece)
    // Other requests run on the main thread before the next piece arrives.
    if (!isLast) {
      pool.post(SLOT, { kind: 'more' })
      return
    }
    job.resolve(job.assembly.value)
    this.#job = null
    this.#readNext()
  }

  /**
   * Holds memory for a body that the thread has decompressed; the thread reads it once there is
   * room.
   */
  async #takeRoom(
    pool: WorkerPool<ReadMessage, ReadReply>,
    job: Job,
    number: number,
    bytes: number,
  ): Promise<void> {
    try {
      await job.body.hold(bytes)
      if (job === this.#job) pool.post(SLOT, { kind: 'more' })
    } catch (error) {
      if (job !== this.#job) return
      pool.post(SLOT, { kind: 'drop' })
      pool.drop(SLOT, number)
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    const job = this.#job
    this.#job = null
    job?.reject(error)
    this.#readNext()
  }

  /** Returns the error of a request whose thread was lost. */
  #lossOf(error: Error): Error {
    if (this.#closed) return error
    if (isOutOfMemory(error)) return tooMuchMemory()
    if (!(error instanceof JobTookTooLong)) {
      return new InvariantError('a thread ended', { cause: error })
    }
    const fault = new InvariantError('reading a body took too long')
    this.#options.report('the thread that reads bodies was ended', fault)
    return fault
  }
}

const faultOf = (reply: Exclude<ReadReply, { kind: 'piece' | 'unpacked' }>): Error =>
  reply.kind === 'refused'
    ? new ApiError(reply.code, reply.message, reply.status)
    : fromWire(reply.error)

const isOutOfMemory = (error: Error): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'

const isInline = (body: Uint8Array): boolean =>
  body.length <= SMALL_BYTES_MAX || (body.length <= INLINE_BYTES_MAX && isQuick(body))

/** Returns the bytes in a separate buffer that can be transferred; usually without a copy. */
const ownBytes = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
  const { buffer, byteLength } = bytes
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
  return isOwn ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes)
}

const busy = (): ApiError =>
  new ApiError(
    'too_many_request_bodies',
    'Too many large request bodies are waiting to be read. Please retry after a short while.',
  )

const gone = (): ApiError => new ApiError('bad_request', 'The client has closed its connection.')

const tooMuchMemory = (): ApiError =>
  new ApiError('payload_too_large', 'The json payload needs too much memory to be read.')
