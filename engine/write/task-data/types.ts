// Public types of tasks and batches. Times are whole microseconds since 1970, UTC.
import type { BatchUid, IndexUid, TaskUid } from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import type { EnqueuedView } from '../../../format/tasks/index.ts'
import type { RemoteResults, TaskNetwork } from '../../network/records/index.ts'

export const TASK_STATUSES = ['enqueued', 'processing', 'succeeded', 'failed', 'canceled'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

export type Micros = number

/**
 * Nanoseconds beyond the whole microsecond, 0 to 999: times from another instance may have them.
 */
export type Nanos = {
  readonly enqueuedAt: number
  readonly startedAt: number
  readonly finishedAt: number
}

/** The error that a task failed with; `code` is a catalogue code. */
export type TaskError = { readonly code: string; readonly message: string }

/** The members of `details`, by their public names. */
export type TaskDetails = { readonly [member: string]: unknown }

export type Task = {
  readonly uid: TaskUid
  readonly batchUid: BatchUid | null
  readonly indexUid: IndexUid | null
  readonly status: TaskStatus
  /** Name of the task kind. */
  readonly kind: string
  readonly canceledBy: TaskUid | null
  /** null if the kind has no details; the member is then omitted. */
  readonly details: TaskDetails | null
  readonly error: TaskError | null
  readonly enqueuedAt: Micros
  readonly startedAt: Micros | null
  readonly finishedAt: Micros | null
  /** Absent if the times are whole microseconds. */
  readonly nanos?: Nanos | undefined
  readonly customMetadata: string | null
  /** Absent if the task is not related to a network. */
  readonly network?: TaskNetwork | undefined
  /** The answers of remotes to a task of the leader. */
  readonly remoteResults?: RemoteResults | undefined
}

/** A newly accepted task, without its details, which may be large. */
export type AcceptedTask = Pick<
  Task,
  'uid' | 'indexUid' | 'status' | 'kind' | 'enqueuedAt' | 'customMetadata'
>

export type BatchProgressStep = {
  readonly currentStep: string
  readonly finished: number
  readonly total: number
}
export type BatchProgress = {
  readonly steps: readonly BatchProgressStep[]
  readonly percentage: number
}

export type Batch = {
  readonly uid: BatchUid
  /** null unless the batch is running. */
  readonly progress: BatchProgress | null
  readonly details: TaskDetails
  readonly stats: {
    readonly totalNbTasks: number
    readonly status: { readonly [status: string]: number }
    readonly types: { readonly [kind: string]: number }
    readonly indexUids: { readonly [uid: string]: number }
    /**
     * Milliseconds of each step path, in the order in which steps ended; for a running batch so
     * far.
     */
    readonly progressTrace: { readonly [path: string]: number }
    readonly writeChannelCongestion: {
      readonly attempts: number
      readonly blocking_attempts: number
      readonly blocking_ratio: number
    } | null
    /**
     * For each part of the index that changed: its bytes now and the change; null if the batch did
     * not index.
     */
    readonly internalDatabaseSizes: {
      readonly [part: string]: readonly [bytes: number, change: number]
    } | null
    /** null if no embedder was called. */
    readonly embedderRequests: {
      readonly total: number
      readonly failed: number
      readonly lastError: string | null
    } | null
  }
  readonly startedAt: Micros
  readonly finishedAt: Micros | null
  /** Absent if the times are whole microseconds. */
  readonly nanos?: Omit<Nanos, 'enqueuedAt'> | undefined
  readonly batchStrategy: string
}

/**
 * A document body that is on disk (synced with the task record) or small enough to be inside the
 * record.
 */
export type StagedBody = {
  /** Number of the body file, or null if the bytes are inline. */
  readonly file: number | null
  readonly inline: Uint8Array | null
  readonly bytes: number
  readonly documents: number
}

/** The members of a record that the task kind defines. */
export type RecordMembers = Pick<
  EnqueuedView,
  'flags' | 'count' | 'bodyBytes' | 'bodyFile' | 'inline'
> & {
  readonly primaryKey: string | null
  readonly names: readonly string[]
  /** JSON text, also as UTF-8. */
  readonly content: string | Uint8Array | null
}

/**
 * The content of a write: everything that the batch needs to run, independent of HTTP. The queue
 * reads only the kind; the kind's module handles the rest.
 */
export type QueuedContent = { readonly kind: string }

/** A content already encoded as members of its record, by the thread that parsed the request. */
export type EncodedContent = QueuedContent & { readonly encoded: Partial<RecordMembers> }

/** The content of cancelations and deletions of tasks, whose work the queue does itself. */
export type TargetsContent = {
  readonly kind: 'taskCancelation' | 'taskDeletion'
  /** As the client sent it. */
  readonly query: string
  readonly targets: IdSet
}

/** Options for the registration of a task that copies a task of another queue. */
export type Registration = {
  /** The required uid, which may leave a gap; null means the next one. */
  readonly uid: TaskUid | null
  /** The task is checked and answered as if accepted, but not stored. */
  readonly isDry: boolean
  /** Set if another instance of the network sent the task; absent for a client. */
  readonly network?: TaskNetwork | undefined
  /** The request is sent again, and may have been accepted before. */
  readonly isRepeated?: boolean
}

export type TaskRequest<Content extends QueuedContent = QueuedContent> = {
  /** null for tasks not tied to one index. */
  readonly indexUid: IndexUid | null
  readonly content: Content | EncodedContent
  readonly customMetadata: string | null
  readonly registration?: Registration | undefined
  readonly network?: TaskNetwork | null | undefined
}
