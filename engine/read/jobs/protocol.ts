// Messages between the main thread and a search thread: plain data, discriminated by `kind`. A
// thread works on one request at a time. Cancellation goes through shared memory, because a working
// thread does not read messages.
import type { IndexNo, IndexUid, SegmentNo } from '../../../format/ids.ts'
import type { WasmMemory } from '../../../format/kernel/index.ts'
import type {
  DocumentsMerge,
  DocumentsRequest,
  FacetSearchRequest,
  Features,
  FederatedSearch,
  Federation,
  FieldsRequest,
  ForeignRequest,
  Hydration,
  IndexSearch,
  InstancesMerge,
  SearchRequest,
  SimilarRequest,
  SuggestRequest,
  WireError,
} from '../../model/index.ts'
import type { Transfer } from '../../network/records/index.ts'
import type { ViewRef } from '../../store/views/index.ts'
import type { SearchRule } from '../search-rules/index.ts'
import type { LackedVector } from './lacked-vectors.ts'
import { JOBS_PER_THREAD } from './limits.ts'
import type { NeededVector } from './vector-needed.ts'

/** The documents of a foreign index that a caller may see. */
export type ForeignAccess = {
  readonly uid: IndexUid
  readonly isHidden: boolean
  /** Any JSON; null for all documents. */
  readonly filter: unknown
}

export type DigestChunk = {
  /** All shards of the network in byte order. If empty, all documents form one group. */
  readonly names: readonly string[]
  /** All shards after a planned change; null without a change. */
  readonly next: readonly string[] | null
  /** Starts after this id; -1 starts with the first document. */
  readonly after: number
  readonly documentsMax: number
}

export type ExportChunk = {
  readonly filter: unknown
  /** Starts after this id; -1 starts with the first document. */
  readonly after: number
  /** Maximum size of a chunk; a larger document is a chunk alone. */
  readonly bytesMax: number
  /** The order of fragment vectors for each embedder; null for the stored order. */
  readonly fragments: { readonly [embedder: string]: readonly string[] } | null
  /** Selects documents that move to another instance of a network; absent for all documents. */
  readonly transfer?: Transfer
}

/** Identifies the view of a request; the view was sent to the thread before. */
export type ViewKey = { readonly index: IndexNo; readonly sequence: number }

/** Names of all shards of the network in byte order; absent if documents are not sharded. */
type OfNetwork = { readonly shards?: readonly string[] }

/** Foreign indexes that a request may reach; absent without the feature or without foreign keys. */
type Reaching = OfNetwork & {
  readonly foreign?: readonly ForeignAccess[]
  /** Views of those foreign indexes that exist. */
  readonly others?: readonly ViewKey[]
}

export type SearchJob = Reaching & {
  readonly kind: 'search'
  readonly job: number
  readonly view: ViewKey
  readonly request: SearchRequest
  readonly features: Features
  readonly requestUid: string
  /** For `metadata`; null if it was not requested. */
  readonly queryUid: string | null
  /** Milliseconds since 1970. */
  readonly sentAt: number
}

type DocumentsJob = Reaching & {
  readonly kind: 'documents'
  readonly job: number
  readonly view: ViewKey
  readonly request: DocumentsRequest
  readonly features: Features
}

type DocumentJob = {
  readonly kind: 'document'
  readonly job: number
  readonly view: ViewKey
  readonly id: string
  readonly fields: readonly string[] | null
  readonly retrieveVectors: boolean
}

export type FacetSearchJob = Reaching & {
  readonly kind: 'facet-search'
  readonly job: number
  readonly view: ViewKey
  readonly request: FacetSearchRequest
  readonly features: Features
}

export type SuggestJob = Reaching & {
  readonly kind: 'suggest'
  readonly job: number
  readonly view: ViewKey
  readonly request: SuggestRequest
  readonly features: Features
}

/** A chunk of documents for another server. */
type ExportJob = OfNetwork & {
  readonly kind: 'export'
  readonly job: number
  readonly view: ViewKey
  readonly chunk: ExportChunk
  readonly features: Features
}

/** Digests of a chunk of documents. */
type DigestJob = OfNetwork & {
  readonly kind: 'digest'
  readonly job: number
  readonly view: ViewKey
  readonly chunk: DigestChunk
}

export type SimilarJob = Reaching & {
  readonly kind: 'similar'
  readonly job: number
  readonly view: ViewKey
  readonly request: SimilarRequest
  readonly features: Features
  /** Milliseconds since 1970. */
  readonly sentAt: number
}

/** A step of a network's search: the numbers that scores need. */
export type StatisticsJob = OfNetwork & {
  readonly kind: 'statistics'
  readonly job: number
  readonly view: ViewKey
  readonly request: SearchRequest
}

/** A step of a network's search over foreign keys. */
type ForeignJob = OfNetwork & {
  readonly kind: 'foreign'
  readonly job: number
  readonly view: ViewKey
  readonly request: ForeignRequest
  readonly features: Features
}

type FieldsJob = {
  readonly kind: 'fields'
  readonly job: number
  readonly view: ViewKey
  readonly request: FieldsRequest
}

/**
 * Consecutive warm-up searches for one thread; `warm-up-requests.ts` generates them from these
 * numbers.
 */
export type WarmUpPiece = {
  readonly from: number
  readonly count: number
  /** True if the thread then keeps its compiled code for later starts: it has run all of it. */
  readonly keepsCode: boolean
}

