// Bodies of requests on their way to typed values: small ones are read on the spot, large ones by a
// thread, which starts with the first of them and ends when there are no more.
//
// The thread reads one body at a time; others wait in lanes. A body that ends it takes its own
// request along and no other.
import { fromWire, Thread } from '../../engine/index.ts'
import { InvariantError } from '../../format/errors.ts'
import { ApiError } from '../errors/index.ts'
import type { BodySource, WholeBody } from '../http/index.ts'
import { isQuick } from '../parse/index.ts'
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
  /** What the thread runs; null: no thread, every body is read on the spot. */
  readonly file: URL | null
  /** Called when a thread ended by a mistake of ours. */
  readonly report: (message: string, error: unknown) => void
  readonly heapMegabytes?: number
  readonly readingMsMax?: number
  readonly idleMs?: number
}

type Job = {
  readonly name: BodyName
  readonly detail: readonly unknown[]
  readonly body: WholeBody
  /** Of the body as it came. */
  readonly bytes: number
  readonly signal: AbortSignal
  readonly assembly: Assembly
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

type ReaderThread = Thread<ReadMessage, ReadReply>

export class BodyReader {
  readonly #options: BodyReaderOptions
  readonly #waiting = new Lanes<Job>()
  #thread: ReaderThread | null = null
  #job: Job | null = null
  /** Ends the thread: a body takes too long, or no body came for a while. */
  #timer: NodeJS.Timeout | undefined
  #threads = 0
  #closed = false

  constructor(options: BodyReaderOptions) {
    this.#options = options
  }

  /** How many threads were started so far. */
  get threads(): number {
    return this.#threads
  }

  /** The body of a request as the reader of this name sees it. @throws ApiError */
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
      // A packed one that is small itself may be small unpacked: most are.
      const isSmall = bytes.length <= SMALL_BYTES_MAX && fillsNoWindow(packing)
      const isHere = this.#options.file === null || isSmall
      bytes = isHere ? unpack(bytes, packing, most) : null
    }
    if (bytes === null || (this.#options.file !== null && !isInline(bytes))) {
      return (await this.#readElsewhere(request, name, detail, body)) as BodyValue<N>
    }
    if (packing !== null) await body.hold(bytes.length)
    return readNow(name, bytes, detail)
  }

  /** Ends the thread; what waits for it is refused. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    const thread = this.#thread
    this.#thread = null
    const left = [this.#job, ...this.#drain()]
    this.#job = null
    for (const job of left) job?.reject(busy())
    await thread?.stop()
  }

  *#drain(): Generator<Job, void, undefined> {
    for (let job = this.#waiting.take(); job !== undefined; job = this.#waiting.take()) yield job
  }

  #readElsewhere(
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

  #readNext(): void {
    if (this.#job !== null) return
    let job = this.#waiting.take()
    while (job?.signal.aborted === true) {
      job.reject(gone())
      job = this.#waiting.take()
    }
    clearTimeout(this.#timer)
    if (job === undefined) {
      this.#endLater()
      return
    }
    this.#job = job
    const thread = this.#thread ?? this.#start()
    this.#timer = setTimeout(() => this.#giveUp(), this.#options.readingMsMax ?? READING_MS_MAX)
    const { name, detail } = job
    const body = ownBytes(job.body.bytes)
    const { packing } = job.body
    thread.post({ kind: 'read', name, detail, body, packing }, [body.buffer])
  }

  #start(): ReaderThread {
    const thread: ReaderThread = new Thread<ReadMessage, ReadReply>({
      file: this.#options.file!,
      name: 'bodies',
      data: {},
      heapMegabytes: this.#options.heapMegabytes ?? HEAP_MEGABYTES,
      onMessage: (reply, from) => {
        if (from === this.#thread) this.#take(reply)
      },
      onCrash: (error, from) => {
        if (from === this.#thread) this.#crashed(error)
      },
    })
    this.#threads++
    this.#thread = thread
    return thread
  }

  #take(reply: ReadReply): void {
    const job = this.#job!
    if (reply.kind === 'unpacked') {
      void this.#takeRoom(job, reply.bytes)
      return
    }
    if (reply.kind === 'piece') {
      job.assembly.add(reply.piece)
      if (!reply.isLast) {
        // Requests that wait for the main thread run before the next piece is here.
        this.#thread!.post({ kind: 'more' })
        return
      }
      job.resolve(job.assembly.value)
    } else if (reply.kind === 'refused') {
      job.reject(new ApiError(reply.code, reply.message, reply.status))
    } else job.reject(fromWire(reply.error))
    this.#job = null
    this.#readNext()
  }

  /** Memory for a body that the thread has unpacked: it is read once there is room. */
  async #takeRoom(job: Job, bytes: number): Promise<void> {
    const isCurrent = (): boolean => job === this.#job && this.#thread !== null
    try {
      await job.body.hold(bytes)
      if (isCurrent()) this.#thread!.post({ kind: 'more' })
    } catch (error) {
      if (!isCurrent()) return
      this.#thread!.post({ kind: 'drop' })
      this.#fail(error)
    }
  }

  #crashed(error: Error): void {
    this.#thread = null
    const isFull = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
    if (!isFull) this.#options.report('the thread that reads bodies has ended', error)
    this.#fail(isFull ? tooMuchMemory() : new InvariantError('a thread ended', { cause: error }))
  }

  #giveUp(): void {
    void this.#thread?.stop()
    this.#thread = null
    const error = new InvariantError('reading a body took too long')
    this.#options.report('the thread that reads bodies was ended', error)
    this.#fail(error)
  }

  #fail(error: unknown): void {
    const job = this.#job
    this.#job = null
    job?.reject(error)
    this.#readNext()
  }

  #endLater(): void {
    this.#timer = setTimeout(() => {
      void this.#thread?.stop()
      this.#thread = null
    }, this.#options.idleMs ?? IDLE_MS)
    this.#timer.unref()
  }
}

const isInline = (body: Uint8Array): boolean =>
  body.length <= SMALL_BYTES_MAX || (body.length <= INLINE_BYTES_MAX && isQuick(body))

/** The same bytes in memory of their own, which can be handed over: mostly they are there. */
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
