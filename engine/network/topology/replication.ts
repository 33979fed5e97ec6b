// The port for copies of tasks: which tasks each remote of the network has not confirmed, and what
// it answered. The server sends them.
import { setTimeout as sleep } from 'node:timers/promises'
import { decoder } from '../../../format/bytes/index.ts'
import { asIndexUid, asTaskUid, type IndexUid, type TaskUid } from '../../../format/ids.ts'
import { EngineFault } from '../../model/index.ts'
import type { TaskKind } from '../../task-kinds/kind/index.ts'
import type { Bodies } from '../../write/bodies/index.ts'
import {
  NO_FILTER,
  type QueuedContent,
  type StagedBody,
  type TaskKinds,
  unpackMetadata,
} from '../../write/task-data/index.ts'
import type { Backlog, TaskQueue } from '../../write/tasks/index.ts'
import type {
  RemoteResult,
  RemoteResults,
  StaleReason,
  StaleRemote,
  StaleRemotes,
  TaskNetwork,
  TaskOrigin,
} from '../records/index.ts'
import type { Digests, IndexDigest } from './digests.ts'
import { CANCEL_MS, GROUP_MAX, HOLD_MS, LOOK_MS } from './limits.ts'

/** A task of the leader, as it was requested. */
export type SentTask = {
  readonly uid: TaskUid
  readonly indexUid: IndexUid | null
  readonly content: QueuedContent
  readonly customMetadata: string | null
  /** The version of the network under which it was registered. */
  readonly version: string
  /** Newline-delimited documents, or null if the task has no body. */
  readonly documents: Uint8Array | null
  /** Whether its batch has ended on this instance. */
  readonly hasEnded: boolean
  /** Whether it is a change of the network that ended without success. */
  readonly isVoid: boolean
}

/** Tasks of one instance that were registered under the same network. */
export type TaskGroup = { readonly version: string; readonly uids: readonly TaskUid[] }

export interface ReplicationPort {
  /** Returns the remotes that have unconfirmed tasks. */
  remotesDue(): readonly string[]
  /** Returns the oldest task that a remote has not confirmed, or null if all are confirmed. */
  oldestDue(remote: string): TaskUid | null
  /** Returns the size of the unconfirmed tasks that are kept for a remote. */
  backlog(remote: string): Backlog
  /** Returns the remotes that need their shards again, by name in byte order. */
  stale(): ReadonlyMap<string, StaleRemote>
  /** Returns whether a remote lacks writes, which are not sent to it. */
  isLacking(remote: string): boolean
  /**
   * Drops the unconfirmed tasks of a remote: its shards will be sent to it again. Durable when it
   * resolves.
   * @throws StorageError
   */
  giveUp(remote: string, reason: StaleReason): Promise<void>
  /**
   * Marks shards of a remote that receives all writes as wrong: they will be sent to it again.
   * Durable when it resolves. @throws StorageError
   */
  markSuspect(remote: string, shards: readonly string[]): Promise<void>
  /** Whether no index task waits or runs on this instance. */
  readonly isIdle: boolean
  /**
   * Returns the digests of each shard of this instance; see `Digests.all`. @throws StorageError,
   * Canceled
   */
  digests(
    next: readonly string[] | null,
    signal: AbortSignal,
    hasDocuments?: boolean,
  ): Promise<readonly IndexDigest[]>
  /** Returns null if the task or its documents are gone. @throws CorruptionError, StorageError */
  sentTask(uid: TaskUid): Promise<SentTask | null>
  results(uid: TaskUid): RemoteResults
  /** Returns some of the tasks that a remote has to cancel, grouped by version of the network. */
  canceledDue(remote: string): Promise<readonly TaskGroup[]>
  /** Returns whether a remote has to cancel a task. */
  isCanceled(uid: TaskUid, remote: string): boolean
  /** Returns the tasks that are no changes of the network. @throws CorruptionError */
  writesOf(uids: readonly TaskUid[]): Promise<readonly TaskUid[]>
  /** Groups tasks by the version of the network of their registration. @throws CorruptionError */
  groups(uids: readonly TaskUid[]): Promise<readonly TaskGroup[]>
  /**
   * Keeps copies of tasks from running for a few seconds, because their origin may cancel them.
   * Returns the uids on the origin of the tasks that have already run.
   */
  holdCopies(remote: string, tasks: TaskGroup): Promise<readonly TaskUid[]>
  /** Lets held copies run: their tasks are not canceled. */
  releaseCopies(remote: string, tasks: TaskGroup): void
  /** Cancels copies of tasks and returns those that have run. @throws StorageError */
  cancelCopies(remote: string, tasks: TaskGroup): Promise<readonly TaskUid[]>
  /** Stores the answer of a remote to a task. @throws StorageError */
  answered(uid: TaskUid, remote: string, result: RemoteResult): Promise<void>
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
  // The mark comes first: after a crash, dropped tasks must not count as confirmed.
  await stale.mark(remotes, { reason, before })
  for (const remote of remotes) await queue.backlogs.drop(remote, before)
}

