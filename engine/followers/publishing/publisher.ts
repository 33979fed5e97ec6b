// Publishes the state of an open database into an object store every few seconds, for followers: a
// head and the files that the store does not have. Batches and searches continue meanwhile. If
// nothing has changed, nothing is sent.
import { setTimeout as sleep } from 'node:timers/promises'
import { CorruptionError } from '../../../format/errors.ts'
import { ArchiveError } from '../../backup/archive/index.ts'
import {
  type Bucket,
  type HeadNames,
  retain,
  uploadIncrement,
} from '../../backup/objstore/index.ts'
import {
  type ArchiveFiles,
  type Archiver,
  type PackedFile,
  runArchiveJob,
  type SnapshotFile,
} from '../../backup/snapshot/index.ts'
import {
  Canceled,
  EngineFault,
  type Publication,
  type PublishStatus,
  StorageError,
} from '../../model/index.ts'
import { PUBLISHING } from '../../store/catalog/index.ts'
import {
  type ConsistentCut,
  type CutParts,
  digestsOf,
  openBucket,
  storeTurnsOf,
  storeWords,
  takeConsistentCut,
} from '../../task-kinds/database/index.ts'
import { steadyMs } from '../../time/index.ts'
import { formatMicros, type Micros } from '../../write/task-data/index.ts'
import { fencedTransport, lapsed } from './leased-term.ts'
import {
  DIGEST_BYTES_MAX,
  HURRY_MS,
  KEPT_MIN,
  LAST_MS,
  RETENTION_MS,
  RETENTION_STATES,
  RETRY_MS_MAX,
  WAIT_MS_MAX,
} from './limits.ts'
import { LogPieces } from './log-pieces.ts'
import type { PublishOptions } from './options.ts'
import type { UnpublishedWrites } from './unpublished.ts'
import { notPublished, Waiting } from './waiting.ts'

export type PublisherParts = CutParts & {
  readonly options: PublishOptions
  /** Computes checksums of large files. */
  readonly archiver: Archiver
  readonly now: () => Micros
  readonly names: HeadNames
  /** Requests that are kept until they are published; null if there is no lease. */
  readonly unpublished: UnpublishedWrites | null
}

type Last = { readonly name: string; readonly createdAt: string }

export class Publisher implements Publication {
  readonly #parts: PublisherParts
  /** Aborts requests. */
  readonly #halt = new AbortController()
  /** Ends pauses. */
  readonly #pauses = new AbortController()
  readonly #waiting: Waiting
  /** Checksums of files that never change, by path. */
  readonly #digests = new Map<string, string>()
  readonly #pieces = new LogPieces()
  readonly #digester: Archiver
  #running: Promise<void> = Promise.resolve()
  /** A key of the state that was published last: it changes with the state. */
  #published = ''
  #last: Last | null = null
  #retainedAt = Number.NEGATIVE_INFINITY
  /** States that were published since old ones were removed. */
  #added = 0
  #problem: string | null = null
  #isRefused = false
  #failures = 0
  #endPause: () => void = () => undefined
  /** Whether the queue has wanted a publication since the last one began. */
  #isWanted = false

  constructor(parts: PublisherParts) {
    this.#parts = parts
    this.#digester = { run: (job, hooks) => this.#digest(job, hooks) }
    this.#waiting = new Waiting(WAIT_MS_MAX, () => this.#endPause())
    const { unpublished, options } = parts
    if (unpublished !== null) {
      unpublished.onWanted = () => {
        this.#isWanted = true
        this.#endPause()
      }
    }
    options.lease?.lost.then(() => {
      // Requests that are repeated would delay the change of the role.
      this.#halt.abort()
      this.#waiting.fail()
    })
  }

  get status(): PublishStatus {
    const { store, lease, mode = 'interval' } = this.#parts.options
    return {
      place: storeWords(store),
      mode,
      snapshot: this.#last?.name ?? null,
      publishedAt: this.#last?.createdAt ?? null,
      problem: this.#problem,
      isRefused: this.#isRefused,
      unreadable: storeTurnsOf(store).unreadable.count,
      lease: lease === undefined ? null : { term: lease.term, isHeld: lease.isHeld },
    }
  }