/** Searches that warm up a thread; the answer is empty. */
export type WarmUpJob = WarmUpPiece & {
  readonly kind: 'warm-up'
  readonly job: number
  readonly view: ViewKey
}

type Several = OfNetwork & {
  readonly job: number
  /** Views of the existing indexes, each once. */
  readonly views: readonly ViewKey[]
  /** Views of these indexes are among `views`. */
  readonly foreign?: readonly ForeignAccess[]
  readonly features: Features
  readonly requestUid: string
  /** For `metadata`, one for each search; null if it was not requested. */
  readonly queryUids: readonly string[] | null
  /** Milliseconds since 1970. */
  readonly sentAt: number
}

/** Searches with a separate answer each. */
export type SearchesJob = Several & {
  readonly kind: 'searches'
  readonly searches: readonly IndexSearch[]
  /** Position of the first one in the client's request. */
  readonly first: number
}

/** Searches whose hits are merged. */
export type FederatedJob = Several & {
  readonly kind: 'federated'
  readonly searches: readonly FederatedSearch[]
  readonly federation: Federation
}

/** Answers of several instances to be merged. */
export type InstancesJob = Several & {
  readonly kind: 'instances'
  readonly merge: InstancesMerge
}

/** Pages of documents of several instances to be merged. */
export type DocumentsMergeJob = OfNetwork & {
  readonly kind: 'documents-merge'
  readonly job: number
  readonly views: readonly ViewKey[]
  readonly merge: DocumentsMerge
}

/** The hits of an answer that name foreign documents. */
export type HydrationJob = OfNetwork & {
  readonly kind: 'hydration'
  readonly job: number
  readonly views: readonly ViewKey[]
  readonly hydration: Hydration
}

/** Jobs over one view. */
export type AnyJob =
  | SimilarJob
  | SearchJob
  | FacetSearchJob
  | SuggestJob
  | DocumentsJob
  | DocumentJob
  | DigestJob
  | ExportJob
  | FieldsJob
  | ForeignJob
  | StatisticsJob
/** Jobs over several views. */
export type ViewsJob = SearchesJob | FederatedJob | InstancesJob | DocumentsMergeJob | HydrationJob

/** `Omit` that distributes over a union. */
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never
/** A request over one view, before the pool adds its number and its view. */
export type JobRequest = Without<AnyJob, 'job' | 'view' | 'others'>
/** The same for a request over several views. */
export type ViewsRequest = Without<ViewsJob, 'job' | 'views'>

export type SearchMessage =
  | AnyJob
  | ViewsJob
  | WarmUpJob
  /** `isAhead`: no request needs the view yet; the thread prepares as much as possible. */
  | { readonly kind: 'view'; readonly view: ViewRef; readonly isAhead: boolean }
  /** The active rules in their order, for all following searches. */
  | { readonly kind: 'rules'; readonly rules: readonly SearchRule[] }
  /** Views and segments that no further request uses. */
  | {
      readonly kind: 'forget'
      readonly views: readonly ViewKey[]
      readonly segments: readonly SegmentNo[]
    }

export type SearchReply =
  | {
      readonly kind: 'answer'
      readonly job: number
      readonly bytes: Uint8Array
      /** True if a time limit cut the ranking short. */
      readonly degraded: boolean
      /** Hybrid searches whose client sent no vector; absent when all had one. */
      readonly lackedVectors?: readonly LackedVector[]
    }
  | { readonly kind: 'failed'; readonly job: number; readonly error: WireError }
  | { readonly kind: 'vector-needed'; readonly job: number; readonly needed: NeededVector }
  | { readonly kind: 'canceled'; readonly job: number }

/** Reads the shared cells: returns true if a job of a thread was canceled. */
export function isCanceled(cells: Int32Array, thread: number, job: number): boolean {
  for (let i = 0; i < JOBS_PER_THREAD; i++) {
    if (Atomics.load(cells, thread * JOBS_PER_THREAD + i) === job) return true
  }
  return false
}

/**
 * Returns true if the job was preempted: others wait for its thread. Each thread has a cell for it.
 */
export const isPreempted = (cells: Int32Array, thread: number, job: number): boolean =>
  Atomics.load(cells, preemptionCell(cells, thread)) === job

/** The cell follows those of canceled jobs. */
export const preemptionCell = (cells: Int32Array, thread: number): number =>
  (cells.length / (JOBS_PER_THREAD + 1)) * JOBS_PER_THREAD + thread

/** The data that a search thread is started with. */
export type SearchThreadData = {
  /** The database folder. */
  readonly root: string
  /** Its slot in the shared memory, where it reads canceled jobs. */
  readonly thread: number
  readonly shared: SharedArrayBuffer
  /** Memory of the kernel, one for all search threads. */
  readonly kernelMemory: WasmMemory
  readonly caches: CacheLimits
  /** Where it notes the bytes that its caches hold. */
  readonly held: SharedArrayBuffer
}

/** Limits of each thread's caches, in bytes. */
export type CacheLimits = {
  /** Decompressed blocks of documents. */
  readonly blockBytesMax: number
  /** Folded facet values. */
  readonly foldedBytesMax: number
  /** Computed sets of documents; small indexes have lower limits. */
  readonly setBytesMax: number
}
