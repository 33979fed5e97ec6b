// The message handling of an index thread, independent of threads. It works on one job at a time
// and reads no messages meanwhile; bodies are processed chunk by chunk between other messages.

import { MiB } from '../../../format/bytes/index.ts'
import type { SegmentNo } from '../../../format/ids.ts'
import type { InputEmbedder } from '../../ai/embedding/index.ts'
import type { Loaded } from '../../ai/template/index.ts'
import { Canceled, StorageError, toWire } from '../../model/index.ts'
import { SegmentCache } from '../../read/segments/index.ts'
import { BODIES } from '../../store/catalog/index.ts'
import { type DroppedFile, type FileSystem, LOADED_BYTES_MAX } from '../../store/storage/index.ts'
import { BodyWriter, createIntake, type Intake } from '../intake/index.ts'
import { EmbeddingMaker, FragmentFinder, NO_VECTOR_MAKER } from '../vectors/index.ts'
import type { Builders } from './builders.ts'
import { bodyPath, type JobEnvironment, runDocuments, runMerge } from './jobs.ts'
import {
  type BodyMessage,
  type IndexJob,
  type IndexMessage,
  type IndexReply,
  rendersDocuments,
} from './protocol.ts'
import { runRebuild } from './rebuild.ts'

export type IndexCoreOptions = {
  readonly fs: FileSystem
  /** Reserves that many unused numbers and returns the first. */
  readonly takeSegments: (count: number) => SegmentNo
  /** Returns the canceled job, 0 for none. */
  readonly canceledJob: () => number
  /** Bytes that building chunks may use. */
  readonly memoryBytesMax: number
  readonly send: (reply: IndexReply) => void
  /** Called with released files: they are unmapped after the next garbage collection. */
  readonly dropped: (files: readonly DroppedFile[]) => void
  /** Returns threads that build chunks in parallel with this one; called for each batch. */
  readonly builders: () => Builders | null
  /** Returns the library of templates, or null until it is loaded. */
  readonly templates: () => Loaded | null
  /** Returns the embedder of a job. */
  readonly embedderFor: (job: number) => InputEmbedder
}

/**
 * Bytes of decompressed blocks of stored documents that are cached: batches read documents in id
 * order.
 */
const BLOCK_BYTES_MAX = 4 * MiB
const PROGRESS_PAUSE_MS = 100

type OpenBody = { readonly writer: BodyWriter; readonly intake: Intake }

export class IndexCore {
  readonly #options: IndexCoreOptions
  readonly #cache: SegmentCache
  readonly #bodies = new Map<number, OpenBody>()
  #progressAt = 0

  constructor(options: IndexCoreOptions) {
    this.#options = options
    this.#cache = new SegmentCache(options.fs, BLOCK_BYTES_MAX)
  }

  handle(message: IndexMessage): void {
    const { send, dropped } = this.#options
    switch (message.kind) {
      case 'forget':
        dropped(this.#cache.drop(message.segments))
        break
      case 'body':
      case 'body-chunk':
      case 'body-end':
      case 'body-abort':
        this.#body(message)
        break
      default:
        send(this.#answer(message))
        // A merge is the last to read its inputs here.
        dropped(this.#cache.dropLoaded(message.kind === 'merge' ? 0 : LOADED_BYTES_MAX).files)
    }
  }

  #answer(request: IndexJob): IndexReply {
    const { job } = request
    try {
      return this.#run(request)
    } catch (error) {
      if (error instanceof Canceled) return { kind: 'canceled', job }
      return { kind: 'failed', job, error: toWire(error) }
    }
  }

  #run(request: IndexJob): IndexReply {
    const { job } = request
    // A short job ends before its progress would be shown.
    this.#progressAt = performance.now()
    this.#cache.dropShortened()
    const env = {
      fs: this.#options.fs,
      cache: this.#cache,
      takeSegments: this.#options.takeSegments,
      memoryBytesMax: this.#options.memoryBytesMax,
      vectorMaker: this.#makersOf(request),
      dropped: this.#options.dropped,
      progress: (done: number, total: number) => this.#progress(job, done, total),
      now: () => performance.now(),
    }
    const { builders } = this.#options
    switch (request.kind) {
      case 'documents': {
        const result = runDocuments(request, { ...env, builders: builders() })
        return { kind: 'documents-done', job, result }
      }
      case 'rebuild':
        return {
          kind: 'rebuild-done',
          job,
          result: runRebuild(request, { ...env, builders: builders() }),
        }
      case 'merge':
        return { kind: 'merge-done', job, segment: runMerge(request, { ...env, builders: null }) }
    }
  }

  /** Returns the vector makers of a job: none if it may not call embedders. */
  #makersOf(request: IndexJob): JobEnvironment['vectorMaker'] {
    const embedding = request.kind === 'merge' ? undefined : request.embedding
    const loaded = rendersDocuments(request) ? this.#options.templates() : null
    if (loaded === null) return () => NO_VECTOR_MAKER
    if (embedding === undefined) return (context) => new FragmentFinder(loaded, context)
    const embedder = this.#options.embedderFor(request.job)
    const { ignoresTemplates } = embedding
    return (context) => new EmbeddingMaker({ loaded, embedder, ignoresTemplates }, context)
  }

  #progress(job: number, done: number, total: number): void {
    if (this.#options.canceledJob() === job) throw new Canceled()
    const now = performance.now()
    if (now - this.#progressAt < PROGRESS_PAUSE_MS) return
    this.#progressAt = now
    this.#options.send({ kind: 'progress', job, done, total })
  }

  #body(message: BodyMessage): void {
    const { job } = message
    try {
      this.#takeIn(message)
    } catch (error) {
      this.#abandon(job)
      this.#options.send({ kind: 'failed', job, error: toWire(error) })
    }
  }

  #takeIn(message: BodyMessage): void {
    const { job } = message
    const { fs, send } = this.#options
    if (message.kind === 'body') {
      const writer = new BodyWriter(fs, bodyPath(message.file))
      const intake = createIntake(message.format, (bytes) => writer.write(bytes))
      this.#bodies.set(job, { writer, intake })
      return
    }
    // Messages sent before the sender received the fault may still arrive.
    const open = this.#bodies.get(job)
    if (open === undefined) return
    switch (message.kind) {
      case 'body-chunk':
        open.intake.push(message.bytes)
        send({ kind: 'body-taken', job, bytes: message.bytes.length })
        break
      case 'body-end': {
        const { documents } = open.intake.finish()
        const bytes = open.writer.finish()
        this.#bodies.delete(job)
        fs.syncDirectory(BODIES)
        send({ kind: 'body-done', job, documents, bytes })
        break
      }
      case 'body-abort':
        this.#abandon(job)
        break
    }
  }

  #abandon(job: number): void {
    const open = this.#bodies.get(job)
    this.#bodies.delete(job)
    try {
      open?.writer.abandon()
    } catch (error) {
      // The file stays; the next start removes it.
      if (!(error instanceof StorageError)) throw error
    }
  }
}
