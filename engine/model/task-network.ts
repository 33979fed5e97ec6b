// What a task has to do with the network of instances: who has to confirm it, or where it comes
// from. It stands in the record of the task.

/** A task of the leader, as other instances are told of it. */
export type TaskOrigin = {
  readonly remoteName: string
  readonly taskUid: number
  /** Of the network that the task was made under. */
  readonly networkVersion: string
}

/** What an exporter says of documents that it hands over. */
export type ImportSource = {
  readonly remoteName: string
  /** null: the documents are of no index; only counts are told. */
  readonly indexName: string | null
  readonly documentCount: number
  /** Indexes that the exporter sends documents of, and how many of this one. */
  readonly indexCount: number
  readonly totalDocuments: number
  /** The same when the same documents are sent again; null: not told. */
  readonly key: string | null
}

/** leader: sent to `remotes`. origin: a copy. import: a part of a topology change. */
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

/** What became of a task on one remote. `isFinal`: it is not sent again. */
export type RemoteResult =
  | { readonly taskUid: number; readonly error: null }
  | { readonly error: RemoteError; readonly isFinal: boolean }

export type RemoteResults = { readonly [remote: string]: RemoteResult }

export const isConfirmed = (result: RemoteResult | undefined): boolean =>
  result !== undefined && (result.error === null || result.isFinal)
