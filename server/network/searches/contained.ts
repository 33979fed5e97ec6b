// Waits until instances contain a task: this one, and those whose shards it searches. Uids are
// those of the leader.
//
// A member knows the newest task that has arrived, and not whether the leader sends it those after
// it: dumps and other tasks concern the leader alone. So it asks the leader about later uids, and
// about all of them while it may lack writes.
import {
  type AnswerState,
  Canceled,
  type Engine,
  type IndexScope,
  type Remote,
  type Send,
  type TaskWait,
} from '../../../engine/index.ts'
import { asTaskUid, type TaskUid } from '../../../format/ids.ts'
import { isValid, number, object, open } from '../../../format/schema/index.ts'
import { ApiError } from '../../errors/index.ts'
import { type CallTimes, callRemote, parsedJson } from '../calls/index.ts'
import type { NetworkCalls } from './network-calls.ts'

type Parts = {
  readonly engine: Engine
  readonly send: Send
  /** Limits of questions to the leader. */
  readonly times: CallTimes
  readonly searches: NetworkCalls
}

/** The task, and the indexes in which it must be visible. */
export type Wanted = {
  readonly uid: TaskUid
  readonly indexes: () => IndexScope
}

/** Milliseconds between two questions to one instance: at first, and at most. */
const PAUSE_MS = 20
const PAUSE_MS_MAX = 500
/** Characters of names of indexes in a question; with more of them it is about all indexes. */
const NAMES_LENGTH_MAX = 4096
const PATH = '/network/contains'

const ARRIVED = open(object<{ readonly upTo: number }>({ upTo: number }))

export class Contained {
  readonly #parts: Parts
  /** The question to the leader that waits for its answer, or null. */
  #asked: Promise<void> | null = null

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Returns the newest task that this instance contains, or null if it may lack writes. */
  newest(indexes: IndexScope): TaskUid | null {
    const newest = this.#parts.engine.visibility.newest(indexes)
    return newest < 0 || this.#lacks ? null : newest
  }

  /** Resolves with false when the time is over. @throws Canceled */
  async own({ uid, indexes }: Wanted, wait: TaskWait): Promise<boolean> {
    const { visibility } = this.#parts.engine
    const isMet = (): boolean =>
      (!this.#lacks || visibility.confirmed >= uid) && visibility.newest(indexes()) >= uid
    if (isMet()) return true
    const stop = new AbortController()
    const mustAsk = (): boolean => this.#lacks || uid > visibility.newestKnown
    void this.#askLeader(stop.signal, mustAsk)
    try {
      return await visibility.until(uid, isMet, wait)
    } finally {
      stop.abort()
    }
  }

  /** Whether this instance may lack writes that others have. */
  get #lacks(): boolean {
    const { topology } = this.#parts.engine
    // One that leaves is no member of the next network.
    const { self, leader } = topology.serving
    return leader !== null && leader !== self && self !== null && topology.lacking.has(self)
  }

  /**
   * Resolves with true when, of each shard that this instance does not search itself, an owner
   * contains the task. @throws Canceled
   */
  async others(wanted: Wanted, { ms, signal }: TaskWait): Promise<boolean> {
    const { searches } = this.#parts
    const { network, remotes, unowned, isSharded } = searches.plan()
    const missing = new Set([
      ...[...remotes.values()].flatMap((own) => own ?? []),
      ...unowned.keys(),
    ])
    if (!isSharded || missing.size === 0) return true
    if (signal.aborted) throw new Canceled()
    const owners = new Map<string, string[]>()
    for (const shard of missing) {
      for (const name of network.shards.get(shard)?.remotes ?? []) {
        if (name !== network.self) owners.set(name, [...(owners.get(name) ?? []), shard])
      }
    }
    const stop = new AbortController()
    const either = AbortSignal.any([signal, stop.signal])
    const end = searches.parts.now() + ms
    const asking = [...owners].map(async ([name, shards]) => {
      const remote = network.remotes.get(name)
      if (remote === undefined || !(await this.#contains(remote, wanted, end, either))) return
      for (const shard of shards) missing.delete(shard)
      if (missing.size === 0) stop.abort()
    })
    await Promise.all(asking)
    if (signal.aborted) throw new Canceled()
    return missing.size === 0
  }

  /** Asks an instance until it contains the task, or the time is over, or the signal aborts. */
  async #contains(
    remote: Remote,
    { uid, indexes }: Wanted,
    end: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { searches } = this.#parts
    const room = searches.room()
    try {
      for (let pause = PAUSE_MS; ; pause = Math.min(pause * 2, PAUSE_MS_MAX)) {
        const left = Math.floor(end - searches.parts.now())
        if (left <= 0 || signal.aborted) return false
        const query = questionOf(uid, indexes(), left)
        const call = { path: `${PATH}?${query}`, body: null, headers: {}, state: NO_STATE }
        // The instance answers at the end of its time.
        const ms = left + searches.parts.connectMs
        try {
          await searches.call(remote, { ...call, ms, signal, take: room.take })
          return true
        } catch (error) {
          if (signal.aborted) return false
          // It is not reachable, or does not contain the task yet.
          if (!(error instanceof ApiError)) throw error
        }
        await paused(Math.min(pause, left), signal)
      }
    } finally {
      room.release()
    }
  }

  /** Asks the leader again and again as long as it is necessary. */
  async #askLeader(signal: AbortSignal, isNecessary: () => boolean): Promise<void> {
    const { engine } = this.#parts
    for (let pause = PAUSE_MS; ; pause = Math.min(pause * 2, PAUSE_MS_MAX)) {
      await paused(pause, signal)
      if (signal.aborted) return
      const { self, leader, remotes } = engine.network.get()
      if (self === null || leader === null || leader === self || !isNecessary()) continue
      const remote = remotes.get(leader)
      if (remote === undefined) continue
      this.#asked ??= this.#ask(self, leader, remote).finally(() => {
        this.#asked = null
      })
      await this.#asked
    }
  }

  /** Asks the leader once for the newest task up to which all have arrived here. */
  async #ask(self: string, leader: string, { url, writeApiKey }: Remote): Promise<void> {
    const { engine, send, times } = this.#parts
    try {
      const bytes = await callRemote(
        send,
        { url },
        {
          method: 'GET',
          path: `/network/arrived?remote=${encodeURIComponent(self)}`,
          body: null,
          headers: {},
          apiKey: writeApiKey,
          times,
          action: 'network.update',
        },
      )
      const answer = parsedJson(bytes)
      if (isValid(ARRIVED, answer)) engine.visibility.arrived(leader, asTaskUid(answer.upTo))
    } catch (error) {
      // The leader is not reachable: it is asked again.
      if (!(error instanceof ApiError)) throw error
    }
  }
}

const NO_STATE: AnswerState | undefined = undefined

function questionOf(uid: TaskUid, indexes: IndexScope, ms: number): string {
  const query = new URLSearchParams({ minTaskUid: String(uid), minTaskTimeout: String(ms) })
  const names = indexes === null || typeof indexes === 'function' ? null : indexes.join(',')
  if (names !== null && names.length <= NAMES_LENGTH_MAX) query.set('indexUids', names)
  return query.toString()
}

/** Resolves after `ms` milliseconds, or when the signal aborts. */
const paused = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
