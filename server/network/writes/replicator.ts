// Replicates the leader's tasks, with one sender per remote.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Engine,
  mayBeAway,
  type Network,
  resyncable,
  type SentTask,
  type StaleReason,
  type TaskGroup,
  type TaskNetwork,
} from '../../../engine/index.ts'
import { asTaskUid, type TaskUid } from '../../../format/ids.ts'
import { ApiError } from '../../errors/index.ts'
import {
  BACKLOG_LOG_BYTES_MAX,
  BACKLOG_TASKS_MAX,
  BEHIND_NOTICE_MS,
  type CallTimes,
  callRemote,
  MESSAGE_MS,
  messageRequest,
  REMOVED_RETRY_MS,
} from '../calls/index.ts'
import { findRemote, isOnlyCopy, networkBefore, networkNews, requestTo } from './change-requests.ts'
import { unknownRemote } from './remote-results.ts'
import { Sender, type SenderParts } from './sender.ts'

type Parts = Pick<SenderParts, 'send' | 'times' | 'now' | 'report' | 'checkLeadership'> & {
  readonly engine: Engine
  /** Bytes of unconfirmed tasks that may be kept for one remote. */
  readonly backlogBytesMax: number
  /** Called if a remote lacks writes: searches avoid it for some time. */
  readonly behind: (remote: string) => void
  /** Called if a remote could not be reached: searches prefer others. */
  readonly unreachable: (remote: string) => void
  /** A remote answers again: searches need not wait for a probe. */
  readonly reachable: (remote: string) => void
}

/** The leader's answer to an instance that is back and has all writes. */
const LACKS_NOTHING = JSON.stringify({ lacks: false })

export class Replicator {
  readonly #parts: Parts
  readonly #senders = new Map<string, Sender>()
  /** Tasks below this uid were registered by an earlier process. */
  #firstNew = Number.POSITIVE_INFINITY
  #isStopped = false
  readonly #abort = new AbortController()
  /** Tasks that remotes hold because they may be canceled. */
  readonly #held: (readonly [remote: string, tasks: TaskGroup])[] = []
  /** Time of the last message to members that a remote lacks writes, by remote. */
  readonly #noticeAt = new Map<string, number>()
  /** The last decision to give up a remote, or registration of a change. */
  #deciding: Promise<unknown> = Promise.resolve()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Continues with unconfirmed tasks of an earlier process. */
  start(): void {
    const { engine } = this.#parts
    engine.onReplicated((uid, network) => this.replicate(uid, network))
    engine.onCanceling(
      (uids) => this.#hold(uids),
      () => this.#resume(),
    )
    for (const remote of engine.replication.remotesDue()) this.#sender(remote).wake()
  }

