// Resyncs, run by the leader: changes of the network that only send stale remotes their shards
// again. Writes wait on all instances meanwhile, so a resync begins when every member answers, and
// is canceled if one stops answering. Any change is canceled that waits for an instance which will
// not get its task.
import {
  type AcceptedTask,
  type Engine,
  type Network,
  NO_FILTER,
  type Remote,
  type Send,
  type TopologyChange,
} from '../../../engine/index.ts'
import type { TaskUid } from '../../../format/ids.ts'
import { ApiError } from '../../errors/index.ts'
import { type CallTimes, probe } from '../calls/index.ts'

/** Interval at which the need for a resync is checked. */
const CHECK_MS = 1000
/** The first and the longest pause between attempts. */
const PAUSE_MS = 2000
const PAUSE_MS_MAX = 600_000
/** A resync is canceled after a member was unreachable for this time, so that writes continue. */
const UNREACHABLE_MS = 20_000

export type ResyncParts = {
  readonly engine: Engine
  readonly send: Send
  readonly times: CallTimes
  /** Milliseconds of any clock. */
  readonly now: () => number
  /**
   * Registers a resync; returns null if no remote can be resynchronised. @throws ApiError,
   * EngineFault
   */
  readonly resync: () => Promise<AcceptedTask | null>
  /** Sends stale remotes the network, because they may wait for a change that has ended. */
  readonly notifyStale: () => Promise<void>
  readonly report: (message: string, error: unknown) => void
}

export class ResyncScheduler {
  readonly #parts: ResyncParts
  readonly #abort = new AbortController()
  #timer: NodeJS.Timeout | null = null
  #checking: Promise<void> = Promise.resolve()
  #notBefore = 0
  #pauseMs = PAUSE_MS
  /** The version of the resync that ran at the last check. */
  #running: string | null = null
  /** The last change whose cancelation was registered; it waits for the batch that runs. */
  #canceled: TaskUid | null = null
  /** Time since which a member does not answer, by name. */
  readonly #unreachableSince = new Map<string, number>()

  constructor(parts: ResyncParts) {
    this.#parts = parts
  }

  start(): void {
    const check = (): void => {
      this.#checking = this.#check()
        .catch((error: unknown) => {
          this.#parts.report('Old documents of an instance could not be replaced.', error)
        })
        .finally(() => {
          if (!this.#abort.signal.aborted) this.#timer = setTimeout(check, CHECK_MS).unref()
        })
    }
    check()
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#checking
  }

  async #check(): Promise<void> {
    const { engine, now } = this.#parts
    const network = engine.network.get()
    if (network.leader === null || network.leader !== network.self) return
    const { change } = engine.topology
    if (change !== null) return this.#watch(change)
    this.#unreachableSince.clear()
    if (this.#running !== null) this.#ended()
    const isStale = [...network.remotes.keys()].some((name) => engine.replication.stale().has(name))
    if (isStale && now() >= this.#notBefore) await this.#begin()
  }

  /** Extends the pause if the last resync did not help. */
  #ended(): void {
    const { engine, now } = this.#parts
    this.#running = null
    if (engine.replication.stale().size === 0) this.#pauseMs = PAUSE_MS
    else {
      this.#notBefore = now() + this.#pauseMs
      this.#pauseMs = Math.min(this.#pauseMs * 2, PAUSE_MS_MAX)
    }
  }

  async #begin(): Promise<void> {
    const { now, resync, notifyStale } = this.#parts
    try {
      await notifyStale()
      await resync()
    } catch (error) {
      // A member is unreachable or has another change; both are temporary.
      if (!(error instanceof ApiError)) throw error
    }
    // Unreachable members are called often; that costs two short requests each.
    this.#notBefore = now() + PAUSE_MS
  }

  /**
   * Cancels a change that cannot end, and a resync that an absent member blocks. Whether other
   * changes wait for an absent member is left to clients.
   */
  async #watch(change: TopologyChange): Promise<void> {
    const { now } = this.#parts
    if (isResync(change)) this.#running = change.after.version
    const without = this.#withoutTask(change)
    if (without !== undefined) {
      return this.#cancel(
        change,
        `\`${without}\` refuses tasks: the change of the network is canceled.`,
      )
    }
    if (!isResync(change)) return
    const { remotes, self } = change.after
    const others = [...remotes].filter(([name]) => name !== self)
    await Promise.all(others.map(([name, remote]) => this.#probe(name, remote)))
    const unreachable = [...this.#unreachableSince].find(
      ([, since]) => now() - since >= UNREACHABLE_MS,
    )
    if (unreachable === undefined) return
    this.#unreachableSince.clear()
    await this.#cancel(
      change,
      `\`${unreachable[0]}\` does not answer: replacing old documents is put off.`,
    )
  }

  /** Returns an instance that the change waits for although its task will not be sent to it. */
  #withoutTask(change: TopologyChange): string | undefined {
    const { replication, topology } = this.#parts.engine
    const { uid, before, after, absent } = change
    const results = replication.results(uid)
    return [...new Set([...before.remotes.keys(), ...after.remotes.keys()])].find((name) => {
      if (name === after.self || absent.includes(name)) return false
      const oldest = replication.oldestDue(name)
      const isDue = oldest !== null && oldest <= uid
      return !isDue && results[name]?.error !== null && topology.isNeeded(change, name)
    })
  }

  async #cancel({ uid }: TopologyChange, reason: string): Promise<void> {
    const { engine, report } = this.#parts
    if (engine.topology.change?.uid !== uid || this.#canceled === uid) return
    report(reason, null)
    await engine.tasks.enqueueCancelation({ ...NO_FILTER, uids: [uid] }, `?uids=${uid}`, null)
    this.#canceled = uid
  }

  async #probe(name: string, remote: Remote): Promise<void> {
    const { send, times, now } = this.#parts
    try {
      await probe(send, remote, times.connectMs, this.#abort.signal)
      this.#unreachableSince.delete(name)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (!this.#unreachableSince.has(name)) this.#unreachableSince.set(name, now())
    }
  }
}

/** Returns true if the change only resynchronises stale remotes. */
const isResync = ({ before, after, renewed }: TopologyChange): boolean =>
  renewed.length > 0 && JSON.stringify(placesOf(before)) === JSON.stringify(placesOf(after))

const placesOf = ({ remotes, shards }: Network): unknown => [[...remotes.keys()], [...shards]]
