// Runs one topology change on this instance from state to state: waits for older tasks, sends
// documents, waits for documents of others, searches by the new network when every instance has its
// documents, and deletes documents of lost shards when every instance searches that way.
//
// After a restart it begins again; documents and messages that arrive twice count once.
import {
  type Engine,
  type ExporterProgress,
  importingText,
  mayBeAway,
  type Network,
  STATE_TEXTS,
  type TopologyChange,
  waitingText,
} from '../../../engine/index.ts'
import { remoteCodeOf } from '../calls/index.ts'
import { warmSearches } from '../searches/index.ts'
import type { ChangeCalls } from './change-calls.ts'
import { ExportPieces } from './export-pieces.ts'
import { type ExportParts, exportTo } from './exporter.ts'

/** Interval at which messages are repeated. */
const RESEND_MS = 1000
/** Interval at which a waiting member polls the leader for the status of the change. */
const POLL_MS = 5000
/** How long the change waits for a silent remote that leaves the network. */
const LEAVING_MS = 30_000

export type FollowerParts = Omit<ExportParts, 'signal' | 'pieces'> & {
  readonly engine: Engine
  readonly calls: ChangeCalls
  /** Milliseconds of any clock. */
  readonly now: () => number
  /** Resolves when the state may have changed. */
  readonly pause: () => Promise<void>
}

/** One of the two states in which an instance waits for messages of the others. */
type Round = {
  /** The message of this instance; it is repeated until every other instance has received it. */
  readonly message: { readonly successful: boolean; readonly routed: boolean }
  /** Returns the members whose message has arrived. */
  readonly received: () => readonly string[]
  /** `pending`: members whose message is missing; `unacked`: those that have not confirmed ours. */
  readonly isEnough: (pending: readonly string[], unacked: readonly string[]) => boolean
}

export class ChangeFollower {
  readonly #parts: FollowerParts
  readonly #change: TopologyChange
  readonly #signal: AbortSignal
  readonly #self: string
  #polledAt = Number.NEGATIVE_INFINITY
  /**
   * True if this instance leaves and the leader has finished: all members have their documents and
   * use the new network.
   */
  #isOver = false
  #hasExported = false

  constructor(parts: FollowerParts, change: TopologyChange, signal: AbortSignal) {
    this.#parts = parts
    this.#change = change
    this.#signal = signal
    this.#self = change.after.self ?? change.before.self ?? ''
  }

