// The engine as its callers see it: `server` and `tools` know nothing else of it. Requests are
// typed and already well-formed; what only the index can know (does the field exist, is it
// filterable) is checked inside and comes back as an EngineFault.
import type { Chats } from './chats/index.ts'
import type { Keys } from './keys/index.ts'
import type { NetworkDescription } from './network/index.ts'
import type { SearchRule } from './rules/index.ts'
import type { SearchLoad } from './search/index.ts'
import type {
  Batch,
  Micros,
  Registration,
  Task,
  TaskCounts,
  TaskDetails,
  TaskKind,
  TaskRequest,
  TaskStatus,
} from './tasks/index.ts'

import type { Webhooks } from './webhooks/index.ts'

/** Finished JSON text as bytes: goes to the client as it is. */
export type JsonBytes = Uint8Array

export type IndexInfo = {
  readonly uid: string
  readonly createdAt: Micros
  readonly updatedAt: Micros
  readonly primaryKey: string | null
}

export type IndexStats = {
  readonly numberOfDocuments: number
  /** Bytes of the documents layer on disk. */
  readonly rawDocumentDbSize: number
  readonly avgDocumentSize: number
  readonly isIndexing: boolean
  readonly numberOfEmbeddings: number
  readonly numberOfEmbeddedDocuments: number
  /** Top-level field → documents that have it; by name in byte order. */
  readonly fieldDistribution: { readonly [field: string]: number }
  /** Part → bytes. */
  readonly internalDatabaseSizes: { readonly [part: string]: number }
}

export type DatabaseStats = {
  readonly databaseSize: number
  readonly usedDatabaseSize: number
  readonly lastUpdate: Micros | null
  /** By uid in byte order. */
  readonly indexes: ReadonlyMap<string, IndexStats>
}

export type MatchingStrategy = 'last' | 'all' | 'frequency'

/**
 * A search as the client sent it, defaults not yet applied: `null` stands for absent and for null.
 */
export type SearchRequest = {
  readonly q: string | null
  readonly vector: readonly number[] | null
  readonly media: unknown
  readonly hybrid: { readonly embedder: string; readonly semanticRatio: number } | null
  readonly offset: number
  readonly limit: number
  readonly page: number | null
  readonly hitsPerPage: number | null
  readonly attributesToRetrieve: readonly string[] | null
  readonly retrieveVectors: boolean
  readonly attributesToCrop: readonly string[] | null
  readonly cropLength: number
  readonly cropMarker: string
  readonly attributesToHighlight: readonly string[] | null
  readonly highlightPreTag: string
  readonly highlightPostTag: string
  readonly showMatchesPosition: boolean
  readonly showRankingScore: boolean
  readonly showRankingScoreDetails: boolean
  readonly showPerformanceDetails: boolean
  /** Any JSON: a string, an array, arrays in an array; its grammar is the engine's business. */
  readonly filter: unknown
  readonly sort: readonly string[] | null
  readonly distinct: string | null
  readonly facets: readonly string[] | null
  readonly matchingStrategy: MatchingStrategy
  readonly attributesToSearchOn: readonly string[] | null
  readonly rankingScoreThreshold: number | null
  /** Three-letter codes as in `engine/text`, or null. */
  readonly locales: readonly string[] | null
  readonly personalize: { readonly userContext: string } | null
  readonly useNetwork: boolean | null
  /** Set where a search is asked of the network; absent: the client knows of no other instances. */
  readonly network?: NetworkAnswer
}

/** What an answer says of the instances of a network. */
export type NetworkAnswer = {
  /** The name of this instance; null: it has none. */
  readonly self: string | null
  /** Instances that gave no answer → why, as clients read it. */
  readonly remoteErrors: { readonly [remote: string]: unknown }
}

