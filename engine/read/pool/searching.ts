// The interface of searching: implemented by threads, and in place for tests and tools.
import type { SegmentNo } from '../../../format/ids.ts'
import { mapped } from '../../runtime/index.ts'
import type { ViewRef } from '../../store/views/index.ts'
import type { JobRequest, SearchMessage, ViewKey, ViewsRequest } from '../jobs/index.ts'
import type { SearchRule } from '../search-rules/index.ts'
import type { CallerId } from './accounts.ts'
import type { CacheBytes } from './cache-memory.ts'

/** A view used by a request; released when the request has ended. */
export type LeasedView = { readonly ref: ViewRef; readonly release: () => void }

/** The current load of searching. */
export type SearchLoad = {
  /** Maximum number of waiting requests. */
  readonly waitingMax: number
  readonly running: number
  readonly waiting: number
  /** Requests rejected since the start for lack of room. */
  readonly rejected: number
  /** Requests whose time ran out while waiting or running, since the start. */
  readonly dropped: number
  /** Answers cut short by their index's time limit, since the start. */
  readonly degraded: number
  /** Bytes that the caches of all search threads hold. */
  readonly cacheBytes: CacheBytes
}

/** One permit and one time limit for several runs of a request. */
export type SearchPermit = {
  readonly release: () => void
}

/** Answers searches on threads, or in place in tests. */
export interface Searching {
  readonly load: SearchLoad
  /** Share of time in which the threads worked recently, from 0 to 1. */
  readonly busyShare: number
  /** True if a request waits for a thread; background writing pauses then. */
  readonly isBehind: boolean
  /** Acquires one permit for several runs. @throws EngineFault, Canceled (as a rejection) */
  acquire(signal: AbortSignal | null, caller?: CallerId): Promise<SearchPermit>
  /** Takes ownership of the lease. @throws EngineFault, StorageError (as a rejection) */
  run(
    view: LeasedView,
    request: JobRequest,
    signal: AbortSignal | null,
    /** Views of the indexes that foreign keys refer to. */
    others?: readonly LeasedView[],
    /** Absent for requests of the server itself. */
    caller?: CallerId,
  ): Promise<Uint8Array>
  /** The same over several views; `permit` is set if the request already has one. */
  runOver(
    views: readonly LeasedView[],
    request: ViewsRequest,
    signal: AbortSignal | null,
    permit?: SearchPermit | null,
    caller?: CallerId,
  ): Promise<Uint8Array>
  /** Sets the active rules in their order, for all following searches. */
  setRules(rules: readonly SearchRule[]): void
  /** Announces a new view of an index; searches of it are likely to follow. */
  announce(view: ViewRef): void
  /** Forgets views and segments that no further request uses. */
  forget(views: readonly ViewKey[], segments: readonly SegmentNo[]): void
  close(): Promise<void>
}

/**
 * Returns true for searches, which share the permits. A document lookup takes no longer than
 * acquiring a permit.
 */
export function needsPermit(request: JobRequest | ViewsRequest): boolean {
  switch (request.kind) {
    case 'search':
    case 'searches':
    case 'federated':
    case 'facet-search':
    case 'suggest':
    case 'digest':
    case 'export':
      return true
    case 'documents':
      return !request.features.disableDocumentsFetchQueue
    default:
      return false
  }
}

/** The message for the thread. */
export function jobOf(
  views: readonly LeasedView[],
  request: JobRequest | ViewsRequest,
  job: number,
): SearchMessage {
  const keys = mapped(views, ({ ref: { index, sequence } }): ViewKey => ({ index, sequence }))
  if (isOfSeveral(request)) {
    return { ...request, job, views: keys }
  }
  const view = keys[0]!
  if (keys.length === 1) return { ...request, job, view }
  const withOthers = { ...request, job, view, others: keys.slice(1) }
  return withOthers
}

const OF_SEVERAL: ReadonlySet<string> = new Set<ViewsRequest['kind']>([
  'federated',
  'searches',
  'instances',
  'hydration',
])

const isOfSeveral = (request: JobRequest | ViewsRequest): request is ViewsRequest =>
  OF_SEVERAL.has(request.kind)
