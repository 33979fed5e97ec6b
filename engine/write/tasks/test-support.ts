// Test support: a clock, body files in memory, short constructors of requests, and queues that are
// opened with them.
import { asIndexUid } from '../../../format/ids.ts'
import { StorageError } from '../../model/index.ts'
import { type TaskContent, taskKinds } from '../../task-kinds/index.ts'
import { NO_FILTER, type TaskFilter, type TaskPage } from '../task-data/lists.ts'
import type { TaskRequest } from '../task-data/types.ts'
import type { BodyFiles } from './lifecycle.ts'
import { type QueueOptions, TaskQueue } from './queue.ts'
import { Scheduler, type SchedulerOptions } from './scheduler.ts'
import { MemoryTaskLog } from './test-memory-log.ts'
import { ModelEngine } from './test-model.ts'

export const START = Date.UTC(2024, 7, 8, 9, 1, 13) * 1000

/** A clock that advances by a millisecond at every reading. */
export function steppingClock(from = START): () => number {
  let now = from
  return () => (now += 1000)
}

export class MemoryBodies implements BodyFiles {
  readonly files = new Set<number>()
  failing = false
  async list(): Promise<readonly number[]> {
    return [...this.files]
  }
  async remove(file: number): Promise<void> {
    if (this.failing) throw new StorageError('io', `bodies/${file}`, 'no')
    this.files.delete(file)
  }
}

/** A filter whose identifiers are plain. */
export type PlainFilter = Partial<
  Omit<TaskFilter, 'uids' | 'batchUids' | 'canceledBy' | 'indexUids'> & {
    readonly [member in 'uids' | 'batchUids' | 'canceledBy']: readonly number[] | null
  } & { readonly indexUids: readonly string[] | null }
>

export const filterOf = (filter: PlainFilter): TaskFilter =>
  ({ ...NO_FILTER, ...filter }) as TaskFilter

export const request = (
  indexUid: string | null,
  content: TaskContent,
  customMetadata: string | null = null,
): TaskRequest => ({
  indexUid: indexUid === null ? null : asIndexUid(indexUid),
  content,
  customMetadata,
})

type ImportOptions = Partial<{
  method: 'replace' | 'update'
  primaryKey: string | null
  skipCreation: boolean
  allowIndexCreation: boolean
  file: number
}>

/** Returns an import of documents, inline unless a file is named. */
export function imports(
  indexUid: string,
  documents: unknown,
  options: ImportOptions = {},
): TaskRequest {
  const bytes = new TextEncoder().encode(JSON.stringify(documents))
  const { file, ...rest } = options
  const body = {
    file: file ?? null,
    inline: file === undefined ? bytes : null,
    bytes: bytes.length,
    documents: Array.isArray(documents) ? documents.length : 1,
  }
  return request(indexUid, {
    kind: 'documentAdditionOrUpdate',
    method: 'replace',
    primaryKey: null,
    skipCreation: false,
    allowIndexCreation: true,
    body,
    ...rest,
  })
}

export const deletesIds = (indexUid: string, ids: readonly string[]): TaskRequest =>
  request(indexUid, { kind: 'documentDeletion', by: 'ids', ids })
export const deletesFilter = (indexUid: string, filter: unknown): TaskRequest =>
  request(indexUid, { kind: 'documentDeletion', by: 'filter', filter })
export const clears = (indexUid: string): TaskRequest =>
  request(indexUid, { kind: 'documentDeletion', by: 'all' })
export const setsSettings = (
  indexUid: string,
  patch: { readonly [setting: string]: unknown },
  options: { isDeletion?: boolean; allowIndexCreation?: boolean } = {},
): TaskRequest =>
  request(indexUid, {
    kind: 'settingsUpdate',
    patch,
    isDeletion: options.isDeletion ?? false,
    allowIndexCreation: options.allowIndexCreation ?? true,
  })
export const createsIndex = (indexUid: string, primaryKey: string | null = null): TaskRequest =>
  request(indexUid, { kind: 'indexCreation', primaryKey })
export const deletesIndex = (indexUid: string): TaskRequest =>
  request(indexUid, { kind: 'indexDeletion' })
export const updatesIndex = (
  indexUid: string,
  primaryKey: string | null,
  newUid: string | null = null,
): TaskRequest =>
  request(indexUid, {
    kind: 'indexUpdate',
    primaryKey,
    newUid: newUid === null ? null : asIndexUid(newUid),
  })
export const swaps = (...pairs: readonly (readonly [string, string, boolean?])[]): TaskRequest =>
  request(null, {
    kind: 'indexSwap',
    swaps: pairs.map(([a, b, rename]) => ({
      indexes: [asIndexUid(a), asIndexUid(b)] as const,
      rename: rename ?? false,
    })),
  })
export const exports = (): TaskRequest =>
  request(null, {
    kind: 'export',
    url: 'http://127.0.0.1:9',
    apiKey: null,
    payloadSize: null,
    indexes: { '*': { filter: null, overrideSettings: false } },
  })

/** Lets the event loop turn until `holds` returns true. */
export async function until(holds: () => boolean): Promise<void> {
  for (let turns = 0; !holds(); turns++) {
    if (turns === 100_000) throw new Error('the condition did not become true')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Lets the event loop turn until a batch runs. */
export const untilProcessing = (queue: TaskQueue): Promise<void> =>
  until(() => queue.lifecycle.running.some(({ plan }) => plan !== null))

export type Opened = {
  readonly queue: TaskQueue
  readonly log: MemoryTaskLog
  readonly bodies: MemoryBodies
  readonly reports: string[]
}

export async function openQueue(
  options: Partial<QueueOptions> & { readonly log?: MemoryTaskLog } = {},
): Promise<Opened> {
  const log = options.log ?? new MemoryTaskLog()
  const bodies = new MemoryBodies()
  const reports: string[] = []
  const report = (message: string): void => {
    reports.push(message)
  }
  const queue = await TaskQueue.open({
    kinds: taskKinds,
    bodies,
    now: steppingClock(),
    report,
    ...options,
    log,
  })
  return { queue, log, bodies, reports }
}

export type Running = Opened & {
  readonly engine: ModelEngine
  readonly scheduler: Scheduler
}

/** Opens a queue that works: tasks run as soon as they arrive. */
export async function openRunning(
  options: Partial<SchedulerOptions> & {
    readonly queueOptions?: Partial<QueueOptions> & { readonly log?: MemoryTaskLog }
  } = {},
): Promise<Running> {
  const opened = await openQueue(options.queueOptions)
  const engine = new ModelEngine()
  const scheduler = new Scheduler({
    queue: opened.queue,
    processor: engine,
    lookup: (uid) => engine.lookup(uid),
    limits: { tasksMax: Number.POSITIVE_INFINITY, bytesMax: Number.POSITIVE_INFINITY },
    report: (message) => opened.reports.push(message),
    retryPauseMs: 1,
    ...options,
  })
  return { ...opened, engine, scheduler }
}

/** A page of a list of tasks. */
export const page = (more: Partial<TaskPage> = {}): TaskPage => ({
  from: null,
  limit: 20,
  reverse: false,
  ...more,
})

/** Registers requests; each ends before the next one. */
export async function runAll(running: Running, requests: readonly TaskRequest[]): Promise<void> {
  for (const one of requests) {
    await running.queue.register(one)
    await running.scheduler.idle()
  }
}
