// Records a change of the network whose task is durable. A disk that refuses the records is asked
// again: the task cannot be taken back, and all later tasks belong to its network.
import type { TaskUid } from '../../../format/ids.ts'
import { StorageError } from '../../model/index.ts'
import type { QueuedContent } from '../../write/task-data/index.ts'
import type { TaskQueue } from '../../write/tasks/index.ts'
import {
  type ChangedNetworks,
  readChange,
  type TaskNetwork,
  type TaskOrigin,
  type TopologyChange,
} from '../records/index.ts'
import { RECORD_AGAIN_MS } from './limits.ts'

type Parts = {
  /** @throws StorageError */
  readonly record: (change: TopologyChange) => Promise<void>
  /** The task may have ended while the disk refused the records. @throws StorageError */
  readonly recorded: (change: TopologyChange) => Promise<void>
}

export class TakeUp {
  readonly #parts: Parts
  #unrecorded: TopologyChange | null = null
  #again: NodeJS.Timeout | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The change that the disk has not recorded yet. */
  get unrecorded(): TopologyChange | null {
    return this.#unrecorded
  }

  /** Resolves after the first attempt. */
  async begin(change: TopologyChange): Promise<void> {
    this.#unrecorded = change
    try {
      await this.record(change)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      this.#again = setTimeout(() => {
        if (this.#unrecorded === change) void this.begin(change)
      }, RECORD_AGAIN_MS).unref()
    }
  }

  /** Makes one attempt. @throws StorageError */
  async record(change: TopologyChange): Promise<void> {
    await this.#parts.record(change)
    await this.#parts.recorded(change)
    if (this.#unrecorded === change) this.#unrecorded = null
  }

  /** Ends the attempts; the next start makes the records. */
  close(): void {
    clearTimeout(this.#again)
    this.#unrecorded = null
  }
}

export const KIND = 'networkTopologyChange'

/** Returns the change whose task waits or runs, or null. @throws CorruptionError, StorageError */
export async function waitingChange({
  queue,
  contentOf,
}: {
  readonly queue: TaskQueue
  readonly contentOf: (uid: TaskUid) => Promise<QueuedContent | null>
}): Promise<TopologyChange | null> {
  const uid = queue.waitingOfKind(KIND)[0]
  const content = uid === undefined ? null : await contentOf(uid)
  if (uid === undefined || content === null) return null
  const networks = readChange((content as unknown as { change: unknown }).change)
  const task = await queue.lists.task(uid, null)
  return { uid, ...networks, origin: originOf(task?.network ?? null, uid, networks) }
}

export const originOf = (
  network: TaskNetwork | null,
  uid: TaskUid,
  { after }: ChangedNetworks,
): TaskOrigin =>
  network?.kind === 'origin'
    ? network.origin
    : { remoteName: after.self ?? '', taskUid: uid, networkVersion: after.version }