export class LocalReplication implements ReplicationPort {
  readonly #parts: Parts
  readonly #kinds: TaskKinds<TaskKind>
  /** Cancelations of copies that have not ended, by their query. */
  readonly #cancelations = new Map<string, TaskUid>()

  constructor(parts: Parts, kinds: TaskKinds<TaskKind>) {
    this.#parts = parts
    this.#kinds = kinds
  }

  /**
   * Drops the backlogs of remotes that are or were stale again, as before the process ended.
   * @throws StorageError
   */
  async load(): Promise<void> {
    const { queue, stale } = this.#parts
    await queue.backlogs.dropAgain()
    for (const [remote, { before }] of stale.all()) await queue.backlogs.drop(remote, before)
  }

  remotesDue(): readonly string[] {
    return this.#parts.queue.network.unconfirmed.remotesDue()
  }

  oldestDue(remote: string): TaskUid | null {
    const uid = this.#parts.queue.network.unconfirmed.oldestDue(remote)
    return uid < 0 ? null : uid
  }

  backlog(remote: string): Backlog {
    return this.#parts.queue.backlogs.of(remote)
  }

  stale(): ReadonlyMap<string, StaleRemote> {
    return this.#parts.stale.all()
  }

  isLacking(remote: string): boolean {
    return this.#parts.stale.isLacking(remote)
  }

