// What crosses between the main thread and a thread that builds segments. Plain data, discriminated
// by `kind`. A thread has one job at a time; it hears of a cancelation through shared memory,
// because it does not look at messages while it works.
import type { IdSetData } from '../../../format/idset/index.ts'
import type { Layer } from '../../../format/manifest/index.ts'
import type { EmbeddingPort } from '../../ai/embedding/index.ts'
import type { BodyFormat, ShardSet, WireError } from '../../model/index.ts'
import type { ViewRef } from '../../store/views/index.ts'
import type { VectorCounts } from './chunk-vectors.ts'
import type { NewSegment } from './segment-sink.ts'
import type { Offer } from './take-over.ts'

/** The index threads, by number. */
export const INDEX_THREADS = ['batch', 'merge', 'intake'] as const

/**
 * The Int32Array that the main thread shares with all index threads: by thread the job that it is
 * to give up, 0 for none; then the number of the next segment.
 */
export const cancelSlot = (thread: number): number => thread
export const SHARED_NEXT_SEGMENT = INDEX_THREADS.length

/** What an index thread is started with. */
export type IndexThreadData = {
  /** The database folder. */
  readonly root: string
  readonly thread: number
  readonly shared: SharedArrayBuffer
  /** How much it stands back for others, as in `nice`. */
  readonly niceness: number
  /** The file it runs itself, as a URL. */
  readonly file: string
  /** Threads of its own that it may start for a batch. */
  readonly builders: number
  /** What building may take, in bytes: it bounds how many of them work at once. */
  readonly memoryBytesMax: number
}

export type WireBody =
  /** Number of a body file of the task queue. */
  | { readonly kind: 'file'; readonly file: number }
  | { readonly kind: 'inline'; readonly bytes: Uint8Array }

/** Features that filters may use. */
export type FilterGates = {
  readonly contains: boolean
  readonly vectors: boolean
  /** All shards of the network, in byte order; null: filters cannot name any. */
  readonly shards: readonly string[] | null
}

export type WireOperation =
  | {
      readonly kind: 'import'
      readonly method: 'replace' | 'update'
      readonly body: WireBody
      readonly primaryKey: string | null
      readonly skipCreation: boolean
    }
  /** `json`: as in the record of the task; `count`: how many ids it holds. */
  | { readonly kind: 'delete-ids'; readonly json: Uint8Array; readonly count: number }
  | { readonly kind: 'delete-filter'; readonly json: Uint8Array; readonly gates: FilterGates }
  /** Documents of shards that this instance does not hold. */
  | { readonly kind: 'delete-others'; readonly shards: ShardSet }
  /** Alone in its batch: what one document fails with, all do. */
  | {
      readonly kind: 'edit'
      /** Which documents; null: all. */
      readonly filter: unknown
      readonly gates: FilterGates
      readonly script: string
      /** As JSON; null: none. */
      readonly context: string | null
    }

/** How a job asks embedders for vectors; absent: it may not. */
export type JobEmbedding = {
  /** A document that cannot be rendered has no vector. */
  readonly ignoresTemplates: boolean
}

/** Whether a job renders documents for embedders. */
export const rendersDocuments = (job: IndexMessage | JobRequest): boolean =>
  (job.kind === 'documents' && job.findsFragments === true) ||
  ((job.kind === 'documents' || job.kind === 'rebuild') && job.embedding !== undefined)

/** A piece of work with one answer. */
export type IndexJob =
  | {
      readonly kind: 'documents'
      readonly job: number
      readonly view: ViewRef
      readonly operations: readonly WireOperation[]
      readonly chunkBytesMax: number
      /** Documents of other shards are left out of imports; absent: all are taken. */
      readonly shards?: ShardSet
      /** Small segments that the batch may take over; absent: none. */
      readonly offer?: Offer
      readonly embedding?: JobEmbedding
      /** The documents come from a dump, with vectors that were made of fragments. */
      readonly findsFragments?: boolean
    }
  | {
      /** Builds layers anew from the stored documents, under other settings. */
      readonly kind: 'rebuild'
      readonly job: number
      readonly view: ViewRef
      readonly settings: string
      /** Names of derived ones. */
      readonly layers: readonly Layer[]
      readonly chunkBytesMax: number
      readonly embedding?: JobEmbedding
    }
  | {
      readonly kind: 'merge'
      readonly job: number
      readonly view: ViewRef
      readonly layer: Layer
      readonly segments: readonly number[]
      /** What the merge may hold in memory beside its inputs. */
      readonly memoryBytesMax: number
    }

/**
 * A body on its way in; the thread answers `body-taken` to each chunk and `body-done` to the end.
 */
export type BodyMessage =
  | {
      readonly kind: 'body'
      readonly job: number
      /** Number of the file it goes to. */
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
  | { readonly kind: 'forget'; readonly segments: readonly number[] }

/** `Omit` that keeps a union apart. */
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never
/** A job before it has a number. */
export type JobRequest = Without<IndexJob, 'job'>

export type OperationOutcome = {
  /** What the operation failed with, alone; null: it did not. */
  readonly fault: { readonly code: string; readonly message: string } | null
  /** Distinct ids of an import, documents removed by a deletion or looked at by an edition. */
  readonly documents: number
}

/** What a batch of document operations changes. Nothing is visible before it is committed. */
export type DocumentsResult = {
  readonly segments: readonly NewSegment[]
  /** Segments that go: their live documents are in `segments`. */
  readonly replaced: readonly number[]
  readonly tombstones: readonly { readonly segment: number; readonly ids: IdSetData }[]
  readonly fieldsAdded: readonly string[]
  readonly fieldCounts: readonly (readonly [field: number, difference: number])[]
  /** By how much the numbers of vectors, and of documents with any, grow. */
  readonly vectorCounts: VectorCounts
  readonly primaryKey: string | null
  readonly outcomes: readonly OperationOutcome[]
  readonly added: number
  readonly updated: number
  readonly unchanged: number
  readonly deleted: number
}

/** What a rebuild has made. */
export type RebuildResult = {
  readonly segments: readonly NewSegment[]
  readonly fieldsAdded: readonly string[]
  /** By how much the numbers of documents that have a field change. */
  readonly fieldCounts: readonly (readonly [field: number, difference: number])[]
  /** How many there are; null where the vectors layer was not built. */
  readonly vectorCounts: VectorCounts | null
}

export type IndexReply =
  /** The job needs vectors: the main thread answers at the port. */
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
      /** null: nothing was alive. */
      readonly segment: NewSegment | null
    }
  /** The chunk was taken in; more may come. */
  | { readonly kind: 'body-taken'; readonly job: number; readonly bytes: number }
  | {
      readonly kind: 'body-done'
      readonly job: number
      readonly documents: number
      readonly bytes: number
    }
  | { readonly kind: 'failed'; readonly job: number; readonly error: WireError }
  | { readonly kind: 'canceled'; readonly job: number }

/** The answer to a job of each kind. */
export type JobResult<K extends IndexJob['kind']> = K extends 'documents'
  ? DocumentsResult
  : K extends 'rebuild'
    ? RebuildResult
    : NewSegment | null
