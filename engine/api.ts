// The engine as its callers see it. Requests are typed and already well-formed (engine/model); what
// only the index can know (does the field exist, is it filterable) is checked inside and comes back
// as an EngineFault.

import type { Keys } from './admin/keys/index.ts'
import type { Webhooks } from './admin/webhooks/index.ts'
import type { Chats } from './ai/chats/index.ts'
import type { Templates } from './ai/template/index.ts'
import type { Send } from './backup/export/index.ts'
import type {
  BodyFormat,
  BodyReceiver,
  DatabaseStats,
  DocumentsContext,
  DocumentsRequest,
  FacetSearchRequest,
  Features,
  FeaturesPatch,
  FederatedSearch,
  Federation,
  FieldsRequest,
  IndexInfo,
  IndexSearch,
  IndexStats,
  JsonBytes,
  JsonPieces,
  ReceivedBody,
  SearchContext,
  SearchRequest,
  SimilarRequest,
  Visibility,
} from './model/index.ts'
import type { NetworkDescription } from './network/index.ts'
import type { SearchRule } from './read/rules/index.ts'
import type { SearchLoad } from './read/search/index.ts'
import type { FileSystem } from './store/storage/index.ts'
import type { DumpOptions, SnapshotOptions, TaskKindModule } from './task-kinds/index.ts'
import type { WorkerFiles } from './threads/index.ts'
import type {
  AcceptedTask,
  Batch,
  BatchProgressStep,
  Registration,
  Task,
  TaskCounts,
  TaskFilter,
  TaskKinds,
  TaskList,
  TaskPage,
  TaskRequest,
} from './write/tasks/index.ts'

export type { TaskFilter, TaskList, TaskPage }

export type DocumentsOptions = {
  readonly method: 'replace' | 'update'
  readonly primaryKey: string | null
  readonly skipCreation: boolean
  readonly allowIndexCreation: boolean
  readonly customMetadata: string | null
  readonly registration?: Registration | undefined
}

/** How busy the engine is at one moment. */
export type Measures = {
  readonly searches: SearchLoad
  readonly tasks: TaskCounts
  readonly taskLog: {
    readonly usedBytes: number
    /** Past it no more tasks are taken. */
    readonly bytesMax: number
  }
  readonly runningBatch: Batch | null
}

export type EngineOptions = {
  /** The database folder; made if it is missing. */
  readonly path: string
  /** Of this release, `major.minor.patch`. */
  readonly version: string
  /** Whether a database of an older release may be opened; it is of this one afterwards. */
  readonly upgrade: boolean
  /** The files that threads run; null: everything happens in place, for tests and tools. */
  readonly workers: WorkerFiles | null
  readonly searchThreads: number
  /** Searches that may wait. */
  readonly searchQueueMax: number
  /** Searches that count as running, not waiting. */
  readonly searchesAtOnce: number
  /** A search is given up when it has waited and run for so long. */
  readonly searchDropAfterMs: number
  /** What indexing may use, in bytes. */
  readonly indexingMemoryMax: number
  /** Threads that build the segments of a batch; one when absent. */
  readonly indexingThreads?: number
  /** Tasks of a batch: infinite for no limit, 0: none is run. */
  readonly batchTasksMax: number
  /** Bodies of a batch, in bytes. */
  readonly batchBytesMax: number
  readonly report: (message: string, error: unknown) => void
  /** Gets notices for the operator that are not failures. */
  readonly note?: (message: string) => void
  /** Runs no task but an upgrade; for tools. */
  readonly onlyUpgrade?: boolean
  /** Told how far an upgrade is. */
  readonly onProgress?: (steps: readonly BatchProgressStep[]) => void
  /** Calls other servers; absent: none is called. */
  readonly send?: Send
  /** Bytes of a chunk of an export where the request names none. */
  readonly exportBytes?: number
  /** Where snapshots go; absent: none is made. */
  readonly snapshots?: SnapshotOptions
  /** Absent: no dumps are made. */
  readonly dumps?: DumpOptions
  /** Told of batches that have ended, with the uids of their tasks. */
  readonly onBatch?: (batchUid: number, tasks: Iterable<number>) => void
  /**
   * For tests: the file system in place of the real one, and how long an index has to rest to be
   * merged.
   */
  readonly fileSystem?: FileSystem
  readonly restMs?: number
  /** For tests: the kinds of tasks there are, in place of `taskKinds`. */
  readonly kinds?: TaskKinds<TaskKindModule>
  /** At so many tasks the oldest finished ones are deleted; infinite: never. */
  readonly taskCountMax?: number
  /** Bytes of tasks from which on writes are refused. */
  readonly queueBytesMax?: number
  /** How long a task log that refused a record is left alone; 10 s when absent. */
  readonly retryPauseMs?: number
}