  /** Resolves when all remotes have confirmed, or the time that a client waits is over. */
  async replicate(uid: TaskUid, network: TaskNetwork): Promise<void> {
    if (network.kind !== 'leader' || this.#isStopped) return
    this.#firstNew = Math.min(this.#firstNew, uid)
    await Promise.all(network.remotes.map((remote) => this.#sender(remote).waitFor(uid)))
  }

  /** Sends the pending tasks of a remote that is back. */
  wake(remote: string): void {
    const isDue = this.#parts.engine.replication.remotesDue().includes(remote)
    if (isDue && !this.#isStopped) this.#sender(remote).wake()
  }

  /** Returns the error of the last attempt to send to a remote, or null if it succeeded. */
  lastError(remote: string): string | null {
    return this.#senders.get(remote)?.lastError?.code ?? null
  }

  /**
   * Asks remotes to hold tasks until their cancelation is decided; returns those that have run, or
   * that may run where nothing undoes it. Other remotes that do not answer are notified later.
   */
  async #hold(uids: readonly TaskUid[]): Promise<ReadonlySet<TaskUid>> {
    const { engine, times, report } = this.#parts
    const ran = new Set<TaskUid>()
    const { self } = engine.topology.networkOfNextTask
    const silent = new Set([...this.#remotes.keys()].filter((name) => name !== self))
    const senders = [...silent].map((name) => this.#sender(name)).filter((sender) => !sender.isDown)
    const late = sleep(times.connectMs, undefined, { ref: false })
    await Promise.race([Promise.all(senders.map((sender) => sender.suspend())), late])
    const groups = await engine.replication.groups(uids)
    const holding = senders.map(async ({ remote }) => {
      try {
        for (const group of groups) {
          this.#held.push([remote, group])
          const found = await this.#notify('tasksHeldForRemote', remote, group, {
            connectMs: times.connectMs,
            requestMs: times.connectMs,
          })
          for (const uid of found) ran.add(uid)
        }
        silent.delete(remote)
      } catch (error) {
        if (!(error instanceof ApiError)) report('Tasks could not be held on a remote.', error)
      }
    })
    await Promise.all(holding)
    for (const remote of silent) for (const uid of await this.#mayRun(remote, uids)) ran.add(uid)
    return ran
  }

  /**
   * Returns the writes that a remote which does not answer may have, and will run before it is
   * notified: none if other instances can send it its shards without them, or it leaves and sends
   * no documents.
   */
  async #mayRun(remote: string, uids: readonly TaskUid[]): Promise<readonly TaskUid[]> {
    const { replication, topology } = this.#parts.engine
    const { change, networkOfNextTask } = topology
    const leaves = change !== null && !networkOfNextTask.remotes.has(remote)
    if (leaves && !topology.isNeeded(change, remote)) return []
    if (replication.stale().has(remote) || this.#isRenewable(remote, 'refused')) return []
    // It was sent the oldest one of those that it has not confirmed, and no newer one.
    const oldest = replication.oldestDue(remote)
    const has = (uid: TaskUid): boolean =>
      uid === oldest || replication.results(uid)[remote]?.error === null
    return await replication.writesOf(uids.filter(has))
  }

  /** Releases held tasks after the decision; tasks that are not canceled run. */
  #resume(): void {
    const { engine, times, report } = this.#parts
    for (const [remote, group] of this.#held.splice(0)) {
      const uids = group.uids.filter((uid) => !engine.replication.isCanceled(uid, remote))
      if (uids.length === 0) continue
      const released = { ...group, uids }
      this.#notify('tasksReleasedForRemote', remote, released, times).catch((error: unknown) => {
        // Held tasks run anyway after some seconds.
        if (!(error instanceof ApiError)) report('Tasks could not be released.', error)
      })
    }
    for (const sender of this.#senders.values()) sender.resume()
    for (const remote of this.#parts.engine.replication.remotesDue()) this.#sender(remote).wake()
  }

  /** The remotes that may have tasks, before and after a change that runs or is not recorded yet. */
  get #remotes(): Network['remotes'] {
    const { network, topology } = this.#parts.engine
    const left = topology.change?.before.remotes ?? []
    return new Map([...left, ...network.get().remotes, ...topology.networkOfNextTask.remotes])
  }

  /** Notifies a remote of canceled tasks; returns those that have run there. @throws ApiError */
  async #notify(
    type: 'tasksHeldForRemote' | 'tasksCanceledForRemote' | 'tasksReleasedForRemote',
    remote: string,
    { version, uids }: TaskGroup,
    times: CallTimes,
    signal: AbortSignal = this.#abort.signal,
  ): Promise<readonly TaskUid[]> {
    const { engine, send } = this.#parts
    const { self } = engine.topology.networkOfNextTask
    const target = this.#remotes.get(remote)
    // The remote has left the network, or the tasks are gone.
    if (target === undefined || version === '') return []
    const origin = {
      remoteName: self ?? '',
      taskUid: uids[0] ?? asTaskUid(0),
      networkVersion: version,
    }
    const message = { type, remote, tasks: uids }
    const answer = await callRemote(send, target, {
      ...messageRequest(origin, message),
      apiKey: target.writeApiKey,
      times: { ...times, requestMs: Math.min(times.requestMs, MESSAGE_MS) },
      action: 'network.update',
      signal,
    })
    return ranOf(answer, uids)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#abort.abort()
    await Promise.all([...this.#senders.values()].map((sender) => sender.stop()))
  }

  /** Sends the network to stale remotes. @throws ApiError */
  async sendNetworkToStale(): Promise<void> {
    const { engine, send, times } = this.#parts
    const network = engine.network.get()
    const { self, version } = network
    for (const name of engine.replication.stale().keys()) {
      this.#broadcastBehind(name)
      const remote = network.remotes.get(name)
      if (remote === undefined) continue
      const origin = { remoteName: self ?? '', taskUid: asTaskUid(0), networkVersion: version }
      const news = networkNews(network, name, origin)
      const { writeApiKey: apiKey } = remote
      await callRemote(send, remote, { ...news, apiKey, times, action: 'network.update' })
    }
  }

  /** Notifies all members, the remote included; repeated before the notice expires. */
  #broadcastBehind(remote: string): void {
    const { engine, now, behind } = this.#parts
    const { self, leader, remotes } = engine.network.get()
    if (leader !== null && leader !== self) return
    if (now() - (this.#noticeAt.get(remote) ?? Number.NEGATIVE_INFINITY) < BEHIND_NOTICE_MS) return
    this.#noticeAt.set(remote, now())
    behind(remote)
    for (const name of remotes.keys()) void this.notifyBehind(name, remote)
  }

  /** Returns true if a remote has not confirmed all acknowledged writes. */
  lacks(remote: string): boolean {
    const { replication } = this.#parts.engine
    return replication.remotesDue().includes(remote) || replication.stale().has(remote)
  }

  /**
   * Returns true if the member received the notice and agrees. A member without the notice calls a
   * remote that lacks writes; nothing else depends on it.
   */
  async notifyBehind(member: string, remote: string): Promise<boolean> {
    const { engine, send, times, report } = this.#parts
    const { self, version, remotes } = engine.network.get()
    const target = remotes.get(member)
    if (target === undefined || member === self) return false
    const origin = { remoteName: self ?? '', taskUid: asTaskUid(0), networkVersion: version }
    const message = { type: 'behindForRemote', remote }
    try {
      const answer = await callRemote(send, target, {
        ...messageRequest(origin, message),
        apiKey: target.writeApiKey,
        times: { connectMs: times.connectMs, requestMs: times.connectMs },
        action: 'network.update',
        signal: this.#abort.signal,
      })
      return Buffer.from(answer).toString() !== LACKS_NOTHING
    } catch (error) {
      if (!(error instanceof ApiError) && !this.#abort.signal.aborted) {
        report('An instance could not be notified of another one.', error)
      }
      return false
    }
  }

  /** `since` is the time in milliseconds since the remote last answered. */
  async #checkBacklog(remote: string, since: number): Promise<void> {
    const { engine, backlogBytesMax, report } = this.#parts
    if (!engine.topology.networkOfNextTask.remotes.has(remote)) {
      if (since >= REMOVED_RETRY_MS) await this.#forget(remote)
      return
    }
    const { tasks, logBytes, fileBytes } = engine.replication.backlog(remote)
    const isTooMuch =
      logBytes + fileBytes > backlogBytesMax ||
      logBytes > BACKLOG_LOG_BYTES_MAX ||
      tasks > BACKLOG_TASKS_MAX
    if (!isTooMuch) return
    if (!(await this.#markStale(remote, 'backlog'))) return
    report(
      `The instance \`${remote}\` was away for too long: it will get its shards again. ` +
        `${tasks} tasks were kept for it.`,
      null,
    )
  }

  /** Whether a change waits for the remote, which does not know of it yet: it has to get its task. */
  #isAwaited(remote: string): boolean {
    const { topology, replication, network } = this.#parts.engine
    const { change } = topology
    // The disk has not recorded it yet.
    if (change === null) return topology.networkOfNextTask.version !== network.get().version
    if (mayBeAway(change, remote)) return false
    const oldest = replication.oldestDue(remote)
    return oldest !== null && oldest <= change.uid
  }

  /** Stops sending to a remote that has left and does not answer. @throws StorageError */
  async #forget(remote: string): Promise<void> {
    const { replication } = this.#parts.engine
    const uid = replication.oldestDue(remote)
    const task = uid === null ? null : await replication.sentTask(uid)
    if (task !== null && isOnlyCopy(task, remote)) {
      await replication.answered(task.uid, remote, unknownRemote(remote))
    } else await replication.giveUp(remote, 'absent')
  }

  /** Notes that a remote lacks a task for good or has a wrong one. @throws StorageError */
  async #missed(remote: string, reason: StaleReason, task: SentTask | null): Promise<void> {
    const { engine } = this.#parts
    const { self, leader, remotes } = engine.topology.networkOfNextTask
    // Another instance took over meanwhile: its documents count, not the tasks of this one.
    if (leader !== null && leader !== self) return
    if (reason !== 'absent' || remotes.has(remote)) {
      await this.#markStale(remote, reason)
    } else if (task !== null && !isOnlyCopy(task, remote)) {
      // It was removed and has not taken part: if it joins again, its documents are old.
      await engine.replication.giveUp(remote, reason)
    }
  }

  /**
   * Drops the remote's tasks if other instances have all its shards, which are then sent again.
   * Otherwise the kept tasks are the only copy of its documents, and stay.
   */
  #markStale(remote: string, reason: StaleReason): Promise<boolean> {
    // Two owners of a shard must not both be given up for the other's sake.
    return this.inTurn(() => this.#markStaleNow(remote, reason))
  }

  /**
   * Runs decisions about who lacks writes, and registrations of changes, one after another: a change
   * must not wait for a remote that is given up before it gets the task of the change.
   */
  inTurn<T>(decision: () => Promise<T>): Promise<T> {
    const decided = this.#deciding.then(decision)
    this.#deciding = decided.catch(reportedToCaller)
    return decided
  }

  async #markStaleNow(remote: string, reason: StaleReason): Promise<boolean> {
    const { engine } = this.#parts
    if (reason === 'backlog' && this.#isAwaited(remote)) return false
    if (!this.#isRenewable(remote, reason)) return false
    await engine.replication.giveUp(remote, reason)
    return true
  }

  /** Whether other instances have all shards of the remote, once it lacks writes. */
  #isRenewable(remote: string, reason: StaleReason): boolean {
    const { topology, replication } = this.#parts.engine
    const network = topology.networkOfNextTask
    const stale = new Map([...replication.stale(), [remote, { reason, before: asTaskUid(0) }]])
    // During a change, and after one that was canceled, documents are where they are searched.
    // Instances that leave are away once the change is canceled.
    const before = topology.serving
    const absent = [...before.remotes.keys()].filter((name) => !network.remotes.has(name))
    return resyncable({ before, after: network, absent }, stale).renewed.includes(remote)
  }

  #sender(remote: string): Sender {
    const known = this.#senders.get(remote)
    if (known !== undefined) return known
    const { engine, send, times, now, report, unreachable, reachable, checkLeadership } =
      this.#parts
    const parts: SenderParts = {
      unreachable,
      reachable,
      checkLeadership,
      send,
      times,
      now,
      report,
      replication: engine.replication,
      self: () => engine.topology.networkOfNextTask.self ?? '',
      find: (name, task) => findRemote(engine, name, task),
      request: (name, task) =>
        requestTo(networkBefore(engine, task), name, task, engine.replication.isLacking(name)),
      failed: (name, since) => this.#checkBacklog(name, since),
      behind: (name) => this.#broadcastBehind(name),
      cancel: (name, tasks, signal) =>
        this.#notify('tasksCanceledForRemote', name, tasks, times, signal),
      missed: (name, reason, task) => this.#missed(name, reason, task),
    }
    const sender = new Sender(remote, parts, this.#firstNew)
    this.#senders.set(remote, sender)
    return sender
  }
}

/** @throws ApiError remote_bad_response */
function ranOf(answer: Uint8Array, uids: readonly TaskUid[]): readonly TaskUid[] {
  const text = Buffer.from(answer).toString()
  try {
    const { ran } = JSON.parse(text) as { readonly ran?: unknown }
    const named = Array.isArray(ran) ? new Set<unknown>(ran) : null
    if (named !== null) return uids.filter((uid) => named.has(uid))
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error
  }
  throw new ApiError('remote_bad_response', 'could not parse response from the remote host')
}

/** The caller of the work has its error. */
const reportedToCaller = (): null => null
