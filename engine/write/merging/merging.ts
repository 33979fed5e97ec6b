// Merges segments in the background and gives their space back. One merge runs at a time, on a
// thread of its own; writes and searches never wait for it.
//
// A merge works on the view it began with. What happens to the index meanwhile is made up for when
// it is committed: documents that died get their tombstones in the merged segment, and a merge
// whose segments are gone is thrown away. A batch that runs across a merge asks `follow` where the
// segments it knew have gone.
import type { IndexNo, SegmentNo } from '../../../format/ids.ts'
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
  /** What one merge may hold in memory beside its inputs. */
  readonly memoryBytesMax: number
  /** Called when a merge was committed. */
  readonly onCommitted: () => void
  readonly report: (message: string, error: unknown) => void
  /** Whether a search waits for a thread: merges are fewer then. */
  readonly searchesWait: () => boolean
  /** Milliseconds, from anywhere. */
  readonly now: () => number
  /** An index rests when it was left alone for so long. */
  readonly restMs?: number
}

const REST_MS = 1500
/**
 * While searches wait a merge begins so long after the last one, unless a layer has too many
 * segments: each merge is a new view, and its thread takes time from searches.
 */
const YIELD_MS = 2000
/** How often it is looked whether they still wait. */
const YIELD_LOOK_MS = 100

/** What is offered to a batch, until it has ended: use it with `using`. */
export type BatchOffer = Disposable & { readonly made: Offer }

/** After a failure, the disk being full for example, nothing is merged for so long. */
const FAILURE_PAUSE_MS = 10_000

