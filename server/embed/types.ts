// The public types of a program that runs the engine inside its own process. The build publishes
// this text, with that of ./search-types.ts, as the declarations of the package: both declare only types.
import type {
  FacetSearchAnswer,
  FacetSearchRequest,
  Filter,
  JsonObject,
  MultiSearchAnswer,
  MultiSearchRequest,
  SearchAnswer,
  SearchRequest,
  SuggestAnswer,
  SuggestRequest,
} from './search-types.ts'

/** The location of the database, and the resources that it may use. */
export interface EngineOptions {
  /** The database folder; created if it is missing. Only one process at a time may open it. */
  readonly path: string
  /** Number of search threads; default: one per core. */
  readonly searchThreads?: number
  /** Number of threads that build segments; default: half of the cores. */
  readonly indexingThreads?: number
  /** Memory for indexing, in bytes; default: a quarter of the machine's memory, at most 2 GiB. */
  readonly indexingMemoryBytes?: number
  /** Milliseconds after which a search is canceled, waiting included; default: 60 seconds. */
  readonly searchTimeoutMs?: number
  /** Upgrades a database of an older release; default: false. */
  readonly upgrade?: boolean
  /**
   * Opens an existing database for searching only, also in a folder that cannot be written to:
   * nothing is written, and no task runs. Several processes may read a database, but none may write
   * meanwhile. Default: false.
   */
  readonly readOnly?: boolean
  /** File URL or path of `dist/workers`; default: beside this code, or in the package. */
  readonly workersUrl?: string | URL
  /** Folder for dumps; default: `dumps` in the working directory. */
  readonly dumpFolder?: string
  /** Folder for snapshots; default: `snapshots` in the working directory. */
  readonly snapshotFolder?: string
  /** Receives warnings for the operator; default: `process.emitWarning`. */
  readonly onWarning?: (message: string, cause?: unknown) => void
}

/** Opens a database. @throws SvcSearchError */
export type OpenEngine = (options: EngineOptions) => Promise<Engine>

/** A refusal or a failure, with the code and the message of the HTTP API. */
export interface SvcSearchError extends Error {
  readonly name: 'SvcSearchError'
  /**
   * An error code of the HTTP API, or one that exists only here: `invalid_options`,
   * `database_locked`, `engine_closed`, `timeout`, `route_not_found`, `workers_missing`,
   * `database_not_writable`.
   */
  readonly code: string
  readonly type: 'invalid_request' | 'internal' | 'auth' | 'system'
  /** A page about the code; null for codes that exist only here. */
  readonly link: string | null
}

export interface SvcSearchErrorConstructor {
  new (
    code: string,
    message: string,
    options?: {
      readonly type?: SvcSearchError['type']
      readonly link?: string | null
      readonly cause?: unknown
    },
  ): SvcSearchError
  readonly prototype: SvcSearchError
}

/** A write that is stored on disk and waits to run. */
export interface EnqueuedTask {
  readonly taskUid: number
  readonly indexUid: string | null
  readonly status: 'enqueued'
  readonly type: string
  readonly enqueuedAt: string
}

export interface Task {
  readonly uid: number
  readonly batchUid: number | null
  readonly indexUid: string | null
  readonly status: 'enqueued' | 'processing' | 'succeeded' | 'failed' | 'canceled'
  readonly type: string
  readonly canceledBy: number | null
  readonly details?: JsonObject
  readonly error: {
    readonly message: string
    readonly code: string
    readonly type: string
    readonly link: string
  } | null
  readonly duration: string | null
  readonly enqueuedAt: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
}

export interface TaskList {
  readonly results: readonly Task[]
  readonly total: number
  readonly limit: number
  readonly from: number | null
  readonly next: number | null
}

export interface TaskFilter {
  readonly uids?: readonly number[]
  readonly statuses?: readonly string[]
  readonly types?: readonly string[]
  readonly indexUids?: readonly string[]
  readonly limit?: number
  readonly from?: number
}

export interface IndexInfo {
  readonly uid: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly primaryKey: string | null
}

export interface Page<T> {
  readonly results: readonly T[]
  readonly offset: number
  readonly limit: number
  readonly total: number
}

export interface DocumentsRequest {
  readonly offset?: number
  readonly limit?: number
  readonly fields?: readonly string[]
  readonly ids?: readonly (string | number)[]
  readonly filter?: Filter
  readonly sort?: readonly string[]
  readonly retrieveVectors?: boolean
}

/** Any number of documents as values: they are written to disk as they are read. */
export type Documents = Iterable<object> | AsyncIterable<object>

export interface AdditionOptions {
  /** The field with the documents' ids; default: chosen by its name. */
  readonly primaryKey?: string
}