  /** Throws if writes must not be acknowledged now. @throws EngineFault */
  expectHeld(): void {
    if (this.#parts.options.lease?.isHeld === false) throw lapsed()
  }

  /**
   * Resolves when all that is durable now may be acknowledged: what is not a task must be published
   * under a lease, because only tasks can be saved when another instance takes over.
   * @throws EngineFault `write_not_published`, `writer_lease_lapsed`
   */
  async acknowledged(isTask: boolean): Promise<void> {
    const { lease, mode } = this.#parts.options
    if (mode === 'sync' || (lease !== undefined && !isTask)) {
      await this.#waiting.wait()
    }
    if (lease?.isHeld === false) throw notPublished()
  }

  start(): void {
    this.#running = this.#publishRepeatedly()
  }

  /** Publishes the last changes, within a limited time. */
  async stop(): Promise<void> {
    this.#pauses.abort()
    await this.#running
    const timer = setTimeout(() => this.#halt.abort(), LAST_MS)
    if (this.#parts.options.lease?.isLost !== true) await this.#publishQuietly()
    clearTimeout(timer)
    this.#waiting.fail()
  }

  async #publishRepeatedly(): Promise<void> {
    const { intervalMs, lease } = this.#parts.options
    while (!this.#pauses.signal.aborted && lease?.isLost !== true) {
      const begun = steadyMs()
      await this.#publishQuietly()
      const hurryMs = this.#failures === 0 ? 0 : HURRY_MS * 2 ** Math.min(this.#failures, 10)
      const isUrgent = this.#isWanted || !this.#waiting.isEmpty
      const restMs = isUrgent ? hurryMs : intervalMs - (steadyMs() - begun)
      await this.#pause(Math.min(Math.max(restMs, 0), intervalMs))
    }
  }

  /** Ends early when a write waits to be published, unless the last attempt failed. */
  async #pause(ms: number): Promise<void> {
    const end = new AbortController()
    if (this.#failures === 0) this.#endPause = () => end.abort()
    const signal = AbortSignal.any([this.#pauses.signal, end.signal])
    try {
      await sleep(ms, undefined, { signal })
    } catch (error) {
      if (!signal.aborted) throw error
    }
    this.#endPause = () => undefined
  }

  async #publishQuietly(): Promise<void> {
    const { say, report } = this.#parts.options
    const isPublished = this.#waiting.begin()
    this.#isWanted = false
    try {
      await this.publish(isPublished)
      if (this.#problem !== null) say('info', 'The database is published again.')
      this.#failures = 0
      this.#problem = null
      this.#isRefused = false
    } catch (error) {
      this.#failures++
      if (error instanceof Canceled || this.#halt.signal.aborted) return
      const isExpected =
        error instanceof EngineFault ||
        error instanceof StorageError ||
        error instanceof ArchiveError ||
        error instanceof CorruptionError
      const words = isExpected ? error.message : String(error)
      this.#isRefused = error instanceof EngineFault && error.code === 'another_publisher'
      if (words === this.#problem) return
      this.#problem = words
      // A programming error: the database itself goes on.
      if (!isExpected) report?.('The database could not be published.', error)
      const place = storeWords(this.#parts.options.store)
      const level = this.#isRefused ? 'error' : 'warn'
      say(level, `The database could not be published to ${place}: ${words}`)
    }
  }

  /**
   * Publishes if anything has changed. `isPublished`: called as soon as the state is in the store;
   * old states are removed after that. @throws EngineFault, StorageError
   */
  async publish(isPublished: () => void = () => undefined): Promise<void> {
    const { options, manifest, queue, log } = this.#parts
    const { store, lease } = options
    const now = `${manifest.state.sequence} ${log.path} ${queue.upkeep.cut?.bytes ?? ''}`
    if (now === this.#published) return isPublished()
    const retryMsMax = Math.min(store.retryMsMax ?? RETRY_MS_MAX, RETRY_MS_MAX)
    const { transport: own = store.transport } = options
    const transport = lease === undefined ? own : fencedTransport(lease, own)
    const storeOptions = { ...store, transport, retryMsMax }
    const bucket = await openBucket(storeOptions, this.#halt.signal)
    await storeTurnsOf(store).upload(() => this.#upload(bucket))
    this.#published = now
    isPublished()
    await this.#retain(bucket)
  }

  async #upload(bucket: Bucket): Promise<void> {
    const { options, fs, version, names, unpublished } = this.#parts
    const { store, lease, writer } = options
    const { place, partBytes, lanesMax } = store
    const turns = storeTurnsOf(store)
    const { name, placed } = await names.next(bucket, 'published')
    const createdAt = formatMicros(this.#parts.now())
    const isPublished = unpublished?.cut()
    const cut = await takeConsistentCut(this.#parts, {
      sealed: null,
      compact: false,
      folder: PUBLISHING,
    })
    try {
      const { list, files } = await this.#listed(cut, bucket.signal)
      const writerPart = writer === undefined ? {} : { writer }
      const { sequence, nextTask } = cut
      const head = { version, createdAt, sequence, ...writerPart, placed, files: list }
      const increment = {
        bucket,
        place,
        fs,
        partBytes,
        lanesMax,
        progress: () => undefined,
        kind: 'published',
        turns,
      } as const
      await uploadIncrement(increment, name, head, files)
      await lease?.publish(name, nextTask)
      this.#last = { name, createdAt }
      this.#added++
      await isPublished?.(nextTask)
    } catch (error) {
      // The next upload lists the store again.
      turns.known = null
      throw error
    } finally {
      await cut.release()
    }
  }

  /** Returns the files of a cut with their checksums, for its head, and where their bytes are. */
  async #listed(
    cut: ConsistentCut,
    signal: AbortSignal,
  ): Promise<{ readonly list: readonly SnapshotFile[]; readonly files: readonly PackedFile[] }> {
    const parts = { archiver: this.#digester, digests: this.#digests }
    const [log, ...others] = cut.tasks
    const whole = [...cut.catalog, ...others, ...cut.segments]
    const digests = await digestsOf(parts, whole, signal)
    const pieces = await this.#pieces.of(log!, this.#digester, signal)
    const list = [
      ...whole.map(({ path, bytes }, i) => ({ path, bytes, sha256: digests[i]! })),
      { path: log!.path, bytes: log!.bytes, sha256: null, pieces },
    ]
    return { list, files: [...whole, log!] }
  }

  /**
   * Runs at intervals, or after many states: each time costs a request for every head and lease,
   * and uploads wait meanwhile.
   */
  async #retain(bucket: Bucket): Promise<void> {
    const { store } = this.#parts.options
    const now = steadyMs()
    if (now - this.#retainedAt < RETENTION_MS && this.#added < RETENTION_STATES) return
    const turns = storeTurnsOf(store)
    const leased = await turns.leases.snapshots(bucket, store.place)
    await turns.retain(async () => {
      this.#retainedAt = now
      this.#added = 0
      await retain(bucket, store.place, { kind: 'published', count: KEPT_MIN, leased, turns })
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
