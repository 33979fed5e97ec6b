// The work of a search thread without the thread: holds views and runs jobs. Tests and engines
// without threads run it in place.
import { CorruptionError, VersionError } from '../../../format/errors.ts'
import type { IndexNo, SegmentNo } from '../../../format/ids.ts'
import { Canceled, EngineFault, StorageError, toWire } from '../../model/index.ts'
import { type DroppedFile, type FileSystem, LOADED_BYTES_MAX } from '../../store/storage/index.ts'
import { runDocumentsMerge } from '../answers/index.ts'
import { FoldedCache } from '../facets/index.ts'
import {
  type AnyJob,
  type FederatedJob,
  type LackedVector,
  SearchableView,
  SearchControl,
  type SearchMessage,
  type SearchReply,
  SHARED_BYTES_MIN,
  VectorNeeded,
  type ViewKey,
  type ViewsJob,
  type WarmUpJob,
  type Watch,
} from '../jobs/index.ts'
import { ForeignIndexes } from '../retrieval/index.ts'
import {
  runDigest,
  runDocument,
  runDocuments,
  runExport,
  runFacetSearch,
  runFederated,
  runFields,
  runForeign,
  runHydration,
  runInstances,
  runSearch,
  runSearches,
  runSimilar,
  runStatistics,
} from '../search/index.ts'
import type { SearchRule } from '../search-rules/index.ts'
import { type CachedWordSets, fitWordSets, THREAD_BUDGET } from '../segment-text/index.ts'
import { SegmentCache } from '../segments/index.ts'
import { runSuggest } from '../suggest/index.ts'
import { type CacheBytes, FOLDED_BYTES_MAX } from './cache-memory.ts'
import { runWarmUp } from './run-warm-up.ts'

/** Interval in milliseconds for checking the lengths of open files: each costs a system call. */
const CHECK_INTERVAL_MS = 200

export type WorkerCoreOptions = {
  readonly fs: FileSystem
  /** Bytes of decompressed document blocks to cache. */
  readonly blockBytesMax: number
  /** Bytes of folded facet values to cache; absent: the usual limit. */
  readonly foldedBytesMax?: number
  /** Bytes of files that cannot be mapped to hold in memory; absent: the usual limit. */
  readonly loadedBytesMax?: number
  /** True if all threads of this database share the codes of vectors. */
  readonly sharesMemory?: boolean
  /** Returns true if a job was canceled. */
  readonly isCanceled: (job: number) => boolean
  /** Returns true if a job was preempted: others wait for the thread that it has held for long. */
  readonly isPreempted?: (job: number) => boolean
  /** For tests: replaces the clock of the machine, in milliseconds since 1970. */
  readonly wallMs?: () => number
  readonly send: (reply: SearchReply) => void
  /** Called with released files, which are unmapped after garbage collection. */
  readonly dropped: (files: readonly DroppedFile[]) => void
}

export class WorkerCore {
  readonly #options: WorkerCoreOptions
  readonly #cache: SegmentCache
  readonly #folded: FoldedCache
  readonly #views = new Map<string, SearchableView>()
  /** The newest view of each index. */
  readonly #newest = new Map<IndexNo, SearchableView>()
  /** Active rules in their order. */
  #rules: readonly SearchRule[] = []
  #checkedAt = 0
  /** When the running job began, in milliseconds since 1970: at one moment documents expire. */
  #now = 0

  constructor(options: WorkerCoreOptions) {
    this.#options = options
    const { fs, blockBytesMax, sharesMemory } = options
    this.#cache = new SegmentCache(fs, blockBytesMax, sharesMemory, true)
    this.#folded = new FoldedCache(options.foldedBytesMax ?? FOLDED_BYTES_MAX)
  }

  /** Bytes that the caches hold. */
  get cacheBytes(): CacheBytes {
    return {
      documents: this.#cache.blockBytes,
      facets: this.#folded.byteCount,
      sets: THREAD_BUDGET.bytesOf('sets'),
      pairs: THREAD_BUDGET.bytesOf('pairs'),
      words: this.#wordSets().reduce((sum, { byteLength }) => sum + byteLength, 0),
      bounds: THREAD_BUDGET.bytesOf('bounds'),
      boosts: THREAD_BUDGET.bytesOf('boosts'),
    }
  }

