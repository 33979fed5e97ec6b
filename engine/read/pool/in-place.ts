// Searches on the calling thread, for tests and for tools that have nothing else to do.
import { MiB } from '../../../format/bytes/index.ts'
import type { IndexNo, SegmentNo } from '../../../format/ids.ts'
import { fromWire } from '../../model/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import type { ViewRef } from '../../store/views/index.ts'
import {
  type JobRequest,
  type LackedVector,
  type SearchReply,
  VectorNeeded,
  type ViewKey,
  type ViewsRequest,
} from '../jobs/index.ts'
import type { SearchRule } from '../search-rules/index.ts'
import {
  jobOf,
  type LeasedView,
  type Searching,
  type SearchLoad,
  type SearchPermit,
} from './searching.ts'
import { WorkerCore } from './worker-core.ts'

const BLOCK_BYTES_MAX = 4 * MiB

export class SearchInPlace implements Searching {
  readonly #core: WorkerCore
  readonly #sentViews = new Set<string>()
  /** Ids of the indexes that have been searched. */
  readonly #searchedIndexes = new Set<IndexNo>()
  #reply: SearchReply | null = null
  readonly busyShare = 0
  readonly isBehind = false

  get load(): SearchLoad {
    const { cacheBytes } = this.#core
    const none = { waitingMax: 0, running: 0, waiting: 0, rejected: 0, dropped: 0, degraded: 0 }
    return { ...none, cacheBytes }
  }

  constructor(
    fs: FileSystem,
    lackedVectors?: (searches: readonly LackedVector[]) => void,
    wallMs = Date.now,
  ) {
    this.#core = new WorkerCore({
      fs,
      blockBytesMax: BLOCK_BYTES_MAX,
      wallMs,
      isCanceled: () => false,
      send: (reply) => {
        this.#reply = reply
        if (reply.kind === 'answer') lackedVectors?.(reply.lackedVectors ?? [])
      },
      dropped: () => undefined,
    })
  }

  acquire(): Promise<SearchPermit> {
    return Promise.resolve({ release: () => undefined })
  }

  run(
    view: LeasedView,
    request: JobRequest,
    _signal: AbortSignal | null = null,
    others: readonly LeasedView[] = [],
  ): Promise<Uint8Array> {
    return this.#run([view, ...others], request)
  }

  runOver(views: readonly LeasedView[], request: ViewsRequest): Promise<Uint8Array> {
    return this.#run(views, request)
  }

  async #run(
    views: readonly LeasedView[],
    request: JobRequest | ViewsRequest,
  ): Promise<Uint8Array> {
    try {
      for (const { ref } of views) {
        this.#searchedIndexes.add(ref.index)
        const key = `${ref.index}:${ref.sequence}`
        if (this.#sentViews.has(key)) continue
        this.#sentViews.add(key)
        this.#core.handle({ kind: 'view', view: ref, isAhead: false })
      }
      this.#core.handle(jobOf(views, request, 1))
    } finally {
      for (const { release } of views) release()
    }
    const reply = this.#reply
    if (reply?.kind === 'answer') return reply.bytes
    if (reply?.kind === 'vector-needed') throw new VectorNeeded(reply.needed)
    throw reply?.kind === 'failed' ? fromWire(reply.error) : new Error('the search was canceled')
  }

  setRules(rules: readonly SearchRule[]): void {
    this.#core.handle({ kind: 'rules', rules })
  }

  announce(view: ViewRef): void {
    if (!this.#searchedIndexes.has(view.index)) return
    this.#sentViews.add(`${view.index}:${view.sequence}`)
    this.#core.handle({ kind: 'view', view, isAhead: true })
  }

  forget(views: readonly ViewKey[], segments: readonly SegmentNo[]): void {
    for (const { index, sequence } of views) this.#sentViews.delete(`${index}:${sequence}`)
    this.#core.handle({ kind: 'forget', views, segments })
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}
