// Sends the tasks of the leader to one remote: in their order, one at a time, again and again until
// each is confirmed. Clients wait for the first attempts only.
import type {
  Remote,
  RemoteResult,
  ReplicationPort,
  Send,
  SentTask,
  TaskGroup,
} from '../../engine/index.ts'
import { ApiError, type ErrorCode } from '../errors/index.ts'
import { originHeaders, REPEATED } from './headers.ts'
import { type CallTimes, callRemote, isPassing } from './remote-call.ts'
import type { TaskRequestParts } from './task-requests.ts'

/** Pauses between attempts: the first, by how much they grow, the longest. */
const PAUSE_MS = 500
const PAUSE_GROWTH = 1.5
const PAUSE_MS_MAX = 5000
/** Until a remote is asked again to cancel tasks: its other work has to end first. */
const CANCEL_PAUSE_MS = 1000

/** What an operator mends: a key, a proxy that answers in place of the remote. */
const MENDABLE: ReadonlySet<ErrorCode> = new Set(['remote_invalid_api_key', 'remote_bad_response'])

const UNREACHABLE: ReadonlySet<ErrorCode> = new Set([
  'remote_could_not_send_request',
  'remote_timeout',
])

/** refused: it does not take the task. absent: a change of the network has ended without it. */
export type Missed = 'refused' | 'absent'

export type SenderParts = {
  readonly replication: ReplicationPort
  readonly send: Send
  readonly times: CallTimes & { readonly backoffMs: number }
  /** This instance, as its network calls it. */
  readonly self: () => string
  /** null: no network that is known has the remote. */
  readonly find: (remote: string, task: SentTask) => Remote | null
  /** null: the task is not sent to others. */
  readonly request: (remote: string, task: SentTask) => TaskRequestParts | null
  /**
   * The remote has not answered for some milliseconds: what is kept for it may be too much.
   * @throws StorageError
   */
  readonly failed: (remote: string, forMs: number) => Promise<void>
  /** The remote could not be reached, or not in time. */
  readonly unreachable: (remote: string) => void
  /** The remote has taken a task, or canceled some. */
  readonly reachable: (remote: string) => void
  /** The remote lacks tasks that clients were answered for. */
  readonly late: (remote: string) => void
  /** Has tasks canceled there; those that had run. @throws ApiError */
  readonly cancel: (
    remote: string,
    tasks: TaskGroup,
    signal: AbortSignal,
  ) => Promise<readonly number[]>
  /** The remote lacks a task for good, or has one that it should not. @throws StorageError */
  readonly missed: (remote: string, reason: Missed) => Promise<void>
  /** Milliseconds of any clock. */
  readonly now: () => number
  readonly report: (message: string, error: unknown) => void
}

export class Sender {
  readonly remote: string
  readonly #parts: SenderParts
  /** Tasks before this one may have been sent by an earlier process. */
  readonly #firstNew: number
  readonly #waiting = new Map<number, (() => void)[]>()
  #loop: Promise<void> | null = null
  #attempted = -1
  #failingSince: number | null = null
  #isDown = false
  /** The last task whose client was answered before the remote had it; -1: there was none. */
  #late = -1
  /** It answers, and takes nothing: clients have no reason to wait. */
  #isRefusing = false
  #lastError: ApiError | null = null
  #pauseMs = PAUSE_MS
  #isStopped = false
  /** Tasks that the remote has taken, or canceled: a client that waits sees whether it works. */
  #successes = 0
  /** When the remote may be asked again to cancel tasks: writes do not wait for that. */
  #cancelFrom = Number.NEGATIVE_INFINITY
  /** Tasks are being canceled: none is sent before it is known which. */
  #isSuspended = false
  #attempting: Promise<unknown> = Promise.resolve()
  #endPause: () => void = () => undefined
  readonly #abort = new AbortController()

  constructor(remote: string, parts: SenderParts, firstNew: number) {
    this.remote = remote
    this.#parts = parts
    this.#firstNew = firstNew
  }

