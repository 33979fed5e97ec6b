// The engine inside a user's process: each method is a request of the HTTP API, called without
// HTTP.
import type { Engine as LocalEngine } from '../../engine/index.ts'
import { readTarget } from '../http/index.ts'
import { answerOf, type Body, type Call, Calls } from './calls.ts'
import { bodyOf, bodyOfBytes } from './documents.ts'
import { SvcSearchError, toPublic } from './errors.ts'
import { TaskWaiters } from './task-waiters.ts'
import type {
  AdditionOptions,
  Bytes,
  CallOptions,
  Documents,
  DocumentsRequest,
  Engine,
  EnqueuedTask,
  FacetSearchAnswer,
  FacetSearchRequest,
  ImportOptions,
  IndexInfo,
  JsonObject,
  MultiSearchAnswer,
  MultiSearchRequest,
  Page,
  SearchAnswer,
  SearchRequest,
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
  #closing: Promise<void> | null = null

  /**
   * `bodiesWorker`: entry file of the thread that reads large requests, or null to read them
   * inline.
   */
  constructor(
    engine: LocalEngine,
    bodiesWorker: URL | null,
    report: (message: string, error: unknown) => void,
  ) {
    this.#engine = engine
    this.#calls = new Calls(engine, bodiesWorker, report)
    this.#waiters = new TaskWaiters()
    engine.watchBatches((tasks) => this.#waiters.finished(tasks))
  }

  createIndex(uid: string, { primaryKey }: AdditionOptions = {}): Promise<EnqueuedTask> {
    return this.#json('POST', ['indexes'], { uid, primaryKey })
  }

  updateIndex(uid: string, change: Parameters<Engine['updateIndex']>[1]): Promise<EnqueuedTask> {
    return this.#json('PATCH', ['indexes', uid], change)
  }

  deleteIndex(uid: string): Promise<EnqueuedTask> {
    return this.#value({ method: 'DELETE', parts: ['indexes', uid] })
  }

  swapIndexes(swaps: Parameters<Engine['swapIndexes']>[0]): Promise<EnqueuedTask> {
    return this.#json('POST', ['swap-indexes'], swaps)
  }

  index(uid: string): Promise<IndexInfo> {
    return this.#value({ method: 'GET', parts: ['indexes', uid] })
  }

  indexes(page: Parameters<Engine['indexes']>[0] = {}): Promise<Page<IndexInfo>> {
    return this.#value({ method: 'GET', parts: ['indexes'], query: queryOf(page) })
  }

  settings(indexUid: string): Promise<JsonObject> {
    return this.#value({ method: 'GET', parts: ['indexes', indexUid, 'settings'] })
  }

  updateSettings(indexUid: string, settings: JsonObject): Promise<EnqueuedTask> {
    return this.#json('PATCH', ['indexes', indexUid, 'settings'], settings)
  }

  resetSettings(indexUid: string): Promise<EnqueuedTask> {
    return this.#value({ method: 'DELETE', parts: ['indexes', indexUid, 'settings'] })
  }

  addDocuments(
    indexUid: string,
    documents: Documents,
    options: AdditionOptions = {},
  ): Promise<EnqueuedTask> {
    return this.#add('POST', indexUid, () => bodyOf(documents), options)
  }

  updateDocuments(
    indexUid: string,
    documents: Documents,
    options: AdditionOptions = {},
  ): Promise<EnqueuedTask> {
    return this.#add('PUT', indexUid, () => bodyOf(documents), options)
  }

  importDocuments(
    indexUid: string,
    source: Bytes,
    { format, update = false, primaryKey, csvDelimiter }: ImportOptions,
  ): Promise<EnqueuedTask> {
    const method = update ? 'PUT' : 'POST'
    const body = () => bodyOfBytes(source, format)
    return this.#add(method, indexUid, body, { primaryKey, csvDelimiter })
  }

  deleteDocuments(
    indexUid: string,
    which: Parameters<Engine['deleteDocuments']>[1],
  ): Promise<EnqueuedTask> {
    const parts = ['indexes', indexUid, 'documents']
    if (typeof which !== 'object' || which === null) return Promise.reject(noSelection())
    if ('ids' in which) return this.#json('POST', [...parts, 'delete-batch'], which.ids)
    if ('filter' in which) return this.#json('POST', [...parts, 'delete'], which)
    if (which.all !== true) return Promise.reject(noSelection())
    return this.#value({ method: 'DELETE', parts })
  }

  document<T = JsonObject>(
    indexUid: string,
    id: string | number,
    options: Parameters<Engine['document']>[2] = {},
  ): Promise<T> {
    const parts = ['indexes', indexUid, 'documents', String(id)]
    return this.#value({ method: 'GET', parts, query: queryOf(options) })
  }

  documents<T = JsonObject>(indexUid: string, request: DocumentsRequest = {}): Promise<Page<T>> {
    return this.#json('POST', ['indexes', indexUid, 'documents', 'fetch'], request)
  }

  search<T = JsonObject>(
    indexUid: string,
    request: SearchRequest = {},
    options: CallOptions = {},
  ): Promise<SearchAnswer<T>> {
    return this.#json('POST', ['indexes', indexUid, 'search'], request, options)
  }

  searchBytes(
    indexUid: string,
    request: SearchRequest = {},
    { signal }: CallOptions = {},
  ): Promise<Uint8Array> {
    return this.#run(async () => {
      const parts = ['indexes', indexUid, 'search']
      const { body } = await this.#calls.call({
        method: 'POST',
        parts,
        body: jsonBody(request),
        signal,
      })
      return body as Uint8Array
    })
  }

  facetSearch(
    indexUid: string,
    request: FacetSearchRequest,
    options: CallOptions = {},
  ): Promise<FacetSearchAnswer> {
    return this.#json('POST', ['indexes', indexUid, 'facet-search'], request, options)
  }

  multiSearch<T = JsonObject>(
    request: MultiSearchRequest,
    options: CallOptions = {},
  ): Promise<MultiSearchAnswer<T>> {
    return this.#json('POST', ['multi-search'], request, options)
  }

  federatedSearch<T = JsonObject>(
    request: MultiSearchRequest & { readonly federation: JsonObject },
    options: CallOptions = {},
  ): Promise<Omit<SearchAnswer<T>, 'query'>> {
    return this.#json('POST', ['multi-search'], request, options)
  }

  task(uid: number): Promise<Task> {
    return this.#value({ method: 'GET', parts: ['tasks', String(uid)] })
  }

  tasks(filter: TaskFilter = {}): Promise<TaskList> {
    return this.#value({ method: 'GET', parts: ['tasks'], query: queryOf(filter) })
  }

  cancelTasks(filter: TaskFilter): Promise<EnqueuedTask> {
    return this.#value({ method: 'POST', parts: ['tasks', 'cancel'], query: queryOf(filter) })
  }

  deleteTasks(filter: TaskFilter): Promise<EnqueuedTask> {
    return this.#value({ method: 'DELETE', parts: ['tasks'], query: queryOf(filter) })
  }

  async waitForTask(
    task: number | EnqueuedTask,
    { timeoutMs, signal }: CallOptions & { readonly timeoutMs?: number } = {},
  ): Promise<Task> {
    const uid = typeof task === 'number' ? task : task.taskUid
    const wait = this.#waiters.wait(uid, timeoutMs ?? null, signal ?? null)
    try {
      const answer = await this.task(uid)
      if (answer.finishedAt !== null) return answer
      await wait.finished
      return await this.task(uid)
    } finally {
      wait.end()
    }
  }

  stats(): Promise<JsonObject> {
    return this.#value({ method: 'GET', parts: ['stats'] })
  }

  createDump(): Promise<EnqueuedTask> {
    return this.#value({ method: 'POST', parts: ['dumps'] })
  }

  createSnapshot(): Promise<EnqueuedTask> {
    return this.#value({ method: 'POST', parts: ['snapshots'] })
  }

  request(
    method: string,
    path: string,
    body?: unknown,
    { signal }: CallOptions = {},
  ): Promise<unknown> {
    return this.#run(async () => {
      const { parts, query } = readTarget(String(path))
      if (parts === null) throw routeNotFound(method, path)
      const call = { method, parts, query, signal }
      return answerOf(
        await this.#calls.call(body === undefined ? call : { ...call, body: jsonBody(body) }),
      )
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

  #add(
    method: 'POST' | 'PUT',
    indexUid: string,
    body: () => Body,
    options: object,
  ): Promise<EnqueuedTask> {
    const parts = ['indexes', indexUid, 'documents']
    return this.#run(async () =>
      answerOf(await this.#calls.call({ method, parts, query: queryOf(options), body: body() })),
    ) as Promise<EnqueuedTask>
  }

  #json<T>(
    method: string,
    parts: readonly string[],
    value: unknown,
    { signal }: CallOptions = {},
  ): Promise<T> {
    return this.#run(async () =>
      answerOf(await this.#calls.call({ method, parts, body: jsonBody(value), signal })),
    ) as Promise<T>
  }

  #value<T>(call: Call): Promise<T> {
    return this.#run(async () => answerOf(await this.#calls.call(call))) as Promise<T>
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing !== null) throw closed()
    const running = work()
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

const closed = (): SvcSearchError => new SvcSearchError('engine_closed', 'the engine is closed')

/** @throws SvcSearchError bad_request if the value has no JSON form */
function jsonBody(value: unknown): Body {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (error) {
    const message = `the request cannot be written as JSON: ${(error as Error).message}`
    throw new SvcSearchError('bad_request', message, { cause: error })
  }
  return { contentType: 'application/json', bytes: [Buffer.from(text ?? 'null')] }
}

/** Lists are joined by commas; undefined members are left out. */
const queryOf = (values: object): string =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join('&')

const noSelection = (): SvcSearchError =>
  new SvcSearchError('invalid_options', 'pass `ids`, `filter`, or `all: true`')

const routeNotFound = (method: string, path: string): SvcSearchError =>
  new SvcSearchError('route_not_found', `there is no route \`${method} ${path}\``)