  #wordSets(): readonly CachedWordSets[] {
    return [...this.#views.values()].flatMap(({ view }) => view.wordSets ?? [])
  }

  handle(message: SearchMessage): void {
    switch (message.kind) {
      case 'view':
        this.#addView(message.view, message.isAhead)
        break
      case 'forget':
        this.#forget(message.views, message.segments)
        break
      case 'rules':
        this.#rules = message.rules
        break
      default:
        this.#now = (this.#options.wallMs ?? Date.now)()
        this.#options.send(this.#answer(message))
        // Answers are copies: no record outlives its job.
        this.#cache.recycle()
        fitWordSets(this.#wordSets())
        this.#releaseLoaded()
    }
  }

  #addView(ref: SearchableView['ref'], isAhead: boolean): void {
    const earlier = this.#newest.get(ref.index) ?? null
    const view = new SearchableView(ref, this.#cache, earlier, () => this.#now)
    this.#views.set(keyOf(ref), view)
    this.#newest.set(ref.index, view)
    if (isAhead) prepare(view)
  }

  #forget(views: readonly ViewKey[], segments: readonly SegmentNo[]): void {
    for (const key of views) {
      this.#views.delete(keyOf(key))
      if (this.#newest.get(key.index)?.ref.sequence === key.sequence) this.#newest.delete(key.index)
    }
    this.#folded.drop(segments)
    this.#options.dropped(this.#cache.drop(segments))
  }

  #answer(job: AnyJob | ViewsJob | WarmUpJob): SearchReply {
    try {
      let degraded = false
      const late = (): void => {
        degraded = true
      }
      const lacked: LackedVector[] = []
      const lacksVector = (search: LackedVector): void => void lacked.push(search)
      const { isCanceled } = this.#options
      // A job that was moved to another thread is not started.
      if (isCanceled(job.job)) throw new Canceled()
      const isPreempted = (): boolean => this.#options.isPreempted?.(job.job) === true
      const watch = Object.assign((): boolean => isCanceled(job.job), {
        late,
        isPreempted,
        lacksVector,
      })
      const answer = this.#run(job, watch)
      const bytes = isPart(job) && answer.length >= SHARED_BYTES_MIN ? shared(answer) : answer
      const lackedVectors = lacked.length === 0 ? {} : { lackedVectors: lacked }
      return { kind: 'answer', job: job.job, bytes, degraded, ...lackedVectors }
    } catch (error) {
      if (error instanceof Canceled) return { kind: 'canceled', job: job.job }
      if (error instanceof VectorNeeded) {
        return { kind: 'vector-needed', job: job.job, needed: error.needed }
      }
      return { kind: 'failed', job: job.job, error: toWire(error) }
    }
  }

  /**
   * Releases files that were truncated by another process; views that read them are opened again. A
   * truncation between two checks can still end the process, but only this program writes to the
   * folder.
   */
  #releaseTruncated(): void {
    const now = performance.now()
    if (now - this.#checkedAt < CHECK_INTERVAL_MS) return
    this.#checkedAt = now
    this.#openAgain(this.#cache.dropShortened())
  }

