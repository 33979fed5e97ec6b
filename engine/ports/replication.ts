// The port for copies of tasks: what each remote of the network has not confirmed, and what it
// answered. Sending is the server's.
import type { RemoteResult, RemoteResults, TaskNetwork } from '../model/index.ts'
import type { StaleReason, StaleRemote, StaleRemotes } from '../network/index.ts'
import type { TaskKindModule } from '../task-kinds/index.ts'
import type { Bodies } from '../write/bodies/index.ts'
import type {
  Backlog,
  QueuedContent,
  StagedBody,
  TaskKinds,
  TaskQueue,
} from '../write/tasks/index.ts'
import { unpackMetadata } from '../write/tasks/index.ts'
import type { Digests, IndexDigest } from './digests.ts'

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
  /** It is a change of the network that has ended without success. */
  readonly isVoid: boolean
}

export interface ReplicationPort {
  /** Remotes that have not confirmed some task. */
  remotesDue(): readonly string[]
  /** The oldest task that a remote has not confirmed; null: none. */
  oldestDue(remote: string): number | null
  /** What is kept for a remote, because it has not confirmed it. */
  backlog(remote: string): Backlog
  /** Remotes that need their shards anew, by name in byte order. */
  stale(): ReadonlyMap<string, StaleRemote>
  /**
   * Tasks that a remote has not confirmed are not sent to it any more; it gets its shards anew.
   * Durable when it resolves. @throws StorageError
   */
  giveUp(remote: string, reason: StaleReason): Promise<void>
  /** No index task waits or runs here. */
  readonly isSettled: boolean
  /** What this instance has of each shard; see `Digests.all`. @throws StorageError, Canceled */
  digests(next: readonly string[] | null, signal: AbortSignal): Promise<readonly IndexDigest[]>
  /** null: it is gone, or its documents are. @throws CorruptionError, StorageError */
  sentTask(uid: number): Promise<SentTask | null>
  results(uid: number): RemoteResults
  /** @throws StorageError */
  answered(uid: number, remote: string, result: RemoteResult): Promise<void>
}

type Parts = {
  readonly queue: TaskQueue
  readonly bodies: Bodies
  readonly stale: StaleRemotes
  readonly digests: Digests
}

/** See `ReplicationPort.giveUp`. @throws StorageError */
export async function giveUp(
  { queue, stale }: Pick<Parts, 'queue' | 'stale'>,
  remotes: readonly string[],
  reason: StaleReason,
): Promise<void> {
  if (remotes.length === 0) return
  const before = queue.nextTask
  // Marked first: what is dropped must not be taken for confirmed after a crash.
  await stale.mark(remotes, { reason, before })
  for (const remote of remotes) await queue.dropBacklog(remote, before)
}

const decoder = new TextDecoder()

export class LocalReplication implements ReplicationPort {
  readonly #parts: Parts
  readonly #kinds: TaskKinds<TaskKindModule>

  constructor(parts: Parts, kinds: TaskKinds<TaskKindModule>) {
    this.#parts = parts
    this.#kinds = kinds
  }

  /** Drops again what was given up before the process ended. @throws StorageError */
  async load(): Promise<void> {
    const { queue, stale } = this.#parts
    for (const [remote, { before }] of stale.all()) await queue.dropBacklog(remote, before)
  }

  remotesDue(): readonly string[] {
    return this.#parts.queue.network.unconfirmed.remotesDue()
  }

  oldestDue(remote: string): number | null {
    const uid = this.#parts.queue.network.unconfirmed.oldestDue(remote)
    return uid < 0 ? null : uid
  }

  backlog(remote: string): Backlog {
    return this.#parts.queue.backlog(remote)
  }

  stale(): ReadonlyMap<string, StaleRemote> {
    return this.#parts.stale.all()
  }

  giveUp(remote: string, reason: StaleReason): Promise<void> {
    return giveUp(this.#parts, [remote], reason)
  }

  get isSettled(): boolean {
    return !this.#parts.queue.hasIndexTasksBefore(Number.POSITIVE_INFINITY)
  }

  digests(next: readonly string[] | null, signal: AbortSignal): Promise<readonly IndexDigest[]> {
    return this.#parts.digests.all(next, signal)
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
    const hasEnded = queue.hasEnded(uid)
    const isEndedChange = hasEnded && content.kind === 'networkTopologyChange'
    const ended = isEndedChange ? await queue.task(uid, null) : null
    return {
      uid,
      indexUid: view.index === null ? null : decoder.decode(view.index),
      content: named ?? content,
      customMetadata: metadata,
      version: versionOf(network),
      documents,
      hasEnded,
      isVoid: isEndedChange && ended?.status !== 'succeeded',
    }
  }

  results(uid: number): RemoteResults {
    return this.#parts.queue.network.unconfirmed.results(uid)
  }

  answered(uid: number, remote: string, result: RemoteResult): Promise<void> {
    return this.#parts.queue.answered(uid, remote, result)
  }
}

const versionOf = (network: TaskNetwork | null): string =>
  network?.kind === 'leader' ? network.version : ''
