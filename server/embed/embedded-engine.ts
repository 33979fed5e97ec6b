// The engine inside a user's process: each method is a request of the HTTP API, called without
// HTTP.
import type { Engine as LocalEngine } from '../../engine/index.ts'
import type { IndexUid } from '../../format/ids.ts'
import { readTarget } from '../http/index.ts'
import { invalid, messageOf, pathOf, queryOf, readArguments, signalOf } from './arguments.ts'
import { answerOf, type Body, type Call, Calls } from './calls.ts'
import { bodyOf, bodyOfBytes } from './documents.ts'
import { SvcSearchError, toPublic } from './errors.ts'
import type {
  FacetSearchAnswer,
  FacetSearchRequest,
  JsonObject,
  MultiSearchAnswer,
  MultiSearchRequest,
  SearchAnswer,
  SearchRequest,
  SuggestAnswer,
  SuggestRequest,
} from './search-types.ts'
import { TaskWaiters } from './task-waiters.ts'
import type {
  AdditionOptions,
  Bytes,
  CallOptions,
  Documents,
  DocumentsRequest,
  Engine,
  EnqueuedTask,
  ImportOptions,
  IndexInfo,
  Page,
  Task,
  TaskFilter,
  TaskList,
} from './types.ts'

export class EmbeddedEngine implements Engine {
  readonly #engine: LocalEngine
  readonly #calls: Calls
  readonly #waiters: TaskWaiters
  /** Calls in progress; the files are closed after them. */
  readonly #running = new Set<Promise<unknown>>()
  readonly #isReader: boolean
  #closing: Promise<void> | null = null