  /** Keeps the memory of files within its limit where files cannot be mapped. */
  #releaseLoaded(): void {
    const { loadedBytesMax = LOADED_BYTES_MAX } = this.#options
    const { segments, files } = this.#cache.dropLoaded(loadedBytesMax)
    this.#openAgain(segments)
    this.#options.dropped(files)
  }

  /** Replaces the views that read these segments, which were closed. */
  #openAgain(closed: readonly SegmentNo[]): void {
    if (closed.length === 0) return
    this.#folded.drop(closed)
    for (const [key, { ref }] of this.#views) {
      if (!ref.segments.some(({ segment }) => closed.includes(segment))) continue
      const newest = this.#newest.get(ref.index) ?? null
      const anew = new SearchableView(ref, this.#cache, newest, () => this.#now)
      this.#views.set(key, anew)
      if (newest?.ref.sequence === ref.sequence) this.#newest.set(ref.index, anew)
    }
  }

  #view(key: ViewKey): SearchableView {
    const view = this.#views.get(keyOf(key))
    if (view === undefined) throw new EngineFault('internal', 'The view of a search is gone.')
    return view
  }

  #viewFor(key: ViewKey, job: AnyJob | ViewsJob | WarmUpJob): SearchableView {
    const view = this.#view(key)
    view.shards = 'shards' in job ? (job.shards ?? null) : null
    return view
  }

  #foreign(job: AnyJob | WarmUpJob): ForeignIndexes | null {
    if (!('foreign' in job)) return null
    const views = (job.others ?? []).map((key) => this.#view(key))
    return foreignOf(views, job)
  }

  #run(job: AnyJob | ViewsJob | WarmUpJob, watch: Watch): Uint8Array {
    this.#releaseTruncated()
    if (job.kind === 'documents-merge') return runDocumentsMerge(job.merge, watch)
    if (job.kind === 'hydration') {
      const views = job.views.map((key) => this.#viewFor(key, job))
      return runHydration(views, job.hydration)
    }
    if (job.kind === 'federated' || job.kind === 'searches' || job.kind === 'instances') {
      const views = job.views.map((key) => this.#viewFor(key, job))
      if (job.kind === 'instances') return runInstances(views, job, watch)
      return job.kind === 'federated'
        ? runFederated(views, job, this.#rules, watch, foreignOf(views, job))
        : runSearches(views, job, this.#rules, watch, foreignOf(views, job))
    }
    const view = this.#viewFor(job.view, job)
    const foreign = this.#foreign(job)
    switch (job.kind) {
      case 'search':
        return runSearch(view, job, this.#rules, watch, foreign)
      case 'facet-search':
        return runFacetSearch(view, job, watch, this.#folded, foreign)
      case 'suggest':
        return runSuggest(view, job, watch, foreign)
      case 'documents':
        return runDocuments(view, job.request, job.features, watch, foreign)
      case 'document':
        return runDocument(view, job.id, job.fields, job.retrieveVectors)
      case 'export': {
        const control = new SearchControl(Number.POSITIVE_INFINITY, watch)
        return runExport(view, job.chunk, job.features, control)
      }
      case 'digest':
        return runDigest(view, job.chunk, new SearchControl(Number.POSITIVE_INFINITY, watch))
      case 'similar':
        return runSimilar(view, job, watch, foreign)
      case 'foreign':
        return runForeign(view, job.request, job.features, watch)
      case 'statistics':
        return runStatistics(view, job)
      case 'fields':
        return runFields(view, job.request)
      case 'warm-up':
        return runWarmUp(view, job, watch)
    }
  }
}

/**
 * Returns true if the answer goes to a search thread, to be merged with those of other instances.
 */
const isPart = (job: AnyJob | ViewsJob | WarmUpJob): boolean =>
  job.kind === 'federated'
    ? job.federation.merger?.by === 'self'
    : job.kind === 'documents' && job.request.merger === 'self'

/** Copies bytes to shared memory, so that the main thread passes them on without a copy. */
function shared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
  copy.set(bytes)
  return copy
}

/** Prepares a view without a search; a damaged segment is reported by the search that reads it. */
function prepare(view: SearchableView): void {
  try {
    view.prepare()
  } catch (error) {
    const isKnown = error instanceof CorruptionError || error instanceof VersionError
    // The view may be retired already, and its files removed.
    if (!isKnown && !(error instanceof StorageError)) throw error
  }
}

const foreignOf = (
  views: readonly SearchableView[],
  { foreign, features }: Pick<FederatedJob, 'foreign' | 'features'>,
): ForeignIndexes | null =>
  foreign === undefined ? null : new ForeignIndexes(views, foreign, features)

const keyOf = ({ index, sequence }: ViewKey): string => `${index}:${sequence}`