  giveUp(remote: string, reason: StaleReason): Promise<void> {
    return giveUp(this.#parts, [remote], reason)
  }

  async markSuspect(remote: string, shards: readonly string[]): Promise<void> {
    const { stale } = this.#parts
    const known = stale.all().get(remote)
    if (known !== undefined && known.shards === undefined) return
    const all = [...new Set([...(known?.shards ?? []), ...shards])].sort()
    await stale.mark([remote], { reason: 'different', before: asTaskUid(0), shards: all })
  }

  get isIdle(): boolean {
    return !this.#parts.queue.hasIndexTasksBefore(asTaskUid(Number.POSITIVE_INFINITY))
  }

  digests(
    next: readonly string[] | null,
    signal: AbortSignal,
    hasDocuments = true,
  ): Promise<readonly IndexDigest[]> {
    return this.#parts.digests.all(next, signal, hasDocuments)
  }

  async sentTask(uid: TaskUid): Promise<SentTask | null> {
    const { queue, bodies } = this.#parts
    const kinds = this.#kinds
    const view = await queue.lists.enqueuedView(uid)
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
    const ended = isEndedChange ? await queue.lists.task(uid, null) : null
    return {
      uid,
      indexUid: view.index === null ? null : asIndexUid(decoder.decode(view.index)),
      content: named ?? content,
      customMetadata: metadata,
      version: versionOf(network),
      documents,
      hasEnded,
      isVoid: isEndedChange && ended?.status !== 'succeeded',
    }
  }

  results(uid: TaskUid): RemoteResults {
    return this.#parts.queue.network.unconfirmed.results(uid)
  }

  canceledDue(remote: string): Promise<readonly TaskGroup[]> {
    return this.groups(this.#parts.queue.network.unconfirmed.canceledDue(remote, GROUP_MAX))
  }

  isCanceled(uid: TaskUid, remote: string): boolean {
    return this.#parts.queue.network.unconfirmed.isCanceled(uid, remote)
  }

  async writesOf(uids: readonly TaskUid[]): Promise<readonly TaskUid[]> {
    const writes: TaskUid[] = []
    for (const uid of uids) {
      const view = await this.#parts.queue.lists.enqueuedView(uid)
      if (view === null) continue
      if (this.#kinds.of(view.kind).name !== 'networkTopologyChange') writes.push(uid)
    }
    return writes
  }

  async groups(uids: readonly TaskUid[]): Promise<readonly TaskGroup[]> {
    const byVersion = new Map<string, TaskUid[]>()
    for (const uid of uids) {
      const view = await this.#parts.queue.lists.enqueuedView(uid)
      const version = view === null ? '' : versionOf(unpackMetadata(view.metadata).network)
      byVersion.set(version, [...(byVersion.get(version) ?? []), uid])
    }
    return [...byVersion].flatMap(([version, all]) =>
      Array.from({ length: Math.ceil(all.length / GROUP_MAX) }, (_, i) => {
        return { version, uids: all.slice(i * GROUP_MAX, (i + 1) * GROUP_MAX) }
      }),
    )
  }

  /** Maps each copy here to its uid on the origin; calls `missing` for tasks without a copy. */
  #copiesOf(
    remoteName: string,
    { version: networkVersion, uids }: TaskGroup,
    missing: (origin: TaskOrigin) => void,
  ): ReadonlyMap<TaskUid, TaskUid> {
    const { network } = this.#parts.queue
    const copies = new Map<TaskUid, TaskUid>()
    for (const taskUid of uids) {
      const origin = { remoteName, taskUid, networkVersion }
      const copy = network.copyOf(origin)
      if (copy === null) missing(origin)
      else copies.set(copy, taskUid)
    }
    return copies
  }

  async holdCopies(remote: string, tasks: TaskGroup): Promise<readonly TaskUid[]> {
    const { queue } = this.#parts
    const copies = this.#copiesOf(remote, tasks, () => undefined)
    await queue.hold([...copies.keys()], HOLD_MS)
    return [...copies].filter(([copy]) => queue.hasRun(copy)).map(([, uid]) => uid)
  }

  releaseCopies(remote: string, tasks: TaskGroup): void {
    this.#parts.queue.release([...this.#copiesOf(remote, tasks, () => undefined).keys()])
  }

  async cancelCopies(remote: string, tasks: TaskGroup): Promise<readonly TaskUid[]> {
    const { queue } = this.#parts
    const copies = this.#copiesOf(remote, tasks, (origin) => queue.network.refuse(origin))
    const uids = [...copies.keys()]
    const waiting = uids.filter((uid) => !queue.hasEnded(uid) && !queue.hasRun(uid))
    if (waiting.length > 0) {
      const uid = await this.#cancelation(waiting)
      // If another batch takes longer, the origin repeats its request.
      const looks = CANCEL_MS / LOOK_MS
      for (let i = 0; !queue.hasEnded(uid); i++) {
        if (i >= looks) throw new EngineFault('internal', 'The tasks are not canceled yet.')
        await sleep(LOOK_MS)
      }
    }
    queue.release(uids)
    return [...copies].filter(([copy]) => queue.hasRun(copy)).map(([, uid]) => uid)
  }

  /** Cancels tasks, or finds the cancelation of an earlier request that has not ended. */
  async #cancelation(uids: readonly TaskUid[]): Promise<TaskUid> {
    const { queue } = this.#parts
    const query = `?uids=${uids.join(',')}`
    for (const [known, uid] of this.#cancelations) {
      if (queue.hasEnded(uid)) this.#cancelations.delete(known)
    }
    const running = this.#cancelations.get(query)
    if (running !== undefined) return running
    const { uid } = await queue.registerCancelation({ ...NO_FILTER, uids }, query, null)
    this.#cancelations.set(query, uid)
    return uid
  }

  answered(uid: TaskUid, remote: string, result: RemoteResult): Promise<void> {
    return this.#parts.queue.backlogs.answered(uid, remote, result)
  }
}

const versionOf = (network: TaskNetwork | null): string =>
  network?.kind === 'leader' ? network.version : ''
