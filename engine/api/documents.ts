// The port for indexes and documents: reads them, and accepts new documents.
import type { IndexUid, TaskUid } from '../../format/ids.ts'
import type {
  BodyFormat,
  DocumentsContext,
  DocumentsRequest,
  FieldsRequest,
  IndexInfo,
  IndexStats,
  JsonBytes,
  Visibility,
} from '../model/index.ts'
import type { TaskNetwork } from '../network/records/index.ts'
import type { AdmitTask } from '../network/topology/index.ts'
import { indexNotFound } from '../read/jobs/index.ts'
import type { QueryService } from '../read/service/index.ts'
import { cachedSettings, renderSetting, SETTING_NAMES } from '../settings/index.ts'
import {
  type IndexState,
  indexOfUid,
  indexStatsOf,
  infoOf,
  type Manifest,
  type State,
  visibleIndexes,
} from '../store/catalog/index.ts'
import type { Bodies, BodyReceiver, ReceivedBody } from '../write/bodies/index.ts'
import type { AcceptedTask, Registration } from '../write/task-data/index.ts'
import type { TaskQueue } from '../write/tasks/index.ts'

export type DocumentsOptions = {
  readonly method: 'replace' | 'update'
  readonly primaryKey: string | null
  readonly skipCreation: boolean
  readonly allowIndexCreation: boolean
  readonly customMetadata: string | null
  readonly registration?: Registration | undefined
}

/** Indexes, their settings, and documents that are read or written. */
export interface DocumentsPort {
  listIndexes(visible: Visibility): readonly IndexInfo[]
  /** @throws EngineFault index_not_found */
  index(uid: IndexUid): IndexInfo
  /** @throws EngineFault index_not_found */
  indexStats(uid: IndexUid): IndexStats
  /**
   * Returns every setting with its value, in the declared order. @throws EngineFault
   * index_not_found
   */
  settings(uid: IndexUid): { readonly [setting: string]: unknown }
  /**
   * Returns `{results, offset, limit, total}`: how settings apply to each field. @throws
   * EngineFault
   */
  fields(indexUid: IndexUid, request: FieldsRequest): Promise<JsonBytes>
  receive(format: BodyFormat): BodyReceiver
  enqueueDocuments(
    indexUid: IndexUid,
    body: ReceivedBody,
    options: DocumentsOptions,
  ): Promise<AcceptedTask>
  discard(body: ReceivedBody): Promise<void>
  /** Returns the document itself. @throws EngineFault index_not_found, document_not_found */
  get(
    indexUid: IndexUid,
    id: string,
    fields: readonly string[] | null,
    retrieveVectors: boolean,
  ): Promise<JsonBytes>
  /** Returns `{results, offset, limit, total}`. @throws EngineFault */
  list(
    indexUid: IndexUid,
    request: DocumentsRequest,
    context?: DocumentsContext,
  ): Promise<JsonBytes>
}

type Parts = {
  readonly manifest: Manifest
  /** The state that statistics describe. */
  readonly described: () => State
  readonly queue: TaskQueue
  readonly bodies: Bodies
  readonly admit: AdmitTask
  /** Resolves when remotes have confirmed the task, or when their time is over. */
  readonly replicated: (uid: TaskUid, network: TaskNetwork) => Promise<void>
}

export class LocalDocuments implements DocumentsPort {
  readonly #parts: Parts
  readonly #queries: QueryService

  constructor(parts: Parts, queries: QueryService) {
    this.#queries = queries
    this.#parts = parts
  }

  listIndexes(visible: Visibility): readonly IndexInfo[] {
    return visibleIndexes(this.#parts.manifest.state, visible).map(infoOf)
  }

  index(uid: IndexUid): IndexInfo {
    return infoOf(this.#index(uid))
  }

  indexStats(uid: IndexUid): IndexStats {
    const { described, queue } = this.#parts
    return indexStatsOf(this.#index(uid, described()), queue.isIndexing(uid))
  }

  settings(uid: IndexUid): { readonly [setting: string]: unknown } {
    const settings = cachedSettings(this.#index(uid).settings)
    return Object.fromEntries(SETTING_NAMES.map((name) => [name, renderSetting(settings, name)]))
  }

  fields(...request: Parameters<DocumentsPort['fields']>): Promise<JsonBytes> {
    return this.#queries.fields(...request)
  }

  get(...request: Parameters<DocumentsPort['get']>): Promise<JsonBytes> {
    return this.#queries.document(...request)
  }

  list(...request: Parameters<DocumentsPort['list']>): Promise<JsonBytes> {
    return this.#queries.documents(...request)
  }

  receive(format: BodyFormat): BodyReceiver {
    return this.#parts.bodies.receive(format)
  }

  async enqueueDocuments(
    indexUid: IndexUid,
    received: ReceivedBody,
    options: DocumentsOptions,
  ): Promise<AcceptedTask> {
    const { bodies, queue } = this.#parts
    const { customMetadata, registration, ...rest } = options
    const body = received.take()
    const content = { kind: 'documentAdditionOrUpdate', body, ...rest } as const
    const request = { indexUid, content, customMetadata }
    let accepted: AcceptedTask
    let sent: { readonly uid: TaskUid; readonly network: TaskNetwork } | null = null
    try {
      const network = this.#parts.admit(content.kind, registration)
      if (registration === undefined && network === null) return await queue.register(request)
      const { nextTask } = queue
      const task = await queue.register({ ...request, registration, network })
      const ownsBody = registration?.isDry !== true && task.uid >= nextTask
      if (!ownsBody && body.file !== null) await bodies.remove(body.file)
      sent = network?.kind === 'leader' ? { uid: task.uid, network } : null
      accepted = task
    } catch (error) {
      if (body.file !== null) await bodies.remove(body.file)
      throw error
    }
    if (sent !== null) await this.#parts.replicated(sent.uid, sent.network)
    return accepted
  }

  discard(body: ReceivedBody): Promise<void> {
    return this.#parts.bodies.discard(body)
  }

  #index(uid: IndexUid, state = this.#parts.manifest.state): IndexState {
    const index = indexOfUid(state, uid)
    if (index === undefined) throw indexNotFound(uid)
    return index
  }
}