/** What the server adds to a search: who asked, what to echo, when to give up. */
export type SearchContext = {
  readonly requestUid: string
  /** Makes the name of each query for `metadata`; null: no metadata is asked for. */
  readonly queryUid: (() => string) | null
  /** Which features are on, by their public flag names. */
  readonly features: Features
  /** Fires when the client has gone. Outlives the search: take listeners off when it is over. */
  readonly signal: AbortSignal
  /** Of indexes that foreign keys lead to. Absent: everything may be seen. */
  readonly access?: IndexAccess
}

/** What a caller may see of an index: null nothing, else what passes a filter (null: all). */
export type IndexAccess = (indexUid: string) => { readonly filter: unknown } | null

/** A search among others. */
export type IndexSearch = {
  readonly indexUid: string
  readonly request: SearchRequest
}

/** A search whose hits are merged with those of others. Its own pages and facets do not count. */
export type FederatedSearch = IndexSearch & {
  /** Factor of its scores, 0 or more. */
  readonly weight: number
  /** The position that hits tell; null: that of the search in its list. */
  readonly queryPosition: number | null
}

/** What becomes of the hits of several searches as one list. */
export type Federation = Pick<SearchRequest, 'offset' | 'limit' | 'page' | 'hitsPerPage'> & {
  /** By index in byte order: patterns of facets; null: none of this index. */
  readonly facetsByIndex: { readonly [indexUid: string]: readonly string[] | null }
  /** Facets of all indexes in one distribution; null: each index for itself. */
  readonly mergeFacets: { readonly maxValuesPerFacet: number | null } | null
  readonly distinct: string | null
  readonly showPerformanceDetails: boolean
  /** Set where any of the searches is asked of the network. */
  readonly network?: NetworkAnswer
}

export type FacetSearchRequest = {
  readonly facetName: string
  readonly facetQuery: string | null
  readonly exhaustiveFacetCount: boolean | null
  readonly search: SearchRequest
}

/** A search for documents that are similar to one. */
export type SimilarRequest = {
  /** Of the document, as text. */
  readonly id: string
  readonly embedder: string
  readonly offset: number
  readonly limit: number
  /** Any JSON, what the caller's key adds included. */
  readonly filter: unknown
  /** What the caller's key adds, alone: the document itself has to be within. */
  readonly within: unknown
  readonly attributesToRetrieve: readonly string[] | null
  readonly retrieveVectors: boolean
  readonly showRankingScore: boolean
  readonly showRankingScoreDetails: boolean
  readonly showPerformanceDetails: boolean
  readonly rankingScoreThreshold: number | null
}

export type DocumentsRequest = {
  readonly offset: number
  readonly limit: number
  /** Fields to keep; null: all. */
  readonly fields: readonly string[] | null
  readonly retrieveVectors: boolean
  /** External ids as text; null: no restriction. */
  readonly ids: readonly string[] | null
  readonly filter: unknown
  readonly sort: readonly string[] | null
}

/** Which fields of an index to list: every flag that is given must hold. */
export type FieldsFilter = {
  readonly attributePatterns: readonly string[] | null
  readonly displayed: boolean | null
  readonly searchable: boolean | null
  readonly sortable: boolean | null
  readonly distinct: boolean | null
  readonly rankingRule: boolean | null
  readonly filterable: boolean | null
}

export type FieldsRequest = {
  readonly offset: number
  readonly limit: number
  readonly filter: FieldsFilter | null
}

export const FEATURES = [
  'metrics',
  'logsRoute',
  'editDocumentsByFunction',
  'containsFilter',
  'dynamicSearchRules',
  'network',
  'getTaskDocumentsRoute',
  'taskQueueCompactionRoute',
  'compositeEmbedders',
  'chatCompletions',
  'multimodal',
  'foreignKeys',
  'disableDocumentsFetchQueue',
  'legacySearch',
  'renderRoute',
] as const
export type Feature = (typeof FEATURES)[number]
export type Features = { readonly [feature in Feature]: boolean }

/**
 * Filters of a task or batch list. A present list restricts even when it is empty (it matches
 * nothing).
 */