export class Merger {
  readonly #options: MergerOptions
  readonly #controller = new AbortController()
  /**
   * Indexes to look at, and when they were last changed. One that was merged goes to the end, so
   * that indexes which change all day take turns.
   */
  readonly #touched = new Map<IndexNo, number>()
  /** Indexes whose files are damaged: merging would fail again. */
  readonly #damaged = new Set<number>()
  /**
   * Segment → the one it was merged into since the running batch began, 0: nothing of it was alive.
   */
  readonly #followed = new Map<SegmentNo, SegmentNo>()
  /** Segments that the running batch may take over; no merge begins with one of them. */
  #offered: ReadonlySet<SegmentNo> = new Set()
  /** Segments of the running merge. */
  #merging: ReadonlySet<SegmentNo> = new Set()
  /** The index that a task wants merged as far as it goes; the signal fires when it does not. */
  #compacting: { readonly index: IndexNo; readonly signal: AbortSignal } | null = null
  /** What a merge of that index failed with. */
  #failure: unknown = null
  /** When the last merge ended. */
  #endedAt = Number.NEGATIVE_INFINITY
  #running: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(options: MergerOptions) {
    this.#options = options
  }

  /** The segments of an index are others now. */
  touch(index: IndexNo): void {
    this.#touched.set(index, this.#options.now())
    this.#wake()
  }

  /**
   * A batch of an index begins: segments that it sees are followed from now on, and it may take
   * over the small ones that are offered to it.
   */
  offer(index: IndexNo): BatchOffer {
    this.#followed.clear()
    const state = this.#options.manifest.state.indexes.get(index)
    const made = state === undefined ? NO_OFFER : offerOf(state, this.#merging)
    this.#offered = new Set(made.segments)
    const end = (): void => {
      this.#offered = new Set()
      if (this.#touched.size > 0) this.#wake()
    }
    return { made, [Symbol.dispose]: end }
  }

  /** The segment in which the documents of `segment` are now; 0 when none of them is alive. */
  follow(segment: SegmentNo): SegmentNo {
    let at = segment
    for (let next = this.#followed.get(at); next !== undefined; next = this.#followed.get(at)) {
      at = next
    }
    return at
  }

  /** Resolves when nothing is left to merge, at rest too. For tests and tools. */
  async settle(): Promise<void> {
    for (const index of this.#touched.keys()) this.#touched.set(index, Number.NEGATIVE_INFINITY)
    do {
      this.#wake()
      await this.#running
    } while (this.#running !== null)
  }

  /**
   * Merges one index as far as it goes and frees it of its dead. Nothing may write to it meanwhile.
   * @throws Canceled, and what merging fails with
   */
  async compact(index: IndexNo, signal: AbortSignal): Promise<void> {
    this.#compacting = { index, signal }
    try {
      this.#failure = null
      this.#touched.set(index, Number.NEGATIVE_INFINITY)
      while (this.#touched.has(index)) {
        this.#wake()
        await this.#running
        if (signal.aborted || this.#isClosed) throw new Canceled()
        if (this.#failure !== null) throw this.#failure
      }
    } finally {
      this.#compacting = null
    }
  }

  /** Gives up the running merge; nothing of it stays. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#controller.abort()
    await this.#running
  }

  #wake(): void {
    if (this.#isClosed || this.#running !== null) return
    this.#running = this.#run().finally(() => {
      this.#running = null
    })
    this.#running.catch((error: unknown) => this.#options.report('Merging stopped.', error))
  }

  /**
   * Merges for as long as something is worth it now; then sets the clock for what has to rest
   * first.
   */
  async #run(): Promise<void> {
    for (;;) {
      const work = this.#next()
      if (work === null || this.#isClosed) break
      if (this.#yields(work.index)) {
        this.#later(YIELD_LOOK_MS)
        return
      }
      const went = await this.#merge(work.index, work.merge)
      this.#putLast(work.index)
      if (!went) {
        this.#later(FAILURE_PAUSE_MS)
        return
      }
    }
    if (this.#touched.size > 0) this.#later(this.#options.restMs ?? REST_MS)
  }

  #putLast(index: IndexNo): void {
    const touchedAt = this.#touched.get(index)
    if (touchedAt === undefined) return
    this.#touched.delete(index)
    this.#touched.set(index, touchedAt)
  }

  /** Whether the next merge of the index waits for a moment without waiting searches. */
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
    const restedBefore = this.#options.now() - (this.#options.restMs ?? REST_MS)
    for (const [index, touchedAt] of this.#touched) {
      const state = manifest.state.indexes.get(index)
      const rests = touchedAt <= restedBefore
      const isSound = state !== undefined && !this.#damaged.has(index)
      const merge = isSound ? nextMerge(state, this.#modeOf(index, rests), this.#offered) : null
      if (merge !== null) return { index, merge }
      if (rests || state === undefined) this.#touched.delete(index)
    }
    return null
  }

  #modeOf(index: IndexNo, rests: boolean): MergeMode {
    if (this.#compacting?.index === index) return 'whole'
    return rests ? 'idle' : 'busy'
  }

  /** Whether merging may go on at once. */
  async #merge(index: IndexNo, { layer, segments }: Merge): Promise<boolean> {
    const { views, indexing, report, memoryBytesMax } = this.#options
    using lease = views.lease(index)
    if (lease === null) return true
    this.#merging = new Set(segments)
    try {
      const view = lease.ref
      const request = { kind: 'merge', view, layer, segments, memoryBytesMax } as const
      const hooks = { signal: this.#signalFor(index), progress: () => undefined }
      const merged = await indexing.run(request, hooks)
      await this.#commit(lease, segments, merged)
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
      this.#merging = new Set()
      this.#endedAt = this.#options.now()
    }
  }

  /** Fires when a merge of this index is not wanted any more. */
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
      for (const segment of segments) this.#followed.set(segment, merged?.segment ?? 0)
      onCommitted()
    } else if (merged !== null) removeSegment(fs, merged)
  }
}

/**
 * The changes that put `merged` in the place of `segments`, which it was made from as they were in
 * `before`; null when one of them is gone.
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
    const since = current.dead.andNot(before.segments.get(segment)!.dead)
    if (!since.isEmpty) died = died === null ? since : died.or(since)
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