  /**
   * `bodiesWorker`: entry file of the thread that reads large requests, or null to read them
   * inline. `isReader`: no task runs.
   */
  constructor(
    engine: LocalEngine,
    bodiesWorker: URL | null,
    report: (message: string, error: unknown) => void,
    isReader = false,
  ) {
    this.#isReader = isReader
    this.#engine = engine
    this.#calls = new Calls(engine, bodiesWorker, report)
    this.#waiters = new TaskWaiters()
    engine.tasks.watch((tasks) => this.#waiters.finished(tasks))
  }

  createIndex(uid: string, options: AdditionOptions = {}): Promise<EnqueuedTask> {
    return this.#value(() => post(['indexes'], { uid, primaryKey: options.primaryKey }))
  }

  updateIndex(uid: string, change: Parameters<Engine['updateIndex']>[1]): Promise<EnqueuedTask> {
    return this.#value(() => json('PATCH', pathOf('indexes', uid), change))
  }

  deleteIndex(uid: string): Promise<EnqueuedTask> {
    return this.#value(() => ({ method: 'DELETE', parts: pathOf('indexes', uid) }))
  }

  swapIndexes(swaps: Parameters<Engine['swapIndexes']>[0]): Promise<EnqueuedTask> {
    return this.#value(() => post(['swap-indexes'], swaps))
  }

  index(uid: string): Promise<IndexInfo> {
    return this.#value(() => get(pathOf('indexes', uid)))
  }

  indexes(page: Parameters<Engine['indexes']>[0] = {}): Promise<Page<IndexInfo>> {
    return this.#value(() => get(['indexes'], page))
  }

  settings(indexUid: IndexUid): Promise<JsonObject> {
    return this.#value(() => get(pathOf('indexes', indexUid, 'settings')))
  }

  updateSettings(indexUid: IndexUid, settings: JsonObject): Promise<EnqueuedTask> {
    return this.#value(() => json('PATCH', pathOf('indexes', indexUid, 'settings'), settings))
  }

  resetSettings(indexUid: IndexUid): Promise<EnqueuedTask> {
    const parts = () => pathOf('indexes', indexUid, 'settings')
    return this.#value(() => ({ method: 'DELETE', parts: parts() }))
  }

  addDocuments(
    indexUid: IndexUid,
    documents: Documents,
    options: AdditionOptions = {},
  ): Promise<EnqueuedTask> {
    return this.#value(() => addition('POST', indexUid, bodyOf(documents), options))
  }

  updateDocuments(
    indexUid: IndexUid,
    documents: Documents,
    options: AdditionOptions = {},
  ): Promise<EnqueuedTask> {
    return this.#value(() => addition('PUT', indexUid, bodyOf(documents), options))
  }

  importDocuments(
    indexUid: IndexUid,
    source: Bytes,
    options: ImportOptions,
  ): Promise<EnqueuedTask> {
    return this.#value(() => {
      const { format, update = false, primaryKey, csvDelimiter } = options
      const body = bodyOfBytes(source, format)
      return addition(update ? 'PUT' : 'POST', indexUid, body, { primaryKey, csvDelimiter })
    })
  }

  deleteDocuments(
    indexUid: IndexUid,
    which: Parameters<Engine['deleteDocuments']>[1],
  ): Promise<EnqueuedTask> {
    return this.#value(() => {
      const parts = pathOf('indexes', indexUid, 'documents')
      if (typeof which !== 'object' || which === null) throw noSelection()
      if ('ids' in which) return post([...parts, 'delete-batch'], which.ids)
      if ('filter' in which) return post([...parts, 'delete'], which)
      if (which.all !== true) throw noSelection()
      return { method: 'DELETE', parts }
    })
  }

  document<T = JsonObject>(
    indexUid: IndexUid,
    id: string | number,
    options: Parameters<Engine['document']>[2] = {},
  ): Promise<T> {
    return this.#value(() => get(pathOf('indexes', indexUid, 'documents', textOfId(id)), options))
  }

  documents<T = JsonObject>(indexUid: IndexUid, request: DocumentsRequest = {}): Promise<Page<T>> {
    return this.#value(() => post(pathOf('indexes', indexUid, 'documents', 'fetch'), request))
  }

  search<T = JsonObject>(
    indexUid: IndexUid,
    request: SearchRequest = {},
    options: CallOptions = {},
  ): Promise<SearchAnswer<T>> {
    return this.#value(() => post(pathOf('indexes', indexUid, 'search'), request, options))
  }

  searchBytes(
    indexUid: IndexUid,
    request: SearchRequest = {},
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    const read = () => post(pathOf('indexes', indexUid, 'search'), request, options)
    return this.#run(read, async (call) => (await this.#calls.call(call)).body as Uint8Array)
  }

  facetSearch(
    indexUid: IndexUid,
    request: FacetSearchRequest,
    options: CallOptions = {},
  ): Promise<FacetSearchAnswer> {
    return this.#value(() => post(pathOf('indexes', indexUid, 'facet-search'), request, options))
  }

  suggest(
    indexUid: IndexUid,
    request: SuggestRequest,
    options: CallOptions = {},
  ): Promise<SuggestAnswer> {
    return this.#value(() => post(pathOf('indexes', indexUid, 'suggest'), request, options))
  }

  multiSearch<T = JsonObject>(
    request: MultiSearchRequest,
    options: CallOptions = {},
  ): Promise<MultiSearchAnswer<T>> {
    return this.#value(() => post(['multi-search'], request, options))
  }

  federatedSearch<T = JsonObject>(
    request: MultiSearchRequest & { readonly federation: JsonObject },
    options: CallOptions = {},
  ): Promise<Omit<SearchAnswer<T>, 'query'>> {
    return this.#value(() => post(['multi-search'], request, options))
  }

  task(uid: number): Promise<Task> {
    return this.#value(() => get(['tasks', String(uid)]))
  }

  tasks(filter: TaskFilter = {}): Promise<TaskList> {
    return this.#value(() => get(['tasks'], filter))
  }

  cancelTasks(filter: TaskFilter): Promise<EnqueuedTask> {
    const parts = ['tasks', 'cancel']
    return this.#value(() => ({ method: 'POST', parts, query: queryOf(filter) }))
  }

  deleteTasks(filter: TaskFilter): Promise<EnqueuedTask> {
    return this.#value(() => ({ method: 'DELETE', parts: ['tasks'], query: queryOf(filter) }))
  }

  async waitForTask(
    task: number | EnqueuedTask,
    options: CallOptions & { readonly timeoutMs?: number } = {},
  ): Promise<Task> {
    const { uid, timeoutMs, signal } = readArguments(() => ({
      uid: typeof task === 'number' ? task : task.taskUid,
      timeoutMs: timeoutOf(options.timeoutMs),
      signal: signalOf(options) ?? null,
    }))
    const wait = this.#waiters.wait(uid, timeoutMs, signal)
    try {
      const answer = await this.task(uid)
      if (answer.finishedAt !== null) return answer
      if (this.#isReader) throw neverRuns(uid)
      await wait.finished
      return await this.task(uid)
    } finally {
      wait.end()
    }
  }

  stats(): Promise<JsonObject> {
    return this.#value(() => get(['stats']))
  }

  createDump(): Promise<EnqueuedTask> {
    return this.#value(() => ({ method: 'POST', parts: ['dumps'] }))
  }

  createSnapshot(): Promise<EnqueuedTask> {
    return this.#value(() => ({ method: 'POST', parts: ['snapshots'] }))
  }

  request(
    method: string,
    path: string,
    body?: unknown,
    options: CallOptions = {},
  ): Promise<unknown> {
    return this.#value(() => {
      const { parts, query } = readTarget(String(path))
      if (parts === null) throw routeNotFound(String(method), String(path))
      const call = { method: String(method), parts, query, signal: signalOf(options) }
      return body === undefined ? call : { ...call, body: jsonBody(body) }
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    this.#waiters.close()
    await Promise.allSettled(this.#running)
    try {
      await this.#calls.close()
      await this.#engine.close()
    } catch (error) {
      throw toPublic(error)
    }
  }

  /** `read`: returns the request from the arguments of the method. */
  #value<T>(read: () => Call): Promise<T> {
    return this.#run(read, async (call) => answerOf(await this.#calls.call(call)) as T)
  }

  async #run<T>(read: () => Call, work: (call: Call) => Promise<T>): Promise<T> {
    if (this.#closing !== null) throw closed()
    const running = work(readArguments(read))
    this.#running.add(running)
    try {
      return await running
    } catch (error) {
      throw toPublic(error)
    } finally {
      this.#running.delete(running)
    }
  }
}