  /** null: the last attempt succeeded. */
  get lastError(): ApiError | null {
    return this.#lastError
  }

  /** Nothing more is sent until `resume`; resolves when nothing is on its way. */
  async suspend(): Promise<void> {
    this.#isSuspended = true
    await this.#attempting
  }

  resume(): void {
    this.#isSuspended = false
    this.wake()
  }

  /** It has not answered for some time. */
  get isDown(): boolean {
    return this.#isDown
  }

  /** Begins, or tries at once where it pauses. */
  wake(): void {
    this.#endPause()
    if (this.#isStopped || this.#loop !== null) return
    this.#loop = this.#run()
      .catch((error: unknown) => {
        this.#parts.report(`Tasks could not be sent to \`${this.remote}\`.`, error)
      })
      .finally(() => {
        this.#loop = null
        this.#settleAll()
        const isDue = this.#parts.replication.remotesDue().includes(this.remote)
        if (isDue && !this.#isStopped) setTimeout(() => this.wake(), PAUSE_MS).unref()
      })
  }

  /** Resolves when the remote has confirmed the task, or the attempts of its client are over. */
  settled(uid: number): Promise<void> {
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
      timer = this.#isDown
        ? setTimeout(() => void this.#giveUp(uid), this.#isRefusing ? 0 : connectMs)
        : setTimeout(() => void this.#tookTooLong(uid, before), backoffMs + connectMs)
      this.wake()
    })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#abort.abort()
    this.#endPause()
    await this.#loop
    this.#settleAll()
  }

  async #run(): Promise<void> {
    const { replication } = this.#parts
    while (!this.#isStopped && !this.#isSuspended) {
      const [canceled] = await replication.canceledDue(this.remote)
      if (canceled !== undefined && this.#parts.now() >= this.#cancelFrom) {
        const isSent = await this.#cancel(canceled)
        if (!isSent) this.#cancelFrom = this.#parts.now() + CANCEL_PAUSE_MS
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
        await this.#parts.missed(this.remote, 'refused')
        continue
      }
      if (uid <= this.#late || uid < this.#firstNew) this.#parts.late(this.remote)
      const attempt = this.#attempt(task)
      this.#attempting = attempt.catch(() => undefined)
      const isSent = await attempt
      if (!isSent && !this.#isStopped) await this.#pause()
    }
  }

  /** Whether the remote has canceled tasks. */
  async #cancel(tasks: TaskGroup): Promise<boolean> {
    let ran: readonly number[]
    try {
      ran = await this.#parts.cancel(this.remote, tasks, this.#abort.signal)
      this.#succeeded()
    } catch (error) {
      if (this.#abort.signal.aborted) return false
      if (!(error instanceof ApiError)) throw error
      this.#lastError = error
      if (isPassing(error) || MENDABLE.has(error.code)) return this.#failed(error)
      ran = tasks.uids
    }
    for (const uid of tasks.uids) {
      const known = this.#parts.replication.results(uid)[this.remote]
      const result = known?.error === null ? known : unsent()
      await this.#answered(uid, result)
    }
    if (ran.length > 0) await this.#parts.missed(this.remote, 'refused')
    return true
  }

  /** Whether the next task may be sent. */
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
      // It was canceled meanwhile: the remote is told of that next.
      if (this.#parts.replication.isCanceled(uid, this.remote)) return true
      if (taskUid !== null) await this.#answered(uid, { taskUid, error: null })
      else {
        await this.#answered(uid, this.#lastResult(uid))
        await this.#parts.missed(this.remote, 'absent')
      }
      return true
    } catch (error) {
      if (this.#abort.signal.aborted) return false
      if (!(error instanceof ApiError)) throw error
      this.#lastError = error
      if (isPassing(error) || MENDABLE.has(error.code)) return this.#failed(error)
      await this.#answered(uid, { error: error.toBody(), isFinal: true })
      await this.#parts.missed(this.remote, 'refused')
      return true
    }
  }

  /** What the task tells of a remote that will not take it. */
  #lastResult(uid: number): RemoteResult {
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

  async #failed(error: ApiError): Promise<false> {
    const { now, times, failed, unreachable } = this.#parts
    this.#failingSince ??= now()
    if (UNREACHABLE.has(error.code)) unreachable(this.remote)
    this.#isRefusing = !isPassing(error)
    if (this.#isRefusing || now() - this.#failingSince >= times.backoffMs) this.#isDown = true
    if (this.#isDown) for (const uid of [...this.#waiting.keys()]) await this.#giveUp(uid)
    await failed(this.remote, now() - this.#failingSince)
    return false
  }

  /**
   * A client has waited for all the time that it waits. An attempt may last longer than that; a
   * remote that has taken nothing meanwhile does not work.
   */
  async #tookTooLong(uid: number, successesBefore: number): Promise<void> {
    if (this.#successes !== successesBefore) return this.#giveUp(uid, TOO_LATE)
    this.#isDown = true
    for (const waiting of [...this.#waiting.keys()]) await this.#giveUp(waiting, TOO_LATE)
  }

  /** The client of a task has its answer; the task is sent later. */
  async #giveUp(uid: number, reason: ApiError | null = null): Promise<void> {
    this.#late = Math.max(this.#late, uid)
    const { replication } = this.#parts
    const known = replication.results(uid)[this.remote]
    const error = this.#lastError ?? reason
    if (known === undefined && error !== null) {
      await replication.answered(uid, this.remote, { error: error.toBody(), isFinal: false })
    }
    this.#settle(uid)
  }

  async #answered(uid: number, result: RemoteResult): Promise<void> {
    await this.#parts.replication.answered(uid, this.remote, result)
    this.#settle(uid)
  }

  #settle(uid: number): void {
    const waiting = this.#waiting.get(uid) ?? []
    this.#waiting.delete(uid)
    for (const done of waiting) done()
  }

  #settleAll(): void {
    for (const uid of [...this.#waiting.keys()]) this.#settle(uid)
  }

  /** Less than a client waits, so that each gets its attempts. */
  async #pause(): Promise<void> {
    const { backoffMs } = this.#parts.times
    const left = this.#isDown ? PAUSE_MS_MAX : Math.max(50, backoffMs / 2)
    const ms = Math.min(this.#pauseMs, left)
    this.#pauseMs = Math.min(this.#pauseMs * PAUSE_GROWTH, PAUSE_MS_MAX)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#endPause = () => undefined
  }
}

const TOO_LATE = new ApiError('remote_timeout', 'remote host did not answer before the deadline')

/** @throws ApiError remote_bad_response */
function taskUidOf(body: Uint8Array): number {
  const text = Buffer.from(body).toString()
  try {
    const { taskUid } = JSON.parse(text) as { readonly taskUid?: unknown }
    if (typeof taskUid === 'number' && Number.isSafeInteger(taskUid)) return taskUid
  } catch (error) {
    // Neither JSON nor an object: told below.
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error
  }
  throw new ApiError(
    'remote_bad_response',
    'could not parse response from the remote host as a document addition response:\n' +
      `  - response from remote: ${text.slice(0, 1000)}\n` +
      '  - hint: check that the remote instance is a Svc instance running the same version',
  )
}

const finalError = (error: ApiError): RemoteResult => ({ error: error.toBody(), isFinal: true })

const unknownRemote = (remote: string): RemoteResult =>
  finalError(new ApiError('unknown_remote', `Unknown remote \`${remote}\``))

const unsent = (): RemoteResult =>
  finalError(
    new ApiError('remote_could_not_send_request', 'the task was canceled before it was sent'),
  )

const lost = (): RemoteResult =>
  finalError(new ApiError('internal', 'the documents of the task are not there any more'))
