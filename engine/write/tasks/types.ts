// Tasks and batches as everybody else sees them. Times are whole microseconds since 1970, UTC.
import type { BatchUid, TaskUid } from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import type { EnqueuedRecord } from '../../../format/tasks/index.ts'
import type { RemoteResults, TaskNetwork } from '../../model/index.ts'

export const TASK_STATUSES = ['enqueued', 'processing', 'succeeded', 'failed', 'canceled'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

export type Micros = number

/** What is left of a microsecond, 0 to 999: times that came from elsewhere may have it. */
export type Nanos = {
  readonly enqueuedAt: number
  readonly startedAt: number
  readonly finishedAt: number
}

/** What a task failed with; `code` is a catalogue code. */
export type TaskError = { readonly code: string; readonly message: string }

/** The members that `details` shows, by their public names. */
export type TaskDetails = { readonly [member: string]: unknown }

export type Task = {
  readonly uid: TaskUid
  readonly batchUid: BatchUid | null
  readonly indexUid: string | null
  readonly status: TaskStatus
  /** The name of its kind. */
  readonly kind: string
  readonly canceledBy: TaskUid | null
  /** null: the kind has none, and the member is left out. */
  readonly details: TaskDetails | null
  readonly error: TaskError | null
  readonly enqueuedAt: Micros
  readonly startedAt: Micros | null
  readonly finishedAt: Micros | null
  /** Absent: the times are whole microseconds. */
  readonly nanos?: Nanos | undefined
  readonly customMetadata: string | null
  /** Absent: the task has nothing to do with a network. */
  readonly network?: TaskNetwork | undefined
  /** What remotes answered to a task of the leader. */
  readonly remoteResults?: RemoteResults | undefined
}

/** What is told of a task that was just accepted; its details may be large. */
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
  /** Only while the batch runs. */
  readonly progress: BatchProgress | null
  readonly details: TaskDetails
  readonly stats: {
    readonly totalNbTasks: number
    readonly status: { readonly [status: string]: number }
    readonly types: { readonly [kind: string]: number }
    readonly indexUids: { readonly [uid: string]: number }
    /**
     * Step path → milliseconds, in the order of ending; of a running batch what it has done so far.
     */
    readonly progressTrace: { readonly [path: string]: number }
    readonly writeChannelCongestion: {
      readonly attempts: number
      readonly blocking_attempts: number
      readonly blocking_ratio: number
    } | null
    /**
     * Part of the index → [bytes now, change], parts that changed; null when not an indexing batch.
     */
    readonly internalDatabaseSizes: {
      readonly [part: string]: readonly [bytes: number, change: number]
    } | null
    /** null when no embedder was asked. */
    readonly embedderRequests: {
      readonly total: number
      readonly failed: number
      readonly lastError: string | null
    } | null
  }
  readonly startedAt: Micros
  readonly finishedAt: Micros | null
  /** Absent: the times are whole microseconds. */
  readonly nanos?: Omit<Nanos, 'enqueuedAt'> | undefined
  readonly batchStrategy: string
}

/**
 * A document body that is on disk (synced with the task record) or small enough to be inside it.
 */
export type StagedBody = {
  /** Number of the body file, or null when the bytes are inline. */
  readonly file: number | null
  readonly inline: Uint8Array | null
  readonly bytes: number
  readonly documents: number
}

/** The members of a record that belong to the kind. */
export type RecordMembers = Pick<
  EnqueuedRecord,
  'flags' | 'count' | 'bodyBytes' | 'bodyFile' | 'primaryKey' | 'names' | 'content' | 'inline'
>

/**
 * What a write asks for: everything the batch needs when it runs, nothing of HTTP. The queue leaves
 * all but the kind to the kind's own module.
 */
export type QueuedContent = { readonly kind: string }

/**
 * The same as members of its record, where that was encoded before: by a thread that had read the
 * request anyway.
 */
export type EncodedContent = QueuedContent & { readonly encoded: Partial<RecordMembers> }

/** What cancelations and deletions of tasks ask for, whose work is in the queue itself. */
export type TargetsContent = {
  readonly kind: 'taskCancelation' | 'taskDeletion'
  /** As the client sent it. */
  readonly query: string
  readonly targets: IdSet
}

/** How a task is taken in, where that is not left to the queue; for copies of another queue. */
export type Registration = {
  /** The uid to have, which may leave a gap; null: the next one. */
  readonly uid: TaskUid | null
  /** The task is answered as if it had been taken in, and forgotten. */
  readonly isDry: boolean
  /** Another instance of the network has sent the task; absent: a client has. */
  readonly network?: TaskNetwork | undefined
  /** The request was sent before, and may have been taken in. */
  readonly isRepeated?: boolean
}

export type TaskRequest<Content extends QueuedContent = QueuedContent> = {
  /** null for tasks not tied to one index. */
  readonly indexUid: string | null
  readonly content: Content | EncodedContent
  readonly customMetadata: string | null
  readonly registration?: Registration | undefined
  readonly network?: TaskNetwork | null | undefined
}
