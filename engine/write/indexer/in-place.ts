// Builds segments without threads: for tests, and for tools without other work.

import { asSegmentNo, type SegmentNo } from '../../../format/ids.ts'
import { ReplayEmbedder } from '../../ai/embedding/index.ts'
import { type Loaded, loadLibrary } from '../../ai/template/index.ts'
import { type BodyFormat, Canceled, fromWire } from '../../model/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import type { BodyTransfer } from './body-transfer.ts'
import type { Builders } from './builders.ts'
import { type Indexing, type JobHooks, jobOf } from './pool.ts'
import {
  type IndexMessage,
  type IndexReply,
  type JobRequest,
  type JobResult,
  rendersDocuments,
} from './protocol.ts'
import { IndexCore } from './worker-core.ts'

export class IndexInPlace implements Indexing {
  readonly mergesMax = 1
  readonly #core: IndexCore
  #nextSegment: SegmentNo
  #nextJob = 1
  #replies: IndexReply[] = []
  #templates: Loaded | null = null
  #embedder = new ReplayEmbedder()
  #hooks: JobHooks = { signal: null, progress: () => undefined }

  /** `builders`: threads that build in parallel with this one. */
  constructor(fs: FileSystem, nextSegment: SegmentNo, builders: Builders | null = null) {
    this.#nextSegment = nextSegment
    this.#core = new IndexCore({
      fs,
      takeSegments: (count) => {
        const first = this.#nextSegment
        this.#nextSegment = asSegmentNo(first + count)
        return first
      },
      memoryBytesMax: Number.POSITIVE_INFINITY,
      canceledJob: () => (this.#hooks.signal?.aborted === true ? this.#nextJob - 1 : 0),
      send: (reply) => {
        if (reply.kind === 'progress') this.#hooks.progress(reply.done, reply.total)
        else this.#replies.push(reply)
      },
      dropped: () => undefined,
      builders: () => builders,
      templates: () => this.#templates,
      embedderFor: () => this.#embedder,
    })
  }

  takeSegment(): SegmentNo {
    const segment = this.#nextSegment
    this.#nextSegment = asSegmentNo(segment + 1)
    return segment
  }

  async run<R extends JobRequest>(request: R, hooks: JobHooks): Promise<JobResult<R['kind']>> {
    const reply = await this.#job(request, hooks)
    switch (reply?.kind) {
      case 'documents-done':
      case 'rebuild-done':
        return reply.result as JobResult<R['kind']>
      case 'merge-done':
        return reply.segment as JobResult<R['kind']>
      case 'failed':
        throw fromWire(reply.error)
      default:
        throw new Canceled()
    }
  }

  /** Runs a job, again after each round of embedding until it needs no more vectors. */
  async #job(request: JobRequest, hooks: JobHooks): Promise<IndexReply | undefined> {
    const { embedding } = hooks
    if (embedding !== undefined || rendersDocuments(request)) {
      this.#templates ??= await loadLibrary()
    }
    const embedder = new ReplayEmbedder()
    for (;;) {
      this.#hooks = hooks
      this.#embedder = embedder
      embedder.begin()
      const reply = this.#ask(jobOf(request, this.#nextJob++, embedding))
      if (embedding === undefined || !embedder.isAwaited) return reply
      await embedder.answer(embedding)
    }
  }

  body(file: number, format: BodyFormat): BodyTransfer {
    const job = this.#nextJob++
    const check = (reply: IndexReply | undefined): IndexReply | undefined => {
      if (reply?.kind === 'failed') throw fromWire(reply.error)
      return reply
    }
    check(this.#ask({ kind: 'body', job, file, format }))
    return {
      write: async (bytes) => {
        check(this.#ask({ kind: 'body-chunk', job, bytes }))
      },
      finish: async () => {
        const reply = check(this.#ask({ kind: 'body-end', job }))
        if (reply?.kind !== 'body-done') throw new Canceled()
        return { documents: reply.documents, bytes: reply.bytes }
      },
      abort: () => {
        this.#ask({ kind: 'body-abort', job })
      },
    }
  }

  expectSmall(): void {
    // There is no thread to start.
  }

  forget(segments: readonly SegmentNo[]): void {
    this.#core.handle({ kind: 'forget', segments })
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  #ask(message: IndexMessage): IndexReply | undefined {
    this.#replies = []
    this.#core.handle(message)
    return this.#replies.at(-1)
  }
}
