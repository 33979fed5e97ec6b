// Merges segments in the background and frees their space, on separate threads; writes and searches
// never wait for it. Usually one merge runs at a time. When no batch and no search has run for a
// moment, a second one may begin beside it if it is large: an import leaves many large segments, and
// those who wait for its end search at once.
//
// A merge uses the view with which it began. Changes of the index meanwhile are considered at the
// commit: documents that died get tombstones in the merged segment, and a merge whose segments are
// gone is discarded. A batch that runs during a merge calls `follow` to find where the documents of
// its segments are now.
import { MiB } from '../../../format/bytes/index.ts'
import { asSegmentNo, type IndexNo, type SegmentNo } from '../../../format/ids.ts'
import type { Change } from '../../../format/manifest/index.ts'
import { Canceled, StorageError } from '../../model/index.ts'
import type { IndexState, Manifest, SegmentState, State } from '../../store/catalog/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import type { Lease, Views } from '../../store/views/index.ts'
import {
  type Indexing,
  type NewSegment,
  NO_OFFER,
  type Offer,
  removeSegment,
} from '../indexer/index.ts'
import {
  hasTooManySegments,
  type Merge,
  type MergeMode,
  nextMerge,
  offerOf,
} from './merge-policy.ts'

export type MergerOptions = {
  readonly fs: FileSystem
  readonly manifest: Manifest
  readonly views: Views
  readonly indexing: Indexing
  /** Called after a merge was committed. */
  readonly onCommitted: () => void
  readonly report: (message: string, error: unknown) => void
  /** Returns whether a search waits for a thread: then merges are fewer. */
  readonly searchesWait: () => boolean
  /** Returns the busy share of the search threads: 0 if there were no searches for a moment. */
  readonly searchShare: () => number
  /** Milliseconds of any clock. */
  readonly now: () => number
  /** Milliseconds without changes after which an index is idle. */
  readonly restMs?: number
}

const REST_MS = 1500
/**
 * Milliseconds between merges while searches wait, unless a layer has too many segments: each merge
 * creates a new view, and its thread takes time from searches.
 */
const YIELD_MS = 2000
/** Milliseconds between checks whether searches still wait. */
const YIELD_POLL_MS = 100
/** Copied bytes from which on a merge may run beside another one: half a second of work. */
const BESIDE_BYTES_MIN = 8 * MiB

/** The offer to a batch, reserved until disposal: declare it with `using`. */
export type BatchOffer = Disposable & { readonly offer: Offer }

/** Milliseconds without merges after a failure, such as a full disk. */
const FAILURE_PAUSE_MS = 10_000