/** What the engine is asked and told about itself: features, keys, watchers, sizes. */
interface AdministrationPort {
  readonly keys: Keys
  readonly webhooks: Webhooks
  readonly chats: Chats
  readonly network: NetworkDescription
  /** What templates of clients make of documents, off the main thread. */
  readonly templates: Templates
  /** Dynamic search rules, the one that was changed last first. */
  rules(): readonly SearchRule[]
  readonly features: Features
  /** Durable when it resolves, to the state it made. @throws StorageError */
  setFeatures(patch: FeaturesPatch): Promise<Features>
  stats(visible: Visibility): DatabaseStats
  /** 5 ms a million tasks. */
  measures(): Measures
  /** Why writes are refused, a sentence without paths; null: the database can be written to. */
  storageProblem(): string | null
  /** Whether the queue was compacted: watchers are told to start the process anew. */
  readonly needsRestart: boolean
}

/** Indexes, their settings, and documents on their way in and out. */
interface DocumentsPort {
  listIndexes(visible: Visibility): readonly IndexInfo[]
  /** @throws EngineFault index_not_found */
  index(uid: string): IndexInfo
  /** @throws EngineFault index_not_found */
  indexStats(uid: string): IndexStats
  /** Every setting with its value, in the declared order. @throws EngineFault index_not_found */
  settings(uid: string): { readonly [setting: string]: unknown }
  /** What settings make of each field. `{results, offset, limit, total}`. @throws EngineFault */
  fields(indexUid: string, request: FieldsRequest): Promise<JsonBytes>
  receive(format: BodyFormat): BodyReceiver
  enqueueDocuments(
    indexUid: string,
    body: ReceivedBody,
    options: DocumentsOptions,
  ): Promise<AcceptedTask>
  discard(body: ReceivedBody): Promise<void>
  /** The bare document. @throws EngineFault index_not_found, document_not_found */
  document(
    indexUid: string,
    id: string,
    fields: readonly string[] | null,
    retrieveVectors: boolean,
  ): Promise<JsonBytes>
  /** `{results, offset, limit, total}`. @throws EngineFault */
  documents(
    indexUid: string,
    request: DocumentsRequest,
    context?: DocumentsContext,
  ): Promise<JsonBytes>
}

/** Tasks and batches: what was asked for, and what became of it. */
interface TasksPort {
  /** Durable when it resolves: this is what a 202 means. @throws EngineFault, StorageError */
  enqueue(request: TaskRequest): Promise<AcceptedTask>
  /** Asks for a dump; keys are dumped as they are now. @throws as `enqueue` */
  enqueueDump(registration?: Registration): Promise<AcceptedTask>
  /** Freezes the targets and enqueues. `query` is the raw query string with its `?`. */
  enqueueCancelation(
    filter: TaskFilter,
    query: string,
    visible: Visibility,
    registration?: Registration,
  ): Promise<AcceptedTask>
  enqueueDeletion(
    filter: TaskFilter,
    query: string,
    visible: Visibility,
    registration?: Registration,
  ): Promise<AcceptedTask>
  /** null when it does not exist or is not visible. */
  task(uid: number, visible: Visibility): Promise<Task | null>
  tasks(filter: TaskFilter, page: TaskPage, visible: Visibility): Promise<TaskList<Task>>
  /** The body of an import that waits or runs. @throws EngineFault task_(file_)not_found */
  taskDocuments(uid: number, visible: Visibility): Promise<Uint8Array>
  /** Bytes of the task queue before and after its garbage was removed. @throws StorageError */
  compactTasks(): Promise<{ readonly before: number; readonly after: number }>
  batch(uid: number, visible: Visibility): Promise<Batch | null>
  batches(filter: TaskFilter, page: TaskPage, visible: Visibility): Promise<TaskList<Batch>>
  /** Calls `listener` with the uids of tasks that have finished together, batch after batch. */
  watchBatches(listener: (tasks: Iterable<number>) => void): void
}

/** Searches; the answers are finished JSON. */
interface SearchPort {
  search(indexUid: string, request: SearchRequest, context: SearchContext): Promise<JsonBytes>
  facetSearch(
    indexUid: string,
    request: FacetSearchRequest,
    context: SearchContext,
  ): Promise<JsonBytes>
  /** `{results}`: an answer a search, in order, all of one moment. @throws EngineFault */
  multiSearch(searches: readonly IndexSearch[], context: SearchContext): Promise<JsonPieces>
  /** The hits of several searches as one list. @throws EngineFault */
  federatedSearch(
    searches: readonly FederatedSearch[],
    federation: Federation,
    context: SearchContext,
  ): Promise<JsonBytes>
  similar(indexUid: string, request: SimilarRequest, context: SearchContext): Promise<JsonBytes>
}

export interface Engine extends AdministrationPort, DocumentsPort, TasksPort, SearchPort {
  /**
   * Finishes what must not be left half done, closes the files. Running batches start again next
   * time.
   */
  close(): Promise<void>
}
