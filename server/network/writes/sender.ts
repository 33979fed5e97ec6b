// Sends the leader's tasks to one remote, in order and one at a time; repeats each until it is
// confirmed. Clients wait only for the first attempts.
import {
  Pause,
  type Remote,
  type RemoteResult,
  type ReplicationPort,
  type Send,
  type SentTask,
  type TaskGroup,
} from '../../../engine/index.ts'
import type { TaskUid } from '../../../format/ids.ts'
import { ApiError, type ErrorCode } from '../../errors/index.ts'
import { type CallTimes, callRemote, isRetryable, originHeaders, REPEATED } from '../calls/index.ts'
import { finalError, lost, taskUidOf, unknownRemote, unsent } from './remote-results.ts'
import type { TaskRequestParts } from './task-requests.ts'

/** The first pause between attempts, its growth, and the longest pause. */
const PAUSE_MS = 500
const PAUSE_GROWTH = 1.5
const PAUSE_MS_MAX = 5000
/** Pause before a remote is called again to cancel tasks; its running batch has to end first. */
const CANCEL_PAUSE_MS = 1000

/** Errors that an operator has to fix: a wrong key, or a proxy that answers for the remote. */
const FIXED_BY_OPERATOR: ReadonlySet<ErrorCode> = new Set([
  'remote_invalid_api_key',
  'remote_bad_response',
])

/** Another instance may lead the network now. */
const OTHER_LEADER: ErrorCode = 'network_leader_mismatch'

const UNREACHABLE: ReadonlySet<ErrorCode> = new Set([
  'remote_could_not_send_request',
  'remote_timeout',
])

/** refused: the remote refuses the task. absent: a network change ended without the remote. */
export type Missed = 'refused' | 'absent'

export type SenderParts = {
  readonly replication: ReplicationPort
  readonly send: Send
  readonly times: CallTimes & { readonly backoffMs: number }
  /** Returns the name of this instance in its network. */
  readonly self: () => string
  /** Returns null if no known network has the remote. */
  readonly find: (remote: string, task: SentTask) => Remote | null
  /** Returns null if the task is not replicated. */
  readonly request: (remote: string, task: SentTask) => TaskRequestParts | null
  /**
   * Called after a failure, with the time in milliseconds since the remote last answered: its kept
   * tasks may exceed the limit. @throws StorageError
   */
  readonly failed: (remote: string, forMs: number) => Promise<void>
  /** Called if the remote could not be reached in time. */
  readonly unreachable: (remote: string) => void
  /** Called if the remote has accepted or canceled tasks. */
  readonly reachable: (remote: string) => void
  /** Called if the remote follows another leader; resolves when this instance has checked that. */
  readonly checkLeadership: (signal: AbortSignal) => Promise<void>
  /** Called if the remote lacks acknowledged tasks. */
  readonly behind: (remote: string) => void
  /** Cancels tasks on the remote; returns those that have run. @throws ApiError */
  readonly cancel: (
    remote: string,
    tasks: TaskGroup,
    signal: AbortSignal,
  ) => Promise<readonly TaskUid[]>
  /**
   * Called if the remote permanently lacks a task or has a wrong one; null if that is not known.
   * @throws StorageError
   */
  readonly missed: (remote: string, reason: Missed, task: SentTask | null) => Promise<void>
  /** Milliseconds of any clock. */
  readonly now: () => number
  readonly report: (message: string, error: unknown) => void
}

export class Sender {
  readonly remote: string
  readonly #parts: SenderParts
  /** An earlier process may have sent tasks with lower uids. */
  readonly #firstNew: number
  readonly #waiting = new Map<TaskUid, (() => void)[]>()
  #loop: Promise<void> | null = null
  #attempted = -1
  #failingSince: number | null = null
  #isDown = false
  /** The last task that was acknowledged before the remote had it, or -1. */
  #lastUnconfirmed = -1
  /** True if the remote answers but refuses tasks; clients do not wait for it. */
  #isRefusing = false
  #lastError: ApiError | null = null
  #pauseMs = PAUSE_MS
  #isStopped = false
  /** Number of accepted or canceled tasks; shows waiting clients that the remote works. */
  #successes = 0
  /** When the remote may be called again to cancel tasks; writes do not wait for that. */
  #cancelFrom = Number.NEGATIVE_INFINITY
  /** True while a cancelation is decided; no task is sent meanwhile. */
  #isSuspended = false
  #attempting: Promise<unknown> = Promise.resolve()
  readonly #pausing = new Pause()
  readonly #abort = new AbortController()

  constructor(remote: string, parts: SenderParts, firstNew: number) {
    this.remote = remote
    this.#parts = parts
    this.#firstNew = firstNew
  }

