// On the leader: gives remotes with old documents their shards anew, by a change of the network
// that moves nothing else. Writes wait on all instances while it runs, so it begins when every
// member answers, and is canceled when one of them does not answer any more.
import {
  type AcceptedTask,
  type Engine,
  type Network,
  NO_FILTER,
  type Remote,
  type Send,
  type TopologyChange,
} from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import { type CallTimes, callRemote } from './remote-call.ts'

/** How often it is looked whether there is something to do. */
const LOOK_MS = 1000
/** Pauses between attempts: the first, and the longest. */
const PAUSE_MS = 2000
const PAUSE_MS_MAX = 600_000
/** How long a member may be away before a renewal is canceled, so that writes go on. */
const AWAY_MS = 20_000

export type RenewalParts = {
  readonly engine: Engine
  readonly send: Send
  readonly times: CallTimes
  /** Milliseconds of any clock. */
  readonly now: () => number
  /** Begins a renewal; null: no remote can get its shards. @throws ApiError, EngineFault */
  readonly renew: () => Promise<AcceptedTask | null>
  /** Tells remotes with old documents of the network: they may wait for a change that is over. */
  readonly tell: () => Promise<void>
  readonly report: (message: string, error: unknown) => void
}

export class Renewals {
  readonly #parts: RenewalParts
  readonly #abort = new AbortController()
  #timer: NodeJS.Timeout | null = null
  #looking: Promise<void> = Promise.resolve()
  #notBefore = 0
  #pauseMs = PAUSE_MS
  /** The renewal that ran when it was last looked. */
  #running: string | null = null
  /** Since when a member does not answer. */
  readonly #awaySince = new Map<string, number>()

  constructor(parts: RenewalParts) {
    this.#parts = parts
  }

  start(): void {
    const look = (): void => {
      this.#looking = this.#look()
        .catch((error: unknown) => {
          this.#parts.report('Old documents of an instance could not be replaced.', error)
        })
        .finally(() => {
          if (!this.#abort.signal.aborted) this.#timer = setTimeout(look, LOOK_MS).unref()
        })
    }
    look()
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#looking
  }

  async #look(): Promise<void> {
    const { engine, now } = this.#parts
    const network = engine.network.get()
    if (network.leader === null || network.leader !== network.self) return
    const { change } = engine.topology
    if (change !== null) return this.#watch(change)
    this.#awaySince.clear()
    if (this.#running !== null) this.#ended()
    const isStale = [...network.remotes.keys()].some((name) => engine.replication.stale().has(name))
    if (isStale && now() >= this.#notBefore) await this.#begin()
  }

  /** The next renewal waits longer where the last one has not helped. */
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
    const { now, renew, tell } = this.#parts
    try {
      await tell()
      await renew()
    } catch (error) {
      // A member that is away, or that has a change of its own: both pass.
      if (!(error instanceof ApiError)) throw error
    }
    // Members that are away are asked often: each is asked for two short answers.
    this.#notBefore = now() + PAUSE_MS
  }

  /** Cancels a renewal that a member keeps from ending. What else a change does is the client's. */
  async #watch(change: TopologyChange): Promise<void> {
    const { engine, now, report } = this.#parts
    if (!isRenewal(change)) return
    this.#running = change.after.version
    const { remotes, self } = change.after
    const others = [...remotes].filter(([name]) => name !== self)
    await Promise.all(others.map(([name, remote]) => this.#probe(name, remote)))
    const away = [...this.#awaySince].find(([, since]) => now() - since >= AWAY_MS)
    if (away === undefined || engine.topology.change?.uid !== change.uid) return
    report(`\`${away[0]}\` does not answer: replacing old documents is put off.`, null)
    this.#awaySince.clear()
    const filter = { ...NO_FILTER, uids: [change.uid] }
    await engine.enqueueCancelation(filter, `?uids=${change.uid}`, null)
  }

  async #probe(name: string, remote: Remote): Promise<void> {
    const { send, times, now } = this.#parts
    try {
      await callRemote(send, remote, {
        method: 'GET',
        path: '/health',
        body: null,
        headers: {},
        apiKey: null,
        times: { connectMs: times.connectMs, requestMs: times.connectMs },
        action: 'search',
        signal: this.#abort.signal,
      })
      this.#awaySince.delete(name)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (!this.#awaySince.has(name)) this.#awaySince.set(name, now())
    }
  }
}

/** A change that replaces old documents and does nothing else. */
const isRenewal = ({ before, after, renewed }: TopologyChange): boolean =>
  renewed.length > 0 && JSON.stringify(placesOf(before)) === JSON.stringify(placesOf(after))

const placesOf = ({ remotes, shards }: Network): unknown => [[...remotes.keys()], [...shards]]
