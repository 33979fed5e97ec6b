// Messages between the main thread and a thread that builds segments. Plain data, discriminated by
// `kind`. A thread has one job at a time; it sees a cancelation in shared memory, because it reads
// no messages while it works.
import type { FieldId, SegmentNo } from '../../../format/ids.ts'
import type { IdSetData } from '../../../format/idset/index.ts'
import type { Layer } from '../../../format/manifest/index.ts'
import type { EmbeddingPort } from '../../ai/embedding/index.ts'
import type { BodyFormat, WireError } from '../../model/index.ts'
import type { ShardSet } from '../../network/records/index.ts'
import type { ViewRef } from '../../store/views/index.ts'
import type { DeletionWork, EditionContent, ImportContent } from '../task-data/index.ts'
import type { VectorCounts } from '../vectors/index.ts'
import type { NewSegment } from './segment-sink.ts'
import type { Offer } from './take-over.ts'

/** The index threads, by number. */
export const INDEX_THREADS = ['batch', 'merge', 'intake', 'small', 'merge-2'] as const

/**
 * Layout of the Int32Array that the main thread shares with all index threads: the canceled job of
 * each thread, 0 for none; the number of the next segment; the MiB of the heap of each thread after
 * its last large work, 0 at first.
 */
export const cancelSlot = (thread: number): number => thread
export const SHARED_NEXT_SEGMENT = INDEX_THREADS.length
export const heldSlot = (thread: number): number => INDEX_THREADS.length + 1 + thread

/** Start data of an index thread. */
export type IndexThreadData = {
  /** The database folder. */
  readonly root: string
  readonly thread: number
  readonly shared: SharedArrayBuffer
  /** Its niceness, as in `nice`. */
  readonly niceness: number
  /** URL of the program that the thread itself runs. */
  readonly file: string
  /** Number of building threads that it may start for a batch. */
  readonly builders: number
  /** Bytes that building may use: bounds how many of them work at the same time. */
  readonly memoryBytesMax: number
}

/** Features that filters may use. */
export type FilterGates = {
  readonly contains: boolean
  readonly vectors: boolean
  /** All shards of the network, in byte order; null if filters cannot name shards. */
  readonly shards: readonly string[] | null
}

/** One change of a batch: the content of its task. An edition is alone in its batch. */
export type DocumentOperation =
  | ImportContent
  | DeletionWork
  | EditionContent
  /** Deletes documents of shards that this instance does not hold; no task of its own. */
  | { readonly kind: 'deletionOfOthers'; readonly shards: ShardSet }
  /** Deletes documents that expired before a moment in milliseconds; no task of its own. */
  | { readonly kind: 'deletionOfExpired'; readonly at: number }

/** How a job calls embedders; absent if it may not call them. */
export type JobEmbedding = {
  /** Whether a document that cannot be rendered has no vector instead of failing. */
  readonly ignoresTemplates: boolean
}

/** Returns whether a job renders documents for embedders. */
export const rendersDocuments = (job: IndexMessage | JobRequest): boolean =>
  (job.kind === 'documents' && job.findsFragments === true) ||
  ((job.kind === 'documents' || job.kind === 'rebuild') && job.embedding !== undefined)

/** A unit of work with one final reply. */
export type IndexJob =
  | {
      readonly kind: 'documents'
      readonly job: number
      readonly view: ViewRef
      readonly operations: readonly DocumentOperation[]
      /** Absent if no operation has a filter. */
      readonly gates?: FilterGates
      readonly chunkBytesMax: number
      /** Imports skip documents of other shards; absent: all are accepted. */
      readonly shards?: ShardSet
      /** Small segments that the batch may take over; absent means none. */
      readonly offer?: Offer
      readonly embedding?: JobEmbedding
      /** The documents come from a dump, with vectors that were computed from fragments. */
      readonly findsFragments?: boolean
    }
  | {
      /** Rebuilds layers from the stored documents, under other settings. */
      readonly kind: 'rebuild'
      readonly job: number
      readonly view: ViewRef
      readonly settings: string
      /** Names of derived layers. */
      readonly layers: readonly Layer[]
      readonly chunkBytesMax: number
      readonly embedding?: JobEmbedding
    }
  | {
      readonly kind: 'merge'
      readonly job: number
      readonly view: ViewRef
      readonly layer: Layer
      readonly segments: readonly SegmentNo[]
    }

