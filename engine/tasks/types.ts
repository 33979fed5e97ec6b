// Tasks and batches as everybody else sees them. Times are whole microseconds since 1970, UTC.
import type { IdSet } from '../../format/idset/index.ts'

/** In the order in which error messages list them. */
export const TASK_KINDS = [
  'documentAdditionOrUpdate',
  'documentEdition',
  'documentDeletion',
  'settingsUpdate',
  'indexCreation',
  'indexDeletion',
  'indexUpdate',
  'indexSwap',
  'taskCancelation',
  'taskDeletion',
  'dumpCreation',
  'snapshotCreation',
  'export',
  'upgradeDatabase',
  'indexCompaction',
  'networkTopologyChange',
  'dsrUpdate',
  'dsrClear',
] as const
export type TaskKind = (typeof TASK_KINDS)[number]

export const TASK_STATUSES = ['enqueued', 'processing', 'succeeded', 'failed', 'canceled'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

export type Micros = number

/** What a task failed with; `code` is a catalogue code. */
export type TaskError = { readonly code: string; readonly message: string }

/** The members that `details` shows, by their public names. */
export type TaskDetails = { readonly [member: string]: unknown }

export type Task = {
  readonly uid: number
  readonly batchUid: number | null
  readonly indexUid: string | null
  readonly status: TaskStatus
  readonly kind: TaskKind
  readonly canceledBy: number | null
  /** null: the kind has none, and the member is left out. */
  readonly details: TaskDetails | null
  readonly error: TaskError | null
  readonly enqueuedAt: Micros
  readonly startedAt: Micros | null
  readonly finishedAt: Micros | null
  readonly customMetadata: string | null
}

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
  readonly uid: number
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

/** What a write asks for: everything the batch needs when it runs, nothing of HTTP. */
export type TaskContent =
  | { readonly kind: 'indexCreation'; readonly primaryKey: string | null }
  | {
      readonly kind: 'indexUpdate'
      readonly primaryKey: string | null
      readonly newUid: string | null
    }
  | { readonly kind: 'indexDeletion' }
  | {
      readonly kind: 'documentAdditionOrUpdate'
      readonly method: 'replace' | 'update'
      readonly body: StagedBody
      readonly primaryKey: string | null
      readonly skipCreation: boolean
      readonly allowIndexCreation: boolean
    }
  | { readonly kind: 'documentDeletion'; readonly by: 'ids'; readonly ids: readonly string[] }
  | { readonly kind: 'documentDeletion'; readonly by: 'filter'; readonly filter: unknown }
  | { readonly kind: 'documentDeletion'; readonly by: 'all' }
  | {
      readonly kind: 'settingsUpdate'
      /** Only the keys that were sent; null resets. Validated by `engine/settings`. */
      readonly patch: { readonly [setting: string]: unknown }
      readonly isDeletion: boolean
      readonly allowIndexCreation: boolean
    }
  | {
      readonly kind: 'indexSwap'
      readonly swaps: readonly {
        readonly indexes: readonly [string, string]
        readonly rename: boolean
      }[]
    }
  | { readonly kind: 'taskCancelation'; readonly query: string; readonly targets: IdSet }
  | { readonly kind: 'taskDeletion'; readonly query: string; readonly targets: IdSet }
  | {
      readonly kind: 'documentEdition'
      readonly filter: unknown
      readonly context: unknown
      /** The context's JSON where its numbers say more than `context` does: `1.0` is no integer. */
      readonly contextText?: string
      readonly function: string
    }
  | {
      readonly kind: 'dumpCreation'
      /** As a dump writes them, from the moment at which it was asked for. */
      readonly keys: readonly unknown[]
      readonly instanceUid: string | null
    }
  | { readonly kind: 'snapshotCreation' }
  | {
      readonly kind: 'export'
      readonly url: string
      readonly apiKey: string | null
      /** As text, `24 MiB`. */
      readonly payloadSize: string | null
      /** By index pattern. */
      readonly indexes: {
        readonly [pattern: string]: { readonly filter: unknown; readonly overrideSettings: boolean }
      }
    }
  | { readonly kind: 'upgradeDatabase'; readonly from: string; readonly to: string }
  | { readonly kind: 'indexCompaction' }
  /** `change` belongs to the network's own module. */
  | { readonly kind: 'networkTopologyChange'; readonly change: unknown }
  /** `rule`: only the members that were sent; null deletes the rule. */
  | { readonly kind: 'dsrUpdate'; readonly uid: string; readonly rule: TaskDetails | null }
  | { readonly kind: 'dsrClear' }

/** How a task is taken in, where that is not left to the queue; for copies of another queue. */
export type Registration = {
  /** The uid to have, which may leave a gap; null: the next one. */
  readonly uid: number | null
  /** The task is answered as if it had been taken in, and forgotten. */
  readonly isDry: boolean
}

export type TaskRequest = {
  /** null for tasks not tied to one index. */
  readonly indexUid: string | null
  readonly content: TaskContent
  readonly customMetadata: string | null
  readonly registration?: Registration
}
