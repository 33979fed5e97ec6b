// The port for copies of tasks: what each remote of the network has not confirmed, and what it
// answered. Sending is the server's.
import {
  EngineFault,
  type RemoteResult,
  type RemoteResults,
  type TaskNetwork,
  type TaskOrigin,
} from '../model/index.ts'
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
import { NO_FILTER, unpackMetadata } from '../write/tasks/index.ts'
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

/** Tasks of one instance that were made under the same network. */
export type TaskGroup = { readonly version: string; readonly uids: readonly number[] }

/** Tasks that are named in one message at most. */
const GROUP_MAX = 1000
/** How long copies are held: the origin has decided by then, or is gone. */
const HOLD_MS = 10_000
/** How often it is looked whether copies are canceled. */
const LOOK_MS = 10
const CANCEL_MS = 20_000

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
  /** Tasks that a remote has to cancel, by the version that they were made under; some of them. */
  canceledDue(remote: string): Promise<readonly TaskGroup[]>
  /** Whether a remote has to cancel a task. */
  isCanceled(uid: number, remote: string): boolean
  /** Of some tasks, by the version that they were made under. @throws CorruptionError */
  groups(uids: readonly number[]): Promise<readonly TaskGroup[]>
  /**
   * Copies of tasks that their origin may cancel do not run for some seconds; those that have run,
   * by their uids there.
   */
  holdCopies(remote: string, tasks: TaskGroup): Promise<readonly number[]>
  /** They are not canceled. */
  releaseCopies(remote: string, tasks: TaskGroup): void
  /** Cancels copies of tasks; those that have run. @throws StorageError */
  cancelCopies(remote: string, tasks: TaskGroup): Promise<readonly number[]>
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

  canceledDue(remote: string): Promise<readonly TaskGroup[]> {
    return this.groups(this.#parts.queue.network.unconfirmed.canceledDue(remote, GROUP_MAX))
  }

  isCanceled(uid: number, remote: string): boolean {
    return this.#parts.queue.network.unconfirmed.isCanceled(uid, remote)
  }

  async groups(uids: readonly number[]): Promise<readonly TaskGroup[]> {
    const byVersion = new Map<string, number[]>()
    for (const uid of uids) {
      const view = await this.#parts.queue.enqueuedView(uid)
      const version = view === null ? '' : versionOf(unpackMetadata(view.metadata).network)
      byVersion.set(version, [...(byVersion.get(version) ?? []), uid])
    }
    return [...byVersion].flatMap(([version, all]) =>
      Array.from({ length: Math.ceil(all.length / GROUP_MAX) }, (_, i) => {
        return { version, uids: all.slice(i * GROUP_MAX, (i + 1) * GROUP_MAX) }
      }),
    )
  }

  /** Copy here → uid where it comes from; what has not come is told to `missing`. */
  #copiesOf(
    remoteName: string,
    { version: networkVersion, uids }: TaskGroup,
    missing: (origin: TaskOrigin) => void,
  ): ReadonlyMap<number, number> {
    const { network } = this.#parts.queue
    const copies = new Map<number, number>()
    for (const taskUid of uids) {
      const origin = { remoteName, taskUid, networkVersion }
      const copy = network.copyOf(origin)
      if (copy === null) missing(origin)
      else copies.set(copy, taskUid)
    }
    return copies
  }

  async holdCopies(remote: string, tasks: TaskGroup): Promise<readonly number[]> {
    const { queue } = this.#parts
    const copies = this.#copiesOf(remote, tasks, () => undefined)
    await queue.hold([...copies.keys()], HOLD_MS)
    return [...copies].filter(([copy]) => queue.hasRun(copy)).map(([, uid]) => uid)
  }

  releaseCopies(remote: string, tasks: TaskGroup): void {
    this.#parts.queue.release([...this.#copiesOf(remote, tasks, () => undefined).keys()])
  }

  async cancelCopies(remote: string, tasks: TaskGroup): Promise<readonly number[]> {
    const { queue } = this.#parts
    const copies = this.#copiesOf(remote, tasks, (origin) => queue.network.refuse(origin))
    const uids = [...copies.keys()]
    const waiting = uids.filter((uid) => !queue.hasEnded(uid) && !queue.hasRun(uid))
    if (waiting.length > 0) {
      const query = `?uids=${waiting.join(',')}`
      const { uid } = await queue.registerCancelation({ ...NO_FILTER, uids: waiting }, query, null)
      // The origin asks again where another batch takes longer.
      const looks = CANCEL_MS / LOOK_MS
      for (let i = 0; !queue.hasEnded(uid); i++) {
        if (i >= looks) throw new EngineFault('internal', 'The tasks are not canceled yet.')
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      }
    }
    queue.release(uids)
    return [...copies].filter(([copy]) => queue.hasRun(copy)).map(([, uid]) => uid)
  }

  answered(uid: number, remote: string, result: RemoteResult): Promise<void> {
    return this.#parts.queue.answered(uid, remote, result)
  }
}

const versionOf = (network: TaskNetwork | null): string =>
  network?.kind === 'leader' ? network.version : ''