/** Documents as text, in the formats of the HTTP API. */
export interface ImportOptions extends AdditionOptions {
  readonly format: 'json' | 'ndjson' | 'csv'
  /** One ASCII character, for CSV; default: a comma. */
  readonly csvDelimiter?: string
  /** Keeps members of stored documents that are absent from the new ones; default: false. */
  readonly update?: boolean
}

export type Bytes = string | Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>

export interface CallOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal
}

/**
 * An open database in this process. Writes resolve to a task as soon as they are on disk;
 * `waitForTask` resolves when it has run. All methods throw `SvcSearchError`.
 */
export interface Engine {
  createIndex(uid: string, options?: AdditionOptions): Promise<EnqueuedTask>
  updateIndex(
    uid: string,
    change: { readonly primaryKey?: string; readonly uid?: string },
  ): Promise<EnqueuedTask>
  deleteIndex(uid: string): Promise<EnqueuedTask>
  swapIndexes(
    swaps: readonly { readonly indexes: readonly [string, string]; readonly rename?: boolean }[],
  ): Promise<EnqueuedTask>
  index(uid: string): Promise<IndexInfo>
  indexes(page?: { readonly offset?: number; readonly limit?: number }): Promise<Page<IndexInfo>>

  settings(indexUid: string): Promise<JsonObject>
  updateSettings(indexUid: string, settings: JsonObject): Promise<EnqueuedTask>
  resetSettings(indexUid: string): Promise<EnqueuedTask>

  /** Adds documents; a document with the id of a stored one replaces it. */
  addDocuments(
    indexUid: string,
    documents: Documents,
    options?: AdditionOptions,
  ): Promise<EnqueuedTask>
  /** Adds documents; a document with the id of a stored one changes only its own members. */
  updateDocuments(
    indexUid: string,
    documents: Documents,
    options?: AdditionOptions,
  ): Promise<EnqueuedTask>
  importDocuments(indexUid: string, source: Bytes, options: ImportOptions): Promise<EnqueuedTask>
  deleteDocuments(
    indexUid: string,
    which:
      | { readonly ids: readonly (string | number)[] }
      | { readonly filter: Filter }
      | { readonly all: true },
  ): Promise<EnqueuedTask>
  document<T = JsonObject>(
    indexUid: string,
    id: string | number,
    options?: { readonly fields?: readonly string[]; readonly retrieveVectors?: boolean },
  ): Promise<T>
  documents<T = JsonObject>(indexUid: string, request?: DocumentsRequest): Promise<Page<T>>

  search<T = JsonObject>(
    indexUid: string,
    request?: SearchRequest,
    options?: CallOptions,
  ): Promise<SearchAnswer<T>>
  /** Returns the answer as JSON text in UTF-8, as a server would send it, without parsing. */
  searchBytes(indexUid: string, request?: SearchRequest, options?: CallOptions): Promise<Uint8Array>
  facetSearch(
    indexUid: string,
    request: FacetSearchRequest,
    options?: CallOptions,
  ): Promise<FacetSearchAnswer>
  /** Returns completions of what is typed. */
  suggest(indexUid: string, request: SuggestRequest, options?: CallOptions): Promise<SuggestAnswer>
  multiSearch<T = JsonObject>(
    request: MultiSearchRequest,
    options?: CallOptions,
  ): Promise<MultiSearchAnswer<T>>
  /** Returns the hits of several searches as one list. */
  federatedSearch<T = JsonObject>(
    request: MultiSearchRequest & { readonly federation: JsonObject },
    options?: CallOptions,
  ): Promise<Omit<SearchAnswer<T>, 'query'>>

  task(uid: number): Promise<Task>
  tasks(filter?: TaskFilter): Promise<TaskList>
  cancelTasks(filter: TaskFilter): Promise<EnqueuedTask>
  deleteTasks(filter: TaskFilter): Promise<EnqueuedTask>
  /**
   * Resolves to the task when it has finished with any result; see `status` and `error`.
   * `timeoutMs`: rejects with the code `timeout` after this time; default: no limit.
   */
  waitForTask(
    task: number | EnqueuedTask,
    options?: CallOptions & { readonly timeoutMs?: number },
  ): Promise<Task>

  stats(): Promise<JsonObject>
  createDump(): Promise<EnqueuedTask>
  createSnapshot(): Promise<EnqueuedTask>

  /**
   * Sends any request of the HTTP API: `request('PATCH', '/experimental-features', { metrics: true
   * })`. Resolves to the answer as a value, or to text if the answer is not JSON.
   */
  request(method: string, path: string, body?: unknown, options?: CallOptions): Promise<unknown>

  /** Waits for running calls and closes the files. Tasks that have not run wait for the next start. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
