// An engine without threads on a disk in memory, and helpers for requests. For tests.

import { MiB } from '../../format/bytes/index.ts'
import { asIndexUid } from '../../format/ids.ts'
import type { Engine, EngineOptions } from '../api/index.ts'
import {
  DEFAULT_SEARCH,
  type DocumentsRequest,
  type SearchRequest,
  type SimilarRequest,
} from '../model/index.ts'
import type { EngineTools } from '../open/local-engine.ts'
import { openEngine } from '../open/open-engine.ts'
import type { FileSystem } from '../store/storage/index.ts'
import type { TaskContent } from '../task-kinds/index.ts'
import { type AcceptedTask, NO_FILTER, type Task } from '../write/task-data/index.ts'

/** Matches every task. */
export const EVERY_TASK = NO_FILTER

export type TestEngine = Engine & EngineTools

export const PLAIN_SEARCH: SearchRequest = { ...DEFAULT_SEARCH, limit: 1000 }

export const PLAIN_SIMILAR: Omit<SimilarRequest, 'id' | 'embedder'> = {
  offset: 0,
  limit: 20,
  filter: null,
  within: null,
  attributesToRetrieve: null,
  retrieveVectors: false,
  showRankingScore: false,
  showRankingScoreDetails: false,
  showPerformanceDetails: false,
  rankingScoreThreshold: null,
}

const ALL_DOCUMENTS: DocumentsRequest = {
  offset: 0,
  limit: 1_000_000,
  fields: null,
  retrieveVectors: false,
  ids: null,
  filter: null,
  sort: null,
}

export const MANIFEST_OPTIONS = { version: '1.50.0', upgrade: false, drawLogSalt: () => 1 }

/** Options of an engine, a reader or a follower without threads. */
export const TEST_OPTIONS = {
  path: '',
  version: '1.50.0',
  upgrade: false,
  workers: null,
  searchThreads: 1,
  searchQueueMax: 10,
  searchesAtOnce: 4,
  searchDropAfterMs: 60_000,
  indexingMemoryMax: 16 * MiB,
  batchTasksMax: Number.POSITIVE_INFINITY,
  batchBytesMax: Number.POSITIVE_INFINITY,
  report: () => undefined,
} as const

export const openTestEngine = (
  fileSystem: FileSystem,
  options: Partial<EngineOptions> = {},
): Promise<TestEngine> => openEngine({ ...TEST_OPTIONS, restMs: 0, fileSystem, ...options })

export const enqueue = (
  engine: TestEngine,
  indexUid: string | null,
  content: TaskContent,
  customMetadata: string | null = null,
): Promise<AcceptedTask> =>
  engine.tasks.enqueue({
    indexUid: indexUid === null ? null : asIndexUid(indexUid),
    content,
    customMetadata,
  })

/** Enqueues a change of settings; the index is created if it does not exist. */
export const changeSettings = (
  engine: TestEngine,
  indexUid: string,
  patch: object,
): Promise<AcceptedTask> =>
  enqueue(engine, indexUid, {
    kind: 'settingsUpdate',
    patch: patch as never,
    isDeletion: false,
    allowIndexCreation: true,
  })

export type Import = {
  readonly method?: 'replace' | 'update'
  readonly primaryKey?: string
  readonly metadata?: string
}

/** Sends documents as one body of NDJSON. */
export async function addDocuments(
  engine: TestEngine,
  indexUid: string,
  documents: readonly object[],
  { method = 'replace', primaryKey, metadata }: Import = {},
): Promise<AcceptedTask> {
  const receiver = engine.documents.receive({ kind: 'ndjson' })
  for (const document of documents) await receiver.write(Buffer.from(JSON.stringify(document)))
  return engine.documents.enqueueDocuments(asIndexUid(indexUid), await receiver.finish(), {
    method,
    primaryKey: primaryKey ?? null,
    skipCreation: false,
    allowIndexCreation: true,
    customMetadata: metadata ?? null,
  })
}

const parsed = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString())

export const documentsOf = async (engine: TestEngine, indexUid: string): Promise<object[]> =>
  parsed(await engine.documents.list(asIndexUid(indexUid), ALL_DOCUMENTS)).results

/** Returns documents with their vectors. */
export const documentsWithVectors = async (
  engine: TestEngine,
  indexUid: string,
): Promise<object[]> =>
  parsed(
    await engine.documents.list(asIndexUid(indexUid), { ...ALL_DOCUMENTS, retrieveVectors: true }),
  ).results

/** Returns the vectors of all documents for one embedder. */
export const vectorsOf = async (
  engine: TestEngine,
  indexUid: string,
  embedder: string,
): Promise<readonly (readonly (readonly number[])[])[]> => {
  type Shown = {
    readonly _vectors: { readonly [name: string]: { readonly embeddings: number[][] } }
  }
  const documents = (await documentsWithVectors(engine, indexUid)) as Shown[]
  return documents.map(({ _vectors }) => _vectors[embedder]!.embeddings)
}

/** Returns the answer to a search; members that are not passed have their defaults. */
export const searchFor = async (
  engine: TestEngine,
  indexUid: string,
  request: Partial<SearchRequest>,
) =>
  parsed(
    await engine.queries.search(
      asIndexUid(indexUid),
      { ...PLAIN_SEARCH, ...request },
      {
        requestUid: 'r',
        queryUid: null,
        features: engine.administration.features,
        signal: new AbortController().signal,
      },
    ),
  )

/** Returns all tasks, the oldest first. */
export async function allTasks(engine: TestEngine): Promise<readonly Task[]> {
  const page = { from: null, limit: 1_000_000, reverse: true }
  return (await engine.tasks.list(EVERY_TASK, page, null)).results
}