export type TaskFilter = {
  readonly uids: readonly number[] | null
  readonly batchUids: readonly number[] | null
  readonly canceledBy: readonly number[] | null
  readonly kinds: readonly TaskKind[] | null
  readonly statuses: readonly TaskStatus[] | null
  readonly indexUids: readonly string[] | null
  readonly afterEnqueuedAt: Micros | null
  readonly beforeEnqueuedAt: Micros | null
  readonly afterStartedAt: Micros | null
  readonly beforeStartedAt: Micros | null
  readonly afterFinishedAt: Micros | null
  readonly beforeFinishedAt: Micros | null
}

export type TaskPage = {
  readonly from: number | null
  readonly limit: number
  readonly reverse: boolean
}

export type TaskList<T> = {
  readonly results: readonly T[]
  readonly total: number
  readonly from: number | null
  readonly next: number | null
}

/** Whether the caller may see an index; the server makes it from the key, null means all. */
export type Visibility = ((indexUid: string) => boolean) | null

export type BodyFormat =
  | { readonly kind: 'json' }
  | { readonly kind: 'ndjson' }
  | { readonly kind: 'csv'; readonly delimiter: string }

/**
 * Takes a document body as it arrives and puts it on disk. `write` resolves when more may come
 * (back pressure). A malformed body makes `write` or `finish` reject with an EngineFault; `abort`
 * forgets all.
 */
export interface BodyReceiver {
  write(chunk: Uint8Array): Promise<void>
  finish(): Promise<ReceivedBody>
  abort(): Promise<void>
}

/** A well-formed body waiting for its task. Handed to `enqueueDocuments` once, or discarded. */
export type ReceivedBody = { readonly documents: number; readonly bytes: number }

export type DocumentsOptions = {
  readonly method: 'replace' | 'update'
  readonly primaryKey: string | null
  readonly skipCreation: boolean
  readonly allowIndexCreation: boolean
  readonly customMetadata: string | null
  readonly registration?: Registration
}

/** Features to switch; null and absence leave one as it is. */
export type FeaturesPatch = { readonly [feature in Feature]?: boolean | null }

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
  enqueue(request: TaskRequest): Promise<Task>
  /** Asks for a dump; keys are dumped as they are now. @throws as `enqueue` */
  enqueueDump(registration?: Registration): Promise<Task>
  receive(format: BodyFormat): BodyReceiver
  enqueueDocuments(indexUid: string, body: ReceivedBody, options: DocumentsOptions): Promise<Task>
  discard(body: ReceivedBody): Promise<void>
  /** Freezes the targets and enqueues. `query` is the raw query string with its `?`. */
  enqueueCancelation(
    filter: TaskFilter,
    query: string,
    visible: Visibility,
    registration?: Registration,
  ): Promise<Task>
  enqueueDeletion(
    filter: TaskFilter,
    query: string,
    visible: Visibility,
    registration?: Registration,
  ): Promise<Task>

  /** null when it does not exist or is not visible. */
  task(uid: number, visible: Visibility): Promise<Task | null>
  tasks(filter: TaskFilter, page: TaskPage, visible: Visibility): Promise<TaskList<Task>>
  /** The body of an import that waits or runs. @throws EngineFault task_(file_)not_found */
  taskDocuments(uid: number, visible: Visibility): Promise<Uint8Array>
  /** Bytes of the task queue before and after its garbage was removed. @throws StorageError */
  compactTasks(): Promise<{ readonly before: number; readonly after: number }>
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
  documents(indexUid: string, request: DocumentsRequest, access?: IndexAccess): Promise<JsonBytes>
  /** What settings make of each field. `{results, offset, limit, total}`. @throws EngineFault */
  fields(indexUid: string, request: FieldsRequest): Promise<JsonBytes>

  /**
   * Finishes what must not be left half done, closes the files. Running batches start again next
   * time.
   */
  close(): Promise<void>
}

export type { TaskDetails }