export class Merger {
  readonly #options: MergerOptions
  readonly #controller = new AbortController()
  /**
   * Indexes to examine, with the time of their last change. A merged index moves to the end, so
   * that indexes which change constantly take turns.
   */
  readonly #touched = new Map<IndexNo, number>()
  /** Indexes with damaged files: merging them would fail again. */
  readonly #damaged = new Set<IndexNo>()
  /**
   * For each segment merged since the oldest running batch began: the segment it was merged into, or 0 if
   * none of its documents was alive.
   */
  readonly #followed = new Map<SegmentNo, SegmentNo>()
  /** Segments that the running batches may take over; no merge begins with one of them. */
  readonly #offered = new Set<SegmentNo>()
  #batches = 0
  #batchEndedAt = Number.NEGATIVE_INFINITY
  /**
   * Segments that must not be merged with others: each was the largest of some that do not fit into
   * one. Forgotten with the engine: finding it out again costs little.
   */
  readonly #apart = new Set<SegmentNo>()
  /** Segments of the running merges, with their index. */
  readonly #merging = new Map<SegmentNo, IndexNo>()
  /** The index that a task compacts completely; its signal cancels this. */
  #compacting: { readonly index: IndexNo; readonly signal: AbortSignal } | null = null
  /** The error of a merge of that index. */
  #failure: unknown = null
  /** When the last merge ended. */
  #endedAt = Number.NEGATIVE_INFINITY
  /** Sequences of merges that are running: as many as merges. */
  readonly #running = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | null = null
  /** Looks whether a second merge may begin; null after the end of the first one. */
  #besideTimer: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(options: MergerOptions) {
    this.#options = options
  }

  /** Notes that the segments of an index have changed. */
  touch(index: IndexNo): void {
    this.#touched.set(index, this.#options.now())
    this.#wake()
  }

  /**
   * Begins a batch of an index: from now on its segments can be followed, and it may take over the
   * small ones that are offered.
   */
  offer(index: IndexNo): BatchOffer {
    if (this.#batches++ === 0) this.#followed.clear()
    const state = this.#options.manifest.state.indexes.get(index)
    const offer = state === undefined ? NO_OFFER : offerOf(state, this.#merging)
    for (const segment of offer.segments) this.#offered.add(segment)
    const end = (): void => {
      this.#batches--
      this.#batchEndedAt = this.#options.now()
      for (const segment of offer.segments) this.#offered.delete(segment)
      if (this.#touched.size > 0) this.#wake()
    }
    return { offer, [Symbol.dispose]: end }
  }

  /** Returns the segment that now contains the documents of `segment`, or 0 if none is alive. */
  follow(segment: SegmentNo): SegmentNo {
    let at = segment
    for (let next = this.#followed.get(at); next !== undefined; next = this.#followed.get(at)) {
      at = next
    }
    return at
  }

  /** Resolves when nothing is left to merge, treating all indexes as idle. For tests and tools. */
  async allMerged(): Promise<void> {
    for (const index of this.#touched.keys()) this.#touched.set(index, Number.NEGATIVE_INFINITY)
    do {
      this.#wake()
      await Promise.all(this.#running)
    } while (this.#running.size > 0)
  }

  /**
   * Merges one index completely and removes its dead documents. Nothing may write to it meanwhile.
   * @throws Canceled, and errors of the merge
   */
  async compact(index: IndexNo, signal: AbortSignal): Promise<void> {
    this.#compacting = { index, signal }
    try {
      this.#failure = null
      this.#touched.set(index, Number.NEGATIVE_INFINITY)
      while (this.#touched.has(index)) {
        this.#wake()
        await Promise.all(this.#running)
        if (signal.aborted || this.#isClosed) throw new Canceled()
        if (this.#failure !== null) throw this.#failure
      }
    } finally {
      this.#compacting = null
    }
  }

  /** Aborts the running merges, which change nothing. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#endBesideTimer()
    this.#controller.abort()
    await Promise.all(this.#running)
  }

  #wake(): void {
    const mostRunning = this.#batches === 0 ? this.#options.indexing.mergesMax : 1
    if (this.#isClosed || this.#running.size >= mostRunning) return
    const run = Promise.resolve()
      .then(() => this.#run())
      .catch((error: unknown) => this.#options.report('Merging stopped.', error))
      .finally(() => this.#running.delete(run))
    this.#running.add(run)
  }

  /** Merges until nothing pays any more; then sets the timer for indexes that are not idle yet. */
  async #run(): Promise<void> {
    for (;;) {
      const work = this.#next()
      if (work === null || this.#isClosed) break
      if (!this.#mayRun(work.merge)) {
        this.#besideTimer ??= setTimeout(() => {
          this.#besideTimer = null
          this.#wake()
        }, this.#restMs).unref()
        return
      }
      if (this.#yields(work.index)) {
        this.#later(YIELD_POLL_MS)
        return
      }
      const merged = this.#merge(work.index, work.merge)
      this.#wake()
      const mayContinue = await merged
      this.#putLast(work.index)
      if (!mayContinue) {
        this.#later(FAILURE_PAUSE_MS)
        return
      }
    }
    // The end of a merge that still runs is the next time to look.
    if (this.#touched.size > 0 && this.#merging.size === 0) this.#later(this.#restMs)
  }

  /** Returns false if a merge must wait for the end of the one that is running. */
  #mayRun({ bytes }: Merge): boolean {
    if (this.#merging.size === 0) return true
    const { now, searchShare } = this.#options
    const hasRested = this.#batches === 0 && now() >= this.#batchEndedAt + this.#restMs
    return hasRested && searchShare() === 0 && bytes >= BESIDE_BYTES_MIN
  }

  #endBesideTimer(): void {
    if (this.#besideTimer !== null) clearTimeout(this.#besideTimer)
    this.#besideTimer = null
  }

  get #restMs(): number {
    return this.#options.restMs ?? REST_MS
  }

  #putLast(index: IndexNo): void {
    const touchedAt = this.#touched.get(index)
    if (touchedAt === undefined) return
    this.#touched.delete(index)
    this.#touched.set(index, touchedAt)
  }

  /** Returns whether the next merge of the index must wait because searches wait. */
  #yields(index: IndexNo): boolean {
    const { manifest, searchesWait, now } = this.#options
    if (this.#compacting?.index === index || now() >= this.#endedAt + YIELD_MS) return false
    return searchesWait() && !hasTooManySegments(manifest.state.indexes.get(index)!)
  }

  #later(ms: number): void {
    if (this.#isClosed || this.#timer !== null) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#wake()
    }, ms)
    this.#timer.unref()
  }

  #next(): { index: IndexNo; merge: Merge } | null {
    const { manifest } = this.#options
    const restedBefore = this.#options.now() - this.#restMs
    const reserved = new Set([...this.#offered, ...this.#merging.keys()])
    for (const [index, touchedAt] of this.#touched) {
      const state = manifest.state.indexes.get(index)
      const isIdle = touchedAt <= restedBefore
      const isSound = state !== undefined && !this.#damaged.has(index)
      const merge = isSound
        ? nextMerge(state, this.#modeOf(index, isIdle), reserved, this.#apart)
        : null
      if (merge !== null) return { index, merge }
      const isMerging = [...this.#merging.values()].includes(index)
      if ((isIdle || state === undefined) && !isMerging) this.#touched.delete(index)
    }
    return null
  }

  #modeOf(index: IndexNo, isIdle: boolean): MergeMode {
    if (this.#compacting?.index === index) return 'whole'
    return isIdle ? 'idle' : 'busy'
  }

  /** Runs one merge. Returns whether merging may continue immediately. */
  async #merge(index: IndexNo, { layer, segments }: Merge): Promise<boolean> {
    const { views, indexing, report } = this.#options
    using lease = views.lease(index)
    if (lease === null) return true
    for (const segment of segments) this.#merging.set(segment, index)
    try {
      const view = lease.ref
      const request = { kind: 'merge', view, layer, segments } as const
      const hooks = { signal: this.#signalFor(index), progress: () => undefined }
      const merged = await indexing.run(request, hooks)
      if (merged === 'apart') this.#apart.add(segments.at(-1)!)
      else await this.#commit(lease, segments, merged)
      return true
    } catch (error) {
      if (error instanceof Canceled || this.#isClosed) return false
      if (this.#compacting?.index === index) this.#failure = error
      report('Segments could not be merged.', error)
      const isDamaged =
        !(error instanceof StorageError) || error.code === 'corrupt' || error.code === 'missing'
      if (isDamaged) this.#damaged.add(index)
      return isDamaged
    } finally {
      for (const segment of segments) this.#merging.delete(segment)
      this.#endedAt = this.#options.now()
      this.#endBesideTimer()
    }
  }

  /** Returns a signal that cancels merges of this index. */
  #signalFor(index: IndexNo): AbortSignal {
    const { signal } = this.#controller
    if (this.#compacting?.index !== index) return signal
    return AbortSignal.any([signal, this.#compacting.signal])
  }

  async #commit(
    lease: Lease,
    segments: readonly SegmentNo[],
    merged: NewSegment | null,
  ): Promise<void> {
    const { fs, manifest, onCommitted } = this.#options
    let isDone = false
    try {
      await manifest.commit((state) => {
        const changes = mergeChanges(state, lease.state, segments, merged)
        isDone = changes !== null
        return changes ?? []
      })
    } catch (error) {
      if (merged !== null) removeSegment(fs, merged)
      throw error
    }
    if (isDone) {
      for (const segment of segments) this.#followed.set(segment, merged?.segment ?? asSegmentNo(0))
      onCommitted()
    } else if (merged !== null) removeSegment(fs, merged)
  }
}

/**
 * Returns the changes that replace `segments` by `merged`, which was built from their state in
 * `before`; null if one of them is gone.
 */
function mergeChanges(
  state: State,
  before: IndexState,
  segments: readonly SegmentNo[],
  merged: NewSegment | null,
): Change[] | null {
  const { index } = before
  const now = state.indexes.get(index)
  const changes: Change[] = []
  let died = null as SegmentState['dead'] | null
  for (const segment of segments) {
    const current = now?.segments.get(segment)
    if (current === undefined) return null
    const diedSince = current.dead.andNot(before.segments.get(segment)!.dead)
    if (!diedSince.isEmpty) died = died === null ? diedSince : died.or(diedSince)
    changes.push({ kind: 'segment-removed', index, segment })
  }
  if (merged === null || died?.size === merged.documents) return changes
  changes.push({ kind: 'segment-added', index, ...merged })
  if (died !== null) {
    const { segment } = merged
    changes.push({
      kind: 'tombstones-added',
      index,
      segment,
      form: 'delta',
      generation: 1,
      ids: died,
    })
  }
  return changes
}
