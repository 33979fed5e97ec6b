// The port for tasks and batches: requests, states and outcomes.
import type { BatchUid, TaskUid } from '../../format/ids.ts'
import type { Keys } from '../admin/keys/index.ts'
import { keyLine } from '../backup/dumps/index.ts'
import { EngineFault, type Visibility } from '../model/index.ts'
import type { TaskNetwork } from '../network/records/index.ts'
import type { AdmitTask } from '../network/topology/index.ts'
import type { Manifest } from '../store/catalog/index.ts'
import { instanceUidOf } from '../task-kinds/database/index.ts'
import type { Bodies } from '../write/bodies/index.ts'
import type {
  AcceptedTask,
  Batch,
  Registration,
  Task,
  TaskFilter,
  TaskList,
  TaskPage,
  TaskRequest,
} from '../write/task-data/index.ts'
import type { FeedFollower } from '../write/task-lists/index.ts'
import type { TaskQueue } from '../write/tasks/index.ts'

/** Tasks and batches: requests, states and outcomes. */
export interface TasksPort {
  /**
   * Registers a task, durable when it resolves, as a 202 promises. @throws EngineFault,
   * StorageError
   */
  enqueue(request: TaskRequest): Promise<AcceptedTask>
  /** Registers a dump with the keys that exist now. @throws as `enqueue` */
  enqueueDump(registration?: Registration): Promise<AcceptedTask>
  /** Determines the tasks to cancel and enqueues. `query` is the raw query string with its `?`. */
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
  /** Returns null if the task does not exist or is not visible. */
  get(uid: TaskUid, visible: Visibility): Promise<Task | null>
  list(filter: TaskFilter, page: TaskPage, visible: Visibility): Promise<TaskList<Task>>
  /** Returns the body of an import that waits or runs. @throws EngineFault task_(file_)not_found */
  documents(uid: TaskUid, visible: Visibility): Promise<Uint8Array>
  /** Removes garbage of the task queue; returns its bytes before and after. @throws StorageError */
  compact(): Promise<{ readonly before: number; readonly after: number }>
  /** Whether the queue was compacted, after which watchers must restart the process. */
  readonly needsRestart: boolean
  batch(uid: BatchUid, visible: Visibility): Promise<Batch | null>
  batches(filter: TaskFilter, page: TaskPage, visible: Visibility): Promise<TaskList<Batch>>
  /** Calls `listener` with the uids of tasks that finished together, once per batch. */
  watch(listener: (tasks: Iterable<TaskUid>) => void): void
  /**
   * Sends each change of a task or batch to `follower` from now on, in place of the previous one;
   * null sends none. An engine that follows another one has no changes.
   */
  follow(follower: FeedFollower | null): void
}

type Parts = {
  readonly manifest: Manifest
  readonly queue: TaskQueue
  readonly bodies: Bodies
  readonly admit: AdmitTask
  /** Resolves when remotes have confirmed the task, or when their time is over. */
  readonly replicated: (uid: TaskUid, network: TaskNetwork) => Promise<void>
}

type Watcher = (tasks: Iterable<TaskUid>) => void

export class LocalTasks implements TasksPort {
  readonly #parts: Parts
  readonly #keys: Keys
  #watcher: Watcher | null = null
  #needsRestart = false

  constructor(parts: Parts, keys: Keys) {
    this.#keys = keys
    this.#parts = parts
  }

  async enqueue(request: TaskRequest): Promise<AcceptedTask> {
    const { admit, queue, replicated } = this.#parts
    const network = admit(request.content.kind, request.registration)
    if (network === null) return queue.register(request)
    const task = await queue.register({ ...request, network })
    if (network.kind === 'leader') await replicated(task.uid, network)
    return task
  }

  enqueueDump(registration?: Registration): Promise<AcceptedTask> {
    const { queue, manifest } = this.#parts
    const keys = this.#keys.list().map(keyLine)
    const instanceUid = instanceUidOf(manifest.state)
    const content = { kind: 'dumpCreation', keys, instanceUid } as const
    const how = registration === undefined ? {} : { registration }
    return queue.register({ indexUid: null, content, customMetadata: null, ...how })
  }

  enqueueCancelation(
    ...request: Parameters<TasksPort['enqueueCancelation']>
  ): Promise<AcceptedTask> {
    return this.#parts.queue.registerCancelation(...request)
  }

  enqueueDeletion(...request: Parameters<TasksPort['enqueueDeletion']>): Promise<AcceptedTask> {
    return this.#parts.queue.registerDeletion(...request)
  }

  get(uid: TaskUid, visible: Visibility): Promise<Task | null> {
    return this.#parts.queue.lists.task(uid, visible)
  }

  list(filter: TaskFilter, page: TaskPage, visible: Visibility): Promise<TaskList<Task>> {
    return this.#parts.queue.lists.tasks(filter, page, visible)
  }

  async documents(uid: TaskUid, visible: Visibility): Promise<Uint8Array> {
    const { queue, bodies } = this.#parts
    if ((await queue.lists.task(uid, visible)) === null) {
      throw new EngineFault('task_not_found', `Task \`${uid}\` not found.`)
    }
    const body = await queue.lists.body(uid, visible)
    const documents = body === null ? null : await bodies.read(body)
    if (documents !== null) return documents
    throw new EngineFault(
      'task_file_not_found',
      `Task \`${uid}\` does not contain any documents. Only \`documentAdditionOrUpdate\` tasks ` +
        'with the statuses `enqueued` or `processing` contain documents',
    )
  }

  async compact(): Promise<{ readonly before: number; readonly after: number }> {
    const sizes = await this.#parts.queue.upkeep.compact()
    this.#needsRestart = true
    return sizes
  }

  get needsRestart(): boolean {
    return this.#needsRestart
  }

  batch(uid: BatchUid, visible: Visibility): Promise<Batch | null> {
    return this.#parts.queue.lists.batch(uid, visible)
  }

  batches(filter: TaskFilter, page: TaskPage, visible: Visibility): Promise<TaskList<Batch>> {
    return this.#parts.queue.lists.batches(filter, page, visible)
  }

  watch(listener: Watcher): void {
    this.#watcher = listener
  }

  follow(follower: FeedFollower | null): void {
    this.#parts.queue.feed.follow(follower)
  }

  /** Notifies the listener of tasks that finished together. */
  announce(tasks: Iterable<TaskUid>): void {
    this.#watcher?.(tasks)
  }
}
