// Publishes the state of an open database into an object store every few seconds, for followers: a
// head and the files that the store does not have. Batches and searches continue meanwhile. If
// nothing has changed, nothing is sent.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Bucket,
  filesInStore,
  leasedSnapshots,
  retain,
  snapshotName,
  uploadIncrement,
} from '../backup/objstore/index.ts'
import { type ArchiveFiles, type Archiver, runArchiveJob } from '../backup/snapshot/index.ts'
import { Canceled, EngineFault, StorageError } from '../model/index.ts'
import { PUBLISHING } from '../store/catalog/index.ts'
import { drawLogSalt } from '../store/storage/index.ts'
import {
  type CutParts,
  digestsOf,
  openBucket,
  storeTurnsOf,
  takeConsistentCut,
} from '../task-kinds/index.ts'
import { formatMicros, type Micros } from '../write/tasks/index.ts'
import { DIGEST_BYTES_MAX, KEPT_MIN, LAST_MS, RETENTION_MS, RETRY_MS_MAX } from './limits.ts'
import { LogPieces } from './log-pieces.ts'
import type { PublishOptions } from './options.ts'

export type PublisherParts = CutParts & {
  readonly options: PublishOptions
  /** Computes checksums of large files. */
  readonly archiver: Archiver
  readonly now: () => Micros
}

export class Publisher {
  readonly #parts: PublisherParts
  /** Aborts requests. */
  readonly #halt = new AbortController()
  /** Ends pauses. */
  readonly #pauses = new AbortController()
  /** Checksums of files that never change, by path. */
  readonly #digests = new Map<string, string>()
  readonly #pieces = new LogPieces()
  readonly #digester: Archiver
  #running: Promise<void> = Promise.resolve()
  /** A key of the state that was published last: it changes with the state. */
  #published = ''
  #retainedAt = 0
  #problem: string | null = null

  constructor(parts: PublisherParts) {
    this.#parts = parts
    this.#digester = { run: (job, hooks) => this.#digest(job, hooks) }
  }

  start(): void {
    this.#running = this.#publishRepeatedly()
  }

  /** Publishes the last changes, within a limited time. */
  async stop(): Promise<void> {
    this.#pauses.abort()
    await this.#running
    const timer = setTimeout(() => this.#halt.abort(), LAST_MS)
    await this.#publishQuietly()
    clearTimeout(timer)
  }

  async #publishRepeatedly(): Promise<void> {
    const { intervalMs } = this.#parts.options
    while (!this.#pauses.signal.aborted) {
      const begun = this.#parts.now()
      await this.#publishQuietly()
      try {
        const pause = Math.max(0, intervalMs - (this.#parts.now() - begun) / 1000)
        await sleep(pause, undefined, { signal: this.#pauses.signal })
      } catch (error) {
        if (!this.#pauses.signal.aborted) throw error
      }
    }
  }

  async #publishQuietly(): Promise<void> {
    const { say } = this.#parts.options
    try {
      await this.publish()
      if (this.#problem !== null) say('info', 'The database is published again.')
      this.#problem = null
    } catch (error) {
      if (error instanceof Canceled || this.#halt.signal.aborted) return
      if (!(error instanceof EngineFault || error instanceof StorageError)) throw error
      const words = error.message
      if (words !== this.#problem) say('warn', `The database could not be published: ${words}`)
      this.#problem = words
    }
  }

  /** Publishes if anything has changed. @throws EngineFault, StorageError */
  async publish(): Promise<void> {
    const { options, manifest, queue, log } = this.#parts
    const { store } = options
    const now = `${manifest.state.sequence} ${log.path} ${queue.cut?.bytes ?? ''}`
    if (now === this.#published) return
    const retryMsMax = Math.min(store.retryMsMax ?? RETRY_MS_MAX, RETRY_MS_MAX)
    const { transport = store.transport } = options
    const storeOptions = { ...store, transport, retryMsMax }
    const bucket = await openBucket(storeOptions, this.#halt.signal)
    await storeTurnsOf(store).upload(() => this.#upload(bucket))
    this.#published = now
    await this.#retain(bucket)
  }

  async #upload(bucket: Bucket): Promise<void> {
    const { options, fs, version } = this.#parts
    const { place, partBytes, lanesMax } = options.store
    const turns = storeTurnsOf(options.store)
    turns.known ??= await filesInStore(bucket, place)
    const createdAt = formatMicros(this.#parts.now())
    const cut = await takeConsistentCut(this.#parts, {
      sealed: null,
      compact: false,
      folder: PUBLISHING,
    })
    try {
      const parts = { archiver: this.#digester, digests: this.#digests }
      const [log, ...others] = cut.tasks
      const whole = [...cut.catalog, ...others, ...cut.segments]
      const digests = await digestsOf(parts, whole, bucket.signal)
      const pieces = await this.#pieces.of(log!, this.#digester, bucket.signal)
      const files = [...whole, log!]
      const list = [
        ...whole.map(({ path, bytes }, i) => ({ path, bytes, sha256: digests[i]! })),
        { path: log!.path, bytes: log!.bytes, sha256: null, pieces },
      ]
      const { writer } = options
      const writerPart = writer === undefined ? {} : { writer }
      const head = { version, createdAt, sequence: cut.sequence, ...writerPart, files: list }
      const name = snapshotName(createdAt, drawLogSalt())
      const increment = {
        bucket,
        place,
        fs,
        partBytes,
        lanesMax,
        progress: () => undefined,
        kind: 'published',
        known: turns.known,
      } as const
      await uploadIncrement(increment, name, head, files)
    } catch (error) {
      // The next upload lists the store again.
      turns.known = null
      throw error
    } finally {
      await cut.release()
    }
  }

  /** Runs at intervals: each time costs a request for every head and lease. */
  async #retain(bucket: Bucket): Promise<void> {
    const { store } = this.#parts.options
    const now = store.now()
    if (now - this.#retainedAt < RETENTION_MS) return
    const leased = await leasedSnapshots(bucket, store.place, now)
    await storeTurnsOf(store).retain(async () => {
      this.#retainedAt = now
      await retain(bucket, store.place, { kind: 'published', count: KEPT_MIN, leased })
    })
  }

  /** Starts a thread only for many bytes. */
  #digest(...[job, hooks]: Parameters<Archiver['run']>): ReturnType<Archiver['run']> {
    const { archiver, fs } = this.#parts
    const bytes = job.files.reduce((sum, file) => sum + file.bytes, 0)
    if (bytes > DIGEST_BYTES_MAX) return archiver.run(job, hooks)
    const files: ArchiveFiles = { fs, outside: () => fs }
    return runArchiveJob(files, job, hooks)
  }
}