/**
 * Messages of an incoming body; the thread replies `body-taken` to each chunk and `body-done` at
 * the end.
 */
export type BodyMessage =
  | {
      readonly kind: 'body'
      readonly job: number
      /** Number of the target file. */
      readonly file: number
      readonly format: BodyFormat
    }
  | { readonly kind: 'body-chunk'; readonly job: number; readonly bytes: Uint8Array }
  | { readonly kind: 'body-end'; readonly job: number }
  | { readonly kind: 'body-abort'; readonly job: number }

export type IndexMessage =
  | IndexJob
  | BodyMessage
  /** Segments that no view names any more. */
  | { readonly kind: 'forget'; readonly segments: readonly SegmentNo[] }

/** `Omit` that distributes over a union. */
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never
/** A job before it has a number. */
export type JobRequest = Without<IndexJob, 'job'>

export type OperationOutcome = {
  /** The fault of this operation alone, or null if it succeeded. */
  readonly fault: { readonly code: string; readonly message: string } | null
  /** Distinct ids of an import, documents deleted by a deletion or examined by an edition. */
  readonly documents: number
}

/** The changes of a batch of document operations. Nothing is visible before they are committed. */
export type DocumentsResult = {
  readonly segments: readonly NewSegment[]
  /** Segments to remove: their live documents are in `segments`. */
  readonly replaced: readonly SegmentNo[]
  readonly tombstones: readonly { readonly segment: SegmentNo; readonly ids: IdSetData }[]
  readonly fieldsAdded: readonly string[]
  readonly fieldCounts: readonly (readonly [field: FieldId, difference: number])[]
  /** Change of the number of vectors, and of documents that have any. */
  readonly vectorCounts: VectorCounts
  readonly primaryKey: string | null
  readonly outcomes: readonly OperationOutcome[]
  readonly added: number
  readonly updated: number
  readonly unchanged: number
  readonly deleted: number
}

/** The results of a rebuild. */
export type RebuildResult = {
  readonly segments: readonly NewSegment[]
  readonly fieldsAdded: readonly string[]
  /** Change of the number of documents for each field. */
  readonly fieldCounts: readonly (readonly [field: FieldId, difference: number])[]
  /** Total counts, or null if the vectors layer was not built. */
  readonly vectorCounts: VectorCounts | null
}

export type IndexReply =
  /** The job needs vectors: the main thread replies through the port. */
  | { readonly kind: 'embedding'; readonly job: number; readonly end: EmbeddingPort }
  | {
      readonly kind: 'progress'
      readonly job: number
      readonly done: number
      readonly total: number
    }
  | { readonly kind: 'documents-done'; readonly job: number; readonly result: DocumentsResult }
  | {
      readonly kind: 'rebuild-done'
      readonly job: number
      readonly result: RebuildResult
    }
  | {
      readonly kind: 'merge-done'
      readonly job: number
      readonly segment: MergeResult
    }
  /** The chunk was processed; the next may follow. */
  | { readonly kind: 'body-taken'; readonly job: number; readonly bytes: number }
  | {
      readonly kind: 'body-done'
      readonly job: number
      readonly documents: number
      readonly bytes: number
    }
  | { readonly kind: 'failed'; readonly job: number; readonly error: WireError }
  | { readonly kind: 'canceled'; readonly job: number }

/** null if no document was alive; 'apart' if one segment cannot hold them all. */
export type MergeResult = NewSegment | null | 'apart'

/** The result of a job of each kind. */
export type JobResult<K extends IndexJob['kind']> = K extends 'documents'
  ? DocumentsResult
  : K extends 'rebuild'
    ? RebuildResult
    : MergeResult
