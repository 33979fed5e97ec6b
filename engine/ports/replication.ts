// The port for copies of tasks: what each remote of the network has not confirmed, and what it
// answered. Sending is the server's.
import type { RemoteResult, RemoteResults, TaskNetwork } from '../model/index.ts'
import type { TaskKindModule } from '../task-kinds/index.ts'
import type { Bodies } from '../write/bodies/index.ts'
import type { QueuedContent, StagedBody, TaskKinds, TaskQueue } from '../write/tasks/index.ts'
import { unpackMetadata } from '../write/tasks/index.ts'

/** A task of the leader as it was asked for. */
export type SentTask = {
  readonly uid: number
  readonly indexUid: string | null
  readonly content: QueuedContent
  readonly customMetadata: string | null
  /** Of the network that it was made under. */
  readonly version: string
  /** Documents, newline-delimited; null: the task has no body. */
  readonly documents: Uint8Array | null
  /** Its batch has ended here. */
  readonly hasEnded: boolean
}

export interface ReplicationPort {
  /** Remotes that have not confirmed some task. */
  remotesDue(): readonly string[]
  /** The oldest task that a remote has not confirmed; null: none. */
  oldestDue(remote: string): number | null
  dueCount(remote: string): number
  /** Gives up what a remote has not confirmed. @throws StorageError */
  forget(remote: string, result: RemoteResult): Promise<void>
  /** null: it is gone, or its documents are. @throws CorruptionError, StorageError */
  sentTask(uid: number): Promise<SentTask | null>
  results(uid: number): RemoteResults
  /** @throws StorageError */
  answered(uid: number, remote: string, result: RemoteResult): Promise<void>
}

type Parts = {
  readonly queue: TaskQueue
  readonly bodies: Bodies
}

const decoder = new TextDecoder()

export class LocalReplication implements ReplicationPort {
  readonly #parts: Parts
  readonly #kinds: TaskKinds<TaskKindModule>

  constructor(parts: Parts, kinds: TaskKinds<TaskKindModule>) {
    this.#parts = parts
    this.#kinds = kinds
  }

  remotesDue(): readonly string[] {
    return this.#parts.queue.network.remotesDue()
  }

  oldestDue(remote: string): number | null {
    const uid = this.#parts.queue.network.oldestDue(remote)
    return uid < 0 ? null : uid
  }

  dueCount(remote: string): number {
    return this.#parts.queue.network.dueCount(remote)
  }

  async forget(remote: string, result: RemoteResult): Promise<void> {
    for (const uid of this.#parts.queue.network.dueOf(remote)) {
      await this.answered(uid, remote, result)
    }
  }

  async sentTask(uid: number): Promise<SentTask | null> {
    const { queue, bodies } = this.#parts
    const kinds = this.#kinds
    const view = await queue.enqueuedView(uid)
    if (view === null) return null
    const { metadata, network } = unpackMetadata(view.metadata)
    const kind = kinds.of(view.kind)
    const content = kind.decode(view)
    const named = kind.renamed?.(
      content,
      view.names.map((name) => decoder.decode(name)),
    )
    const body: StagedBody | null = kind.bodyOf?.(content) ?? null
    const documents = body === null ? null : await bodies.read(body)
    if (body !== null && documents === null) return null
    return {
      uid,
      indexUid: view.index === null ? null : decoder.decode(view.index),
      content: named ?? content,
      customMetadata: metadata,
      version: versionOf(network),
      documents,
      hasEnded: queue.hasEnded(uid),
    }
  }

  results(uid: number): RemoteResults {
    return this.#parts.queue.network.results(uid)
  }

  answered(uid: number, remote: string, result: RemoteResult): Promise<void> {
    return this.#parts.queue.answered(uid, remote, result)
  }
}

const versionOf = (network: TaskNetwork | null): string =>
  network?.kind === 'leader' ? network.version : ''
