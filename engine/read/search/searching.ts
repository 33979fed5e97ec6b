// What answers searches, as its callers see it: threads, or in tests and tools the core in place.

import { mapped } from '../../model/index.ts'
import type { ViewRef } from '../../store/views/index.ts'
import type { SearchRule } from '../rules/index.ts'
import type { CallerId } from './accounts.ts'
import type { JobRequest, SearchMessage, ViewKey, ViewsRequest } from './protocol.ts'

/** A view that a request is about; given back when the request has ended. */
export type LeasedView = { readonly ref: ViewRef; readonly release: () => void }

/** How busy searching is. */
export type SearchLoad = {
  /** How many may wait. */
  readonly waitingMax: number
  readonly running: number
  readonly waiting: number
  /** Since the start: those that there was no room for. */
  readonly turnedAway: number
  /** Since the start: those whose time was up, waiting or running. */
  readonly dropped: number
  /** Since the start: answers that their index's time limit cut short. */
  readonly degraded: number
}

/** A permit for several runs of one request, and the time that they have together. */
export type Admission = {
  /** Gives the permit back. */
  readonly leave: () => void
}

/** Whatever answers searches: threads, or in tests the core in place. */
export interface Searching {
  readonly load: SearchLoad
  /** The share of their time in which the threads have worked lately, from 0 to 1. */
  readonly busyShare: number
  /** Whether a request waits for a thread: writing stands back then. */
  readonly isBehind: boolean
  /** In place of a permit for each run. @throws EngineFault, Canceled (as a rejection) */
  admit(signal: AbortSignal | null, caller?: CallerId): Promise<Admission>
  /** Takes over the lease. @throws EngineFault, StorageError (as a rejection) */
  run(
    view: LeasedView,
    request: JobRequest,
    signal: AbortSignal | null,
    /** Views that foreign keys lead to. */
    others?: readonly LeasedView[],
    /** Absent: the server itself. */
    caller?: CallerId,
  ): Promise<Uint8Array>
  /** The same over several views at once; `admission`: the request has a permit already. */
  runOver(
    views: readonly LeasedView[],
    request: ViewsRequest,
    signal: AbortSignal | null,
    admission?: Admission | null,
    caller?: CallerId,
  ): Promise<Uint8Array>
  /** The active rules in their order; they count for whatever is asked from now on. */
  setRules(rules: readonly SearchRule[]): void
  /** There is a new view of an index; searches of it will probably follow. */
  announce(view: ViewRef): void
  /** Nobody asks about these any more. */
  forget(views: readonly ViewKey[], segments: readonly number[]): void
  close(): Promise<void>
}

/** Searches share the permits; looking a document up takes no longer than asking for one. */
export function needsPermit(request: JobRequest | ViewsRequest): boolean {
  switch (request.kind) {
    case 'search':
    case 'searches':
    case 'federated':
    case 'facet-search':
    case 'digest':
    case 'export':
      return true
    case 'documents':
      return !request.features.disableDocumentsFetchQueue
    default:
      return false
  }
}

/** A request as a thread gets it. */
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

const isOfSeveral = (request: JobRequest | ViewsRequest): request is ViewsRequest =>
  request.kind === 'federated' || request.kind === 'searches' || request.kind === 'instances'
