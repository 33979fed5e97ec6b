// A network of instances under fire: clients write and search all the time, while instances are
// killed, paused, cut off, added and removed, one outage at a time. A round is an outage, a change
// of the network, or both at the same time.
//
// Expected: no search on any member ever returns missing or duplicate hits, or an error; and when
// the network is idle, every acknowledged write has taken effect exactly once.
import { rmSync } from 'node:fs'
import { pause } from './ask.ts'
import { changeNetwork, settleNetwork } from './network-changes.ts'
import { OUTAGES, type Outage, outage } from './network-outages.ts'
import {
  type Counts,
  formNetwork,
  type NetworkOptions,
  type NetworkSession,
} from './network-session.ts'
import { traffic } from './network-traffic.ts'
import { verifyNetwork } from './network-verify.ts'

export const ROUNDS = ['kill', 'stop', 'drop', 'hold', 'change', 'both', 'cancel'] as const
export type RoundKind = (typeof ROUNDS)[number]

export type FireOptions = NetworkOptions & {
  readonly rounds: number
  /** The kinds of rounds to draw from. */
  readonly kinds: readonly RoundKind[]
  /** Whether the kinds are used one after another instead of drawn. */
  readonly inTurn?: boolean
  /** Milliseconds of the longest outage. */
  readonly outageMs: number
  /** Number of rounds between two verifications. */
  readonly verifyEvery: number
  /** Milliseconds after which no new round begins. */
  readonly msMax: number
  readonly onRound?: (round: number, what: string) => void
}

export type FireReport = {
  readonly rounds: number
  readonly counts: Counts
  readonly changes: number
  readonly canceled: number
  readonly outages: { readonly [kind: string]: number }
  readonly documents: number
  readonly tasks: number
  readonly settledMs: readonly number[]
  /** The violated expectations; empty if all hold. */
  readonly problems: readonly string[]
  /** The folder of the databases, which is kept if there are problems. */
  readonly root: string
}

export async function networkFire(options: FireOptions): Promise<FireReport> {
  const session = await formNetwork(options)
  const run = new Run(session, options)
  try {
    await run.rounds()
  } catch (error) {
    session.problem(error instanceof Error ? (error.stack ?? error.message) : String(error))
  } finally {
    session.isEnding = true
    await session.stop()
  }
  if (session.problems.length === 0) rmSync(session.root, { recursive: true })
  return run.report()
}

class Run {
  readonly #session: NetworkSession
  readonly #options: FireOptions
  readonly #outages: { [kind: string]: number } = {}
  readonly #settledMs: number[] = []
  #done = 0
  #changes = 0
  #canceled = 0
  #documents = 0
  #tasks = 0

  constructor(session: NetworkSession, options: FireOptions) {
    this.#session = session
    this.#options = options
  }

  async rounds(): Promise<void> {
    const { rounds, verifyEvery, msMax } = this.#options
    const session = this.#session
    const end = performance.now() + msMax
    while (this.#done < rounds && performance.now() < end && session.problems.length === 0) {
      session.isEnding = false
      const clients = traffic(session)
      try {
        for (let i = 0; i < verifyEvery && this.#done < rounds; i++) {
          await this.#round()
          if (session.problems.length > 0 || performance.now() >= end) break
        }
        await settleNetwork(session)
      } finally {
        session.isEnding = true
        await clients
      }
      const { documents, tasks, settledMs } = await verifyNetwork(session)
      this.#documents = documents
      this.#tasks = tasks
      this.#settledMs.push(settledMs)
    }
  }

  report(): FireReport {
    const { counts, problems, root } = this.#session
    return {
      rounds: this.#done,
      counts,
      changes: this.#changes,
      canceled: this.#canceled,
      outages: this.#outages,
      documents: this.#documents,
      tasks: this.#tasks,
      settledMs: this.#settledMs,
      problems,
      root,
    }
  }

  async #round(): Promise<void> {
    const session = this.#session
    const { kinds, onRound } = this.#options
    const { inTurn = false } = this.#options
    const kind = inTurn ? kinds[this.#done % kinds.length]! : session.pick(kinds)
    this.#done++
    onRound?.(this.#done, kind)
    if (kind === 'change') await this.#change(-1)
    else if (kind === 'cancel') await this.#change(session.random.below(1500))
    else if (kind === 'both') {
      const later = pause(session.random.below(800)).then(() => this.#outage(session.pick(OUTAGES)))
      await Promise.all([this.#change(-1), later])
    } else await this.#outage(kind)
    await pause(session.random.below(800))
  }

  async #outage(kind: Outage): Promise<void> {
    const session = this.#session
    const able = [...session.members]
    this.#outages[kind] = (this.#outages[kind] ?? 0) + 1
    await outage(session, session.pick(able), kind, session.random.below(this.#options.outageMs))
  }

  async #change(cancelMs: number): Promise<void> {
    this.#changes++
    if (cancelMs >= 0) this.#canceled++
    await changeNetwork(this.#session, cancelMs)
  }
}