  /**
   * Resolves when the change has ended on this instance. @throws ApiError, StorageError, Error if
   * the change was aborted
   */
  async run(): Promise<void> {
    const { topology } = this.#parts.engine
    const change = this.#change
    const leader = this.#leader
    // The change may have ended while this instance was down.
    await this.#pollLeader()
    if (!topology.isRouted) {
      await this.#moveDocuments()
      await this.#round({
        message: { successful: true, routed: false },
        received: () => finishedOf(topology.messages().finished),
        isEnough: (pending) =>
          leader === this.#self
            ? pending.length === 0
            : topology.messages().routed.includes(leader),
      })
      if (this.#hasFailed()) return this.#fail()
      // The leader switches first: from then on clients cannot cancel the change, because other
      // instances may be deleting documents.
      await topology.route(change)
    }
    await this.#round({
      message: { successful: true, routed: true },
      received: () => topology.messages().routed,
      isEnough: (pending, unacked) => pending.length === 0 && unacked.length === 0,
    })
    await topology.showProgress(change, STATE_TEXTS.deletingDocuments)
    await this.#end()
  }

  get #leader(): string {
    return this.#change.origin.remoteName
  }

  /** Remotes of the new network. */
  get #members(): readonly string[] {
    return [...this.#change.after.remotes.keys()]
  }

  async #moveDocuments(): Promise<void> {
    const { engine, now } = this.#parts
    const { topology } = engine
    const change = this.#change
    if (topology.hasOlderTasks())
      await topology.showProgress(change, STATE_TEXTS.waitingForOlderTasks)
    await this.#until(() => !topology.hasOlderTasks())
    if (this.#isOver) return
    await topology.clean(change)
    await this.#until(() => topology.isClean)
    await topology.showProgress(change, STATE_TEXTS.exportingDocuments)
    // An export uses a search thread, so that searches need another one.
    await this.#warm(topology.serving)
    const failed: { error?: unknown } = {}
    const over = new AbortController()
    const exports = this.#exports(AbortSignal.any([this.#signal, over.signal])).catch(
      (error: unknown) => {
        failed.error = error
      },
    )
    const began = now()
    await this.#until(async () => {
      if ('error' in failed) throw failed.error
      await this.#pollLeader()
      if (this.#isOver) return true
      const exporters = topology.exporters(change)
      if (exporters.every((one) => one.isFinished || this.#isGivenUp(one, now() - began))) {
        return true
      }
      const isWaiting = exporters.some(({ isFinished }) => isFinished)
      await topology.showProgress(change, importingText(exporters), isWaiting)
      return this.#hasFailed()
    })
    if (this.#isOver) return over.abort()
    if (!this.#hasFailed()) await this.#untilExported(exports, over)
    if (this.#isOver) return
    if ('error' in failed) throw failed.error
    const { after, origin } = change
    if (after.self === null) return
    const isWhole = topology.exporters(change).every(({ hasFailed }) => !hasFailed)
    if (isWhole) await this.#warm(after)
    await topology.importFinished(origin, after.self, isWhole, false)
  }

  #warm(network: Network): Promise<void> {
    const { engine, now } = this.#parts
    return warmSearches(engine, network, { now, signal: this.#signal })
  }

  /** Waits for the exports, or until the leader has finished without them. */
  async #untilExported(exports: Promise<void>, over: AbortController): Promise<void> {
    let hasEnded = false
    const ending = exports.then(() => {
      hasEnded = true
    })
    await this.#until(async () => {
      if (!hasEnded) await this.#pollLeader()
      return hasEnded || this.#isOver
    })
    if (this.#isOver) over.abort()
    await ending
  }

  /** Sends documents to all remotes at the same time. */
  async #exports(signal: AbortSignal): Promise<void> {
    const pieces = new ExportPieces(this.#parts.now)
    const parts = { ...this.#parts, signal, pieces }
    const others = this.#members.filter((name) => name !== this.#self)
    await Promise.all(others.map((name) => exportTo(parts, this.#change, name)))
    this.#hasExported = true
  }

  /** Returns true if the change no longer waits for a silent exporter. */
  #isGivenUp({ remote, hasBegun }: ExporterProgress, waitedMs: number): boolean {
    const { topology } = this.#parts.engine
    if (topology.isNeeded(this.#change, remote)) {
      return mayBeAway(this.#change, remote) && !hasBegun && waitedMs >= LEAVING_MS
    }
    return mayBeAway(this.#change, remote) || waitedMs >= LEAVING_MS
  }

  #hasFailed(): boolean {
    const { finished } = this.#parts.engine.topology.messages()
    return this.#members.some((name) => finished[name] === false)
  }

  /** Fails the change because an instance could not import; all documents stay in their places. */
  async #fail(): Promise<void> {
    const { topology } = this.#parts.engine
    const { finished } = topology.messages()
    const failed = this.#members.filter((name) => finished[name] === false)
    const message = { successful: !failed.includes(this.#self), routed: false }
    const acked = new Set<string>([this.#self])
    let sendAt = 0
    // The leader must know before the change ends here; it notifies the others.
    await this.#until(async () => {
      if (this.#parts.now() < sendAt) return false
      sendAt = this.#parts.now() + RESEND_MS
      await this.#broadcast(message, acked, true)
      return acked.has(this.#leader)
    })
    topology.fail(this.#change, failed)
    await this.#until(() => topology.change?.uid !== this.#change.uid)
  }

  async #end(): Promise<void> {
    const { topology } = this.#parts.engine
    const change = this.#change
    // The others have not waited for documents that only this instance has.
    const isMissed = this.#isOver && !this.#hasExported && mayBeAway(change, this.#self)
    topology.complete(change, isMissed && topology.isNeeded(change, this.#self))
    await this.#until(() => topology.change?.uid !== change.uid)
  }

  /** Repeats the message of a round until enough members have sent theirs. */
  async #round({ message, received, isEnough }: Round): Promise<void> {
    const { engine, now } = this.#parts
    const { topology } = engine
    const change = this.#change
    const { remotes } = change.after
    const acked = new Set<string>()
    const began = now()
    let sendAt = 0
    await this.#until(async () => {
      if (this.#isOver || this.#hasFailed()) return true
      const known = received()
      const pending = this.#members.filter((name) => !known.includes(name) && name !== this.#self)
      if (now() >= sendAt) {
        sendAt = now() + RESEND_MS
        await this.#broadcast(message, acked)
      }
      // A remote that leaves gets the message, but may be gone: the wait for it is limited.
      const hasTime = now() - began < LEAVING_MS
      const unacked = this.#others.filter(
        (name) => !acked.has(name) && !mayBeAway(change, name) && (hasTime || remotes.has(name)),
      )
      if (isEnough(pending, unacked)) return true
      const missing = pending.length > 0 ? pending : unacked.length > 0 ? unacked : [this.#leader]
      const others = this.#members.filter((name) => name !== this.#self)
      const done = others.length - pending.length
      await topology.showProgress(change, waitingText(missing, done))
      await this.#pollLeader()
      return false
    })
  }

  /** Remotes of the networks before and after, without this instance. */
  get #others(): readonly string[] {
    const { before, after } = this.#change
    const names = new Set([...before.remotes.keys(), ...after.remotes.keys()])
    names.delete(this.#self)
    return [...names]
  }

  /** `isEnding`: instances without the change need no message. */
  async #broadcast(message: Round['message'], acked: Set<string>, isEnding = false): Promise<void> {
    const { engine, calls } = this.#parts
    const change = this.#change
    const { before, after } = change
    const whole = { type: 'importFinishedForRemote', remote: this.#self, ...message }
    const calling = this.#others.map(async (name) => {
      if (acked.has(name)) return
      const remote = after.remotes.get(name) ?? before.remotes.get(name)!
      const failure = await calls.sendMessage(change, remote, whole, this.#signal)
      // An instance that has finished has forgotten the change; this one may not know that yet.
      const isOver = remoteCodeOf(failure) === 'import_task_without_network_task'
      const isAcked = failure === null || failure.code === 'remote_bad_request'
      const { routed } = engine.topology.messages()
      if (isAcked || (isOver && (isEnding || routed.includes(name)))) acked.add(name)
    })
    await Promise.all(calling)
  }

  /** Polls the leader, because its message about the end of the change may be lost. */
  async #pollLeader(): Promise<void> {
    const { calls, engine, now } = this.#parts
    const change = this.#change
    if (this.#leader === this.#self || now() < this.#polledAt + POLL_MS) return
    this.#polledAt = now()
    const status = await calls.statusOnLeader(change, this.#signal)
    if (status === 'canceled' || status === 'failed') await engine.topology.cancel(change)
    // The leader waits for members in each state, but only briefly for an instance that leaves.
    if (status === 'succeeded' && change.after.self === null) this.#isOver = true
  }

  /** Waits until `holds` returns true. @throws Error if the change was aborted */
  async #until(holds: () => boolean | Promise<boolean>): Promise<void> {
    for (;;) {
      if (this.#signal.aborted) throw new Error('the change is over')
      if (await holds()) return
      await this.#parts.pause()
    }
  }
}

const finishedOf = (finished: { readonly [remote: string]: boolean }): readonly string[] =>
  Object.keys(finished).filter((name) => finished[name] === true)