const get = (parts: readonly string[], query: object = {}): Call => ({
  method: 'GET',
  parts,
  query: queryOf(query),
})

const post = (parts: readonly string[], value: unknown, options: CallOptions = {}): Call => ({
  ...json('POST', parts, value),
  signal: signalOf(options),
})

const json = (method: string, parts: readonly string[], value: unknown): Call => ({
  method,
  parts,
  body: jsonBody(value),
})

const addition = (
  method: 'POST' | 'PUT',
  indexUid: IndexUid,
  body: Body,
  options: object,
): Call => ({
  method,
  parts: pathOf('indexes', indexUid, 'documents'),
  query: queryOf(options),
  body,
})

/** @throws SvcSearchError invalid_options */
function textOfId(id: unknown): string {
  if (typeof id === 'string' || typeof id === 'number') return String(id)
  throw invalid('the id of a document has to be a string or a number')
}

/** The longest delay that a timer accepts. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1

/** Returns null for no limit. @throws SvcSearchError invalid_options */
function timeoutOf(ms: unknown): number | null {
  if (ms === undefined || ms === Number.POSITIVE_INFINITY) return null
  if (typeof ms === 'number' && ms >= 0 && ms <= TIMEOUT_MS_MAX) return ms
  throw invalid(`\`timeoutMs\` has to be a number from 0 to ${TIMEOUT_MS_MAX}`)
}

const neverRuns = (uid: number): SvcSearchError =>
  new SvcSearchError(
    'read_only_database',
    `task ${uid} waits until the database is opened for writing`,
  )

const closed = (): SvcSearchError => new SvcSearchError('engine_closed', 'the engine is closed')

/** @throws SvcSearchError bad_request if the value has no JSON form */
function jsonBody(value: unknown): Body {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (error) {
    const message = `the request cannot be written as JSON: ${messageOf(error)}`
    throw new SvcSearchError('bad_request', message, { cause: error })
  }
  return { contentType: 'application/json', bytes: [Buffer.from(text ?? 'null')] }
}

const noSelection = (): SvcSearchError => invalid('pass `ids`, `filter`, or `all: true`')

const routeNotFound = (method: string, path: string): SvcSearchError =>
  new SvcSearchError('route_not_found', `there is no route \`${method} ${path}\``)
