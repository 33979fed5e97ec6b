// The engine as its callers see it. Requests are typed and already well-formed (engine/model); what
// only the index can know (does the field exist, is it filterable) is checked inside and comes back
// as an EngineFault.

import type { Keys } from './admin/keys/index.ts'
import type { Webhooks } from './admin/webhooks/index.ts'
import type { Chats } from './ai/chats/index.ts'
import type { Templates } from './ai/template/index.ts'
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
  ReceivedBody,
  SearchContext,
  SearchRequest,
  SimilarRequest,
  Visibility,
} from './model/index.ts'
import type { NetworkDescription } from './network/index.ts'
import type { SearchRule } from './read/rules/index.ts'
import type { SearchLoad } from './read/search/index.ts'
import type {
  AcceptedTask,
  Batch,
  Registration,
  Task,
  TaskCounts,
  TaskDetails,
  TaskFilter,
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
  readonly registration?: Registration
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

export interface Engine {
  readonly keys: Keys
  readonly webhooks: Webhooks
  readonly chats: Chats
  readonly network: NetworkDescription
  /** What templates of clients make of documents, off the main thread. */
  readonly templates: Templates
  /** Dynamic search rules, the one that was changed last first. */
  rules(): readonly SearchRule[]
  /** Calls `listener` with the uids of tasks that have finished together, batch after batch. */
  watchBatches(listener: (tasks: Iterable<number>) => void): void
  readonly features: Features
  /** Durable when it resolves, to the state it made. @throws StorageError */
  setFeatures(patch: FeaturesPatch): Promise<Features>

  listIndexes(visible: Visibility): readonly IndexInfo[]
  /** @throws EngineFault index_not_found */
  index(uid: string): IndexInfo
  stats(visible: Visibility): DatabaseStats
  /** @throws EngineFault index_not_found */
  indexStats(uid: string): IndexStats
  /** 5 ms a million tasks. */
  measures(): Measures
  /** Every setting with its value, in the declared order. @throws EngineFault index_not_found */
  settings(uid: string): { readonly [setting: string]: unknown }

  /** Durable when it resolves: this is what a 202 means. @throws EngineFault, StorageError */
  enqueue(request: TaskRequest): Promise<AcceptedTask>
  /** Asks for a dump; keys are dumped as they are now. @throws as `enqueue` */
  enqueueDump(registration?: Registration): Promise<AcceptedTask>
  receive(format: BodyFormat): BodyReceiver
  enqueueDocuments(
    indexUid: string,
    body: ReceivedBody,
    options: DocumentsOptions,
  ): Promise<AcceptedTask>
  discard(body: ReceivedBody): Promise<void>
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
  /** Why writes are refused, a sentence without paths; null: the database can be written to. */
  storageProblem(): string | null
  /** Whether the queue was compacted: watchers are told to start the process anew. */
  readonly needsRestart: boolean
  batch(uid: number, visible: Visibility): Promise<Batch | null>
  batches(filter: TaskFilter, page: TaskPage, visible: Visibility): Promise<TaskList<Batch>>

  search(indexUid: string, request: SearchRequest, context: SearchContext): Promise<JsonBytes>
  facetSearch(
    indexUid: string,
    request: FacetSearchRequest,
    context: SearchContext,
  ): Promise<JsonBytes>
  /** `{results}`: an answer a search, in order, all of one moment. @throws EngineFault */
  multiSearch(searches: readonly IndexSearch[], context: SearchContext): Promise<JsonBytes>
  /** The hits of several searches as one list. @throws EngineFault */
  federatedSearch(
    searches: readonly FederatedSearch[],
    federation: Federation,
    context: SearchContext,
  ): Promise<JsonBytes>
  similar(indexUid: string, request: SimilarRequest, context: SearchContext): Promise<JsonBytes>
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
  /** What settings make of each field. `{results, offset, limit, total}`. @throws EngineFault */
  fields(indexUid: string, request: FieldsRequest): Promise<JsonBytes>

  /**
   * Finishes what must not be left half done, closes the files. Running batches start again next
   * time.
   */
  close(): Promise<void>
}

export type { TaskDetails }