  /** The error of the last attempt, or null if it succeeded. */
  get lastError(): ApiError | null {
    return this.#lastError
  }

  /** Stops sending until `resume`; resolves when no request is running. */
  async suspend(): Promise<void> {
    this.#isSuspended = true
    await this.#attempting
  }

  resume(): void {
    this.#isSuspended = false
    this.wake()
  }

  /** True if the remote has not answered for some time. */
  get isDown(): boolean {
    return this.#isDown
  }

  /** Starts sending, or ends a pause. */
  wake(): void {
    this.#pausing.end()
    if (this.#isStopped || this.#loop !== null) return
    this.#loop = this.#run()
      .catch((error: unknown) => {
        this.#parts.report(`Tasks could not be sent to \`${this.remote}\`.`, error)
      })
      .finally(() => {
        this.#loop = null
        this.#resolveAll()
        const isDue = this.#parts.replication.remotesDue().includes(this.remote)
        if (isDue && !this.#isStopped) setTimeout(() => this.wake(), PAUSE_MS).unref()
      })
  }

  /** Resolves when the remote has confirmed the task, or its client stops waiting. */
  waitFor(uid: TaskUid): Promise<void> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | null = null
      const done = (): void => {
        if (timer !== null) clearTimeout(timer)
        resolve()
      }
      const others = this.#waiting.get(uid) ?? []
      this.#waiting.set(uid, [...others, done])
      const { connectMs, backoffMs } = this.#parts.times
      const before = this.#successes
      const end = this.#isDown
        ? { after: this.#isRefusing ? 0 : connectMs, do: () => this.#answerClients([uid]) }
        : { after: backoffMs + connectMs, do: () => this.#waitTimedOut(uid, before) }
      timer = setTimeout(() => {
        end.do().catch((error: unknown) => {
          this.#parts.report(`The error of \`${this.remote}\` could not be stored.`, error)
        })
      }, end.after)
      this.wake()
    })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#abort.abort()
    this.#pausing.end()
    await this.#loop
    this.#resolveAll()
  }

  async #run(): Promise<void> {
    const { replication } = this.#parts
    while (!this.#isStopped && !this.#isSuspended) {
      const [canceled] = await replication.canceledDue(this.remote)
      if (canceled !== undefined && this.#parts.now() >= this.#cancelFrom) {
        await this.#cancel(canceled)
        continue
      }
      const uid = replication.oldestDue(this.remote)
      if (uid === null) {
        if (canceled === undefined) return
        await this.#pause()
        continue
      }
      const task = await replication.sentTask(uid)
      if (task === null) {
        await this.#answered(uid, lost())
        await this.#parts.missed(this.remote, 'refused', null)
        continue
      }
      if (uid <= this.#lastUnconfirmed || uid < this.#firstNew) this.#parts.behind(this.remote)
      const attempt = this.#attempt(task)
      this.#attempting = attempt.catch(() => undefined)
      const isSent = await attempt
      if (!isSent && !this.#isStopped) await this.#pause()
    }
  }

  /** Cancels tasks on the remote, or waits before the next attempt. */
  async #cancel(tasks: TaskGroup): Promise<void> {
    let ran: readonly TaskUid[]
    try {
      ran = await this.#parts.cancel(this.remote, tasks, this.#abort.signal)
      this.#succeeded()
    } catch (error) {
      if (this.#abort.signal.aborted) return
      if (!(error instanceof ApiError)) throw error
      this.#lastError = error
      if (this.#isRetried(error)) {
        await this.#failed(error)
        // One that was away may run the tasks once it has those behind them.
        if (UNREACHABLE.has(error.code)) await this.#pause()
        else this.#cancelFrom = this.#parts.now() + CANCEL_PAUSE_MS
        return
      }
      ran = tasks.uids
    }
    // A change of the network waits for the answers, and must know that the remote is wrong.
    if (ran.length > 0) await this.#parts.missed(this.remote, 'refused', null)
    for (const uid of tasks.uids) {
      const known = this.#parts.replication.results(uid)[this.remote]
      const result = known?.error === null ? known : unsent()
      await this.#answered(uid, result)
    }
  }

  /** Sends a task; returns true if the next one may be sent. */
  async #attempt(task: SentTask): Promise<boolean> {
    const { send, times, find, request } = this.#parts
    const { uid } = task
    const target = find(this.remote, task)
    const parts = request(this.remote, task)
    if (target === null || parts === null) {
      await this.#answered(uid, this.#lastResult(uid))
      return true
    }
    const isRepeated = this.#attempted === uid || uid < this.#firstNew
    this.#attempted = uid
    const origin = {
      remoteName: this.#parts.self(),
      taskUid: uid,
      networkVersion: task.version,
    }
    const repeated = isRepeated ? { [REPEATED]: 'true' } : {}
    try {
      const body = await callRemote(send, target, {
        ...parts,
        headers: { ...parts.headers, ...originHeaders(origin), ...repeated },
        apiKey: target.writeApiKey,
        times,
        action: 'documents.add',
        signal: this.#abort.signal,
      })
      const taskUid = parts.isNews === true ? null : taskUidOf(body)
      this.#succeeded()
      // The task was canceled meanwhile; the remote is notified next.
      if (this.#parts.replication.isCanceled(uid, this.remote)) return true
      if (taskUid !== null) await this.#answered(uid, { taskUid, error: null })
      else {
        await this.#answered(uid, this.#lastResult(uid))
        await this.#parts.missed(this.remote, 'absent', task)
      }
      return true
    } catch (error) {
      if (this.#abort.signal.aborted) return false
      if (!(error instanceof ApiError)) throw error
      this.#lastError = error
      if (this.#isRetried(error)) return this.#failed(error)
      await this.#answered(uid, finalError(error))
      await this.#parts.missed(this.remote, 'refused', task)
      return true
    }
  }

  /** Returns the result in the task for a remote that did not accept it. */
  #lastResult(uid: TaskUid): RemoteResult {
    const known = this.#parts.replication.results(uid)[this.remote]
    const isKnown = known !== undefined && known.error !== null
    return isKnown ? { ...known, isFinal: true } : unknownRemote(this.remote)
  }

  #succeeded(): void {
    this.#parts.reachable(this.remote)
    this.#successes++
    this.#failingSince = null
    this.#isDown = false
    this.#isRefusing = false
    this.#lastError = null
    this.#pauseMs = PAUSE_MS
  }

  #isRetried(error: ApiError): boolean {
    return isRetryable(error) || FIXED_BY_OPERATOR.has(error.code) || error.code === OTHER_LEADER
  }

  async #failed(error: ApiError): Promise<false> {
    if (error.code === OTHER_LEADER) await this.#parts.checkLeadership(this.#abort.signal)
    const { now, times, failed, unreachable } = this.#parts
    this.#failingSince ??= now()
    if (UNREACHABLE.has(error.code)) unreachable(this.remote)
    this.#isRefusing = !isRetryable(error)
    if (this.#isRefusing || now() - this.#failingSince >= times.backoffMs) this.#isDown = true
    if (this.#isDown) await this.#answerClients([...this.#waiting.keys()])
    await failed(this.remote, now() - this.#failingSince)
    return false
  }

  /**
   * Ends the wait of a client. An attempt may last longer than that; if the remote has accepted
   * nothing meanwhile, it is treated as failed.
   */
  async #waitTimedOut(uid: TaskUid, successesBefore: number): Promise<void> {
    if (this.#successes !== successesBefore) return this.#answerClients([uid])
    this.#isDown = true
    await this.#answerClients([...this.#waiting.keys()])
  }

  /** Answers the clients of tasks, which are sent later. @throws StorageError behind the answers */
  async #answerClients(uids: readonly TaskUid[]): Promise<void> {
    await Promise.all(uids.map((uid) => this.#answerClient(uid)))
  }

  async #answerClient(uid: TaskUid): Promise<void> {
    this.#lastUnconfirmed = Math.max(this.#lastUnconfirmed, uid)
    const { replication } = this.#parts
    const known = replication.results(uid)[this.remote]
    const error = (this.#lastError ?? TIMED_OUT).toBody()
    try {
      if (known === undefined) {
        await replication.answered(uid, this.remote, { error, isFinal: false })
      }
    } finally {
      this.#resolve(uid)
    }
  }

  async #answered(uid: TaskUid, result: RemoteResult): Promise<void> {
    await this.#parts.replication.answered(uid, this.remote, result)
    this.#resolve(uid)
  }

  #resolve(uid: TaskUid): void {
    const waiting = this.#waiting.get(uid) ?? []
    this.#waiting.delete(uid)
    for (const done of waiting) done()
  }

  #resolveAll(): void {
    for (const uid of [...this.#waiting.keys()]) this.#resolve(uid)
  }

  /** Waits before the next attempt, for less time than a client waits. */
  async #pause(): Promise<void> {
    const { backoffMs } = this.#parts.times
    const left = this.#isDown ? PAUSE_MS_MAX : Math.max(50, backoffMs / 2)
    const ms = Math.min(this.#pauseMs, left)
    this.#pauseMs = Math.min(this.#pauseMs * PAUSE_GROWTH, PAUSE_MS_MAX)
    await this.#pausing.wait(ms)
  }
}

const TIMED_OUT = new ApiError('remote_timeout', 'remote host did not answer before the deadline')
