// The relation of a task to the network of instances: which remotes must confirm it, or where it
// comes from. Stored in the record of the task.
import type { TaskUid } from '../../../format/ids.ts'

/** A task of the leader, as other instances receive it. */
export type TaskOrigin = {
  readonly remoteName: string
  readonly taskUid: TaskUid
  /** Version of the network under which the task was created. */
  readonly networkVersion: string
}

/** The exporter's description of documents that it hands over. */
export type ImportSource = {
  readonly remoteName: string
  /** null: no documents follow, only counts. */
  readonly indexName: string | null
  readonly documentCount: number
  /** Number of indexes that the exporter sends, and number of documents of this index. */
  readonly indexCount: number
  readonly totalDocuments: number
  /** Equal when the same documents are sent again; null if the exporter sent none. */
  readonly key: string | null
}

/**
 * `leader`: sent to `remotes`. `origin`: a copy of the leader's task. `import`: a part of a
 * topology change.
 */
export type TaskNetwork =
  | {
      readonly kind: 'leader'
      readonly version: string
      readonly remotes: readonly string[]
    }
  | { readonly kind: 'origin'; readonly origin: TaskOrigin }
  | { readonly kind: 'import'; readonly source: ImportSource; readonly change: TaskOrigin }

/** An error of another instance, as clients see it. */
export type RemoteError = {
  readonly message: string
  readonly code: string
  readonly type: string
  readonly link: string
}

/** The outcome of a task on one remote. `isFinal`: the task is not sent again. */
export type RemoteResult =
  | { readonly taskUid: TaskUid; readonly error: null }
  | { readonly error: RemoteError; readonly isFinal: boolean }

export type RemoteResults = { readonly [remote: string]: RemoteResult }

export const isConfirmed = (result: RemoteResult | undefined): boolean =>
  result !== undefined && (result.error === null || result.isFinal)
