// What crosses between the main thread and a search thread. Plain data, discriminated by `kind`. A
// thread answers one request at a time; it hears that a request was called off through shared
// memory, because it does not look at messages while it works.

import type { WasmMemory } from '../../../format/vectors/index.ts'
import type {
  DocumentsMerge,
  DocumentsRequest,
  FacetSearchRequest,
  Features,
  FederatedSearch,
  Federation,
  FieldsRequest,
  IndexSearch,
  InstancesMerge,
  SearchRequest,
  SimilarRequest,
  WireError,
} from '../../model/index.ts'
import type { ViewRef } from '../../store/views/index.ts'
import type { SearchRule } from '../rules/index.ts'
import type { ForeignAccess } from './foreign.ts'
import type { DigestChunk } from './run-digest.ts'
import type { ExportChunk } from './run-export.ts'
import { JOBS_PER_THREAD } from './turns.ts'

/** Which view a request is about; the thread was told of it before. */
export type ViewKey = { readonly index: number; readonly sequence: number }

/** Names of all shards of the network, in byte order; absent: documents are not divided. */
type OfNetwork = { readonly shards?: readonly string[] }

/** What a request may reach over foreign keys; absent where the feature or the keys are. */
type Reaching = OfNetwork & {
  readonly foreign?: readonly ForeignAccess[]
  /** Views of these indexes, of those that exist. */
  readonly others?: readonly ViewKey[]
}

export type SearchJob = Reaching & {
  readonly kind: 'search'
  readonly job: number
  readonly view: ViewKey
  readonly request: SearchRequest
  readonly features: Features
  readonly requestUid: string
  /** For `metadata`; null where it was not asked for. */
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

type FieldsJob = {
  readonly kind: 'fields'
  readonly job: number
  readonly view: ViewKey
  readonly request: FieldsRequest
}

/** Some searches of one thread: those that `warm-up-requests.ts` makes of these numbers. */
export type WarmUpPiece = {
  readonly from: number
  readonly count: number
  /** No more follow: the thread is warm. */
  readonly isLast: boolean
}

/** Searches that a thread prepares itself with; the answer is empty. */
export type WarmUpJob = WarmUpPiece & {
  readonly kind: 'warm-up'
  readonly job: number
  readonly view: ViewKey
}

type Several = OfNetwork & {
  readonly job: number
  /** Of the indexes that exist, no index twice. */
  readonly views: readonly ViewKey[]
  /** Views of these are among the others. */
  readonly foreign?: readonly ForeignAccess[]
  readonly features: Features
  readonly requestUid: string
  /** By search, for `metadata`; null where it was not asked for. */
  readonly queryUids: readonly string[] | null
  /** Milliseconds since 1970. */
  readonly sentAt: number
}

/** Searches with an answer each. */
export type SearchesJob = Several & {
  readonly kind: 'searches'
  readonly searches: readonly IndexSearch[]
  /** The position of the first one in the list of the client. */
  readonly first: number
}

/** Searches whose hits are merged. */
export type FederatedJob = Several & {
  readonly kind: 'federated'
  readonly searches: readonly FederatedSearch[]
  readonly federation: Federation
}

/** Answers of instances that become one. */
export type InstancesJob = Several & {
  readonly kind: 'instances'
  readonly merge: InstancesMerge
}

/** Pages of documents of instances that become one. */
export type DocumentsMergeJob = OfNetwork & {
  readonly kind: 'documents-merge'
  readonly job: number
  readonly views: readonly ViewKey[]
  readonly merge: DocumentsMerge
}

/** What is about one view. */
export type AnyJob =
  | SimilarJob
  | SearchJob
  | FacetSearchJob
  | DocumentsJob
  | DocumentJob
  | DigestJob
  | ExportJob
  | FieldsJob
/** What is about several views. */
export type ViewsJob = SearchesJob | FederatedJob | InstancesJob | DocumentsMergeJob

/** `Omit` that keeps a union apart. */
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never
/** A request about one view, before the pool has numbered it and found its view. */
export type JobRequest = Without<AnyJob, 'job' | 'view' | 'others'>
/** The same for a request about several. */
export type ViewsRequest = Without<ViewsJob, 'job' | 'views'>

export type SearchMessage =
  | AnyJob
  | ViewsJob
  | WarmUpJob
  /** `isAhead`: no request about the view has come yet; the thread makes ready what it can. */
  | { readonly kind: 'view'; readonly view: ViewRef; readonly isAhead: boolean }
  /** The active rules in their order, for all searches to come. */
  | { readonly kind: 'rules'; readonly rules: readonly SearchRule[] }
  /** Views and segments that nobody asks about any more. */
  | {
      readonly kind: 'forget'
      readonly views: readonly ViewKey[]
      readonly segments: readonly number[]
    }

export type SearchReply =
  | {
      readonly kind: 'answer'
      readonly job: number
      readonly bytes: Uint8Array
      /** Whether a time limit cut the ranking short. */
      readonly degraded: boolean
    }
  | { readonly kind: 'failed'; readonly job: number; readonly error: WireError }
  | { readonly kind: 'canceled'; readonly job: number }

/** Whether a job of a thread was called off, by the cells that all threads share. */
export function isCanceled(cells: Int32Array, thread: number, job: number): boolean {
  for (let i = 0; i < JOBS_PER_THREAD; i++) {
    if (Atomics.load(cells, thread * JOBS_PER_THREAD + i) === job) return true
  }
  return false
}

/** Whether others wait for the thread that works on a job: a cell of each thread says which. */
export const isHurried = (cells: Int32Array, thread: number, job: number): boolean =>
  Atomics.load(cells, hurriedCell(cells, thread)) === job

/** Behind the cells of jobs that were called off. */
export const hurriedCell = (cells: Int32Array, thread: number): number =>
  (cells.length / (JOBS_PER_THREAD + 1)) * JOBS_PER_THREAD + thread

/** What a search thread is started with. */
export type SearchThreadData = {
  /** The database folder. */
  readonly root: string
  /** Its slot in the shared memory, where it finds the job that was called off. */
  readonly thread: number
  readonly shared: SharedArrayBuffer
  /** Where codes of vectors lie once for all search threads. */
  readonly codes: WasmMemory
  readonly blockBytesMax: number
}
