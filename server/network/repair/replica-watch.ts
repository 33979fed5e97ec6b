// Compares the replicas of all instances, on request and periodically on the leader, and computes
// the effect of a change of the network.
import { setTimeout as sleep } from 'node:timers/promises'
import { mergeNetwork, type Network, type NetworkPatch } from '../../../engine/index.ts'
import { urlProblem } from '../../parse/schema/index.ts'
import { compareDigests, type ReplicaReport, type Verdict } from './compare-digests.ts'
import { type AllDigests, allDigests, type DigestParts } from './digests.ts'
import { type ChangePlan, planChange } from './plan-change.ts'
import { type UnclearShard, wrongShards } from './wrong-shards.ts'

/** Number of comparisons, and pause between them, while instances differ and tasks run. */
const ROUNDS = 20
const PAUSE_MS = 250
/** Interval at which the leader checks for changes, and the quiet time before it compares. */
const CHECK_MS = 10_000
const QUIET_CHECKS = 2
/** Pause between repairs without a request: one that does not last has another cause. */
const REPAIR_PAUSE_MS = 3_600_000

export type ReplicaParts = DigestParts & {
  /** Milliseconds of any clock. */
  readonly now: () => number
  readonly report: (message: string, error: unknown) => void
  /** Between comparisons while instances differ and tasks run; absent means PAUSE_MS. */
  readonly pauseMs?: number
}

/** A started repair. */
export type Repair = {
  readonly verdict: Verdict
  /** By instance: the shards that will be sent to it again; definitions are always sent. */
  readonly repaired: { readonly [instance: string]: readonly string[] }
  readonly unclear: readonly UnclearShard[]
}

export class ReplicaWatch {
  readonly #parts: ReplicaParts
  readonly #abort = new AbortController()
  #timer: NodeJS.Timeout | null = null
  #checking: Promise<void> = Promise.resolve()
  /** Result of the last comparison, or null if data have changed since. */
  #verdict: Verdict | null = null
  /** State of the database at the last check, and the number of checks with that state. */
  #seen = { sign: '', checks: 0 }
  /** Time of the last repair without a request. */
  #repairedAt = Number.NEGATIVE_INFINITY

  constructor(parts: ReplicaParts) {
    this.#parts = parts
  }

  /** Whether all replicas are equal, or null if unknown. */
  get areEqual(): boolean | null {
    if (this.#parts.engine.replication.stale().size > 0) return false
    const verdict = this.#verdict
    if (verdict === 'equal') return true
    return verdict === 'different' ? false : null
  }

  start(): void {
    const next = (): void => {
      this.#timer = setTimeout(() => {
        this.#checking = this.#check()
          .catch((error: unknown) => {
            if (this.#abort.signal.aborted) return
            this.#parts.report('Replicas could not be compared.', error)
          })
          .finally(() => {
            if (!this.#abort.signal.aborted) next()
          })
      }, CHECK_MS).unref()
    }
    next()
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#checking
  }

  /** Compares once after each period of writes. */
  async #check(): Promise<void> {
    const { engine } = this.#parts
    const { leader, self, version } = engine.network.get()
    if (leader === null || leader !== self) return
    const { lastUpdate } = engine.administration.stats(null)
    const isBusy = !engine.replication.isIdle || engine.replication.remotesDue().length > 0
    const sign = JSON.stringify([version, lastUpdate, isBusy, engine.replication.stale().size])
    const isSame = sign === this.#seen.sign
    this.#seen = { sign, checks: isSame ? this.#seen.checks + 1 : 1 }
    if (!isSame) this.#verdict = null
    if (isBusy || this.#verdict !== null || this.#seen.checks < QUIET_CHECKS) return
    const compared = await this.#compared()
    const { verdict, differences } = compared.replicas
    this.#verdict = verdict === 'unsettled' ? null : verdict
    const [first] = differences
    if (verdict !== 'different' || first === undefined) return
    const { index, shard, instance } = first
    const place = `index \`${index}\`, shard \`${shard ?? 'all'}\`, instance \`${instance}\``
    this.#parts.report(`Replicas differ: ${place}, ${differences.length} differences.`, null)
    const { now } = this.#parts
    if (now() - this.#repairedAt < REPAIR_PAUSE_MS) return
    this.#repairedAt = now()
    await this.#repair(compared, [])
  }

  /**
   * Sends the shards that differ again, to the instances that are wrong and to those that are
   * `named`. Returns when that is durable; a change of the network does it. @throws StorageError
   */
  async repair(named: readonly string[]): Promise<Repair> {
    return this.#repair(await this.#compared(), named)
  }

  async #repair({ replicas, network, all }: Compared, named: readonly string[]): Promise<Repair> {
    const { replication } = this.#parts.engine
    const { verdict } = replicas
    if (verdict !== 'different') return { verdict, repaired: {}, unclear: [] }
    const { wrong, unclear } = wrongShards(network, all, replication.stale(), named)
    for (const [instance, shards] of wrong) await replication.markSuspect(instance, shards)
    return { verdict, repaired: Object.fromEntries(wrong), unclear }
  }

  /** Compares all instances; waits some time for different ones to settle. @throws StorageError */
  async compare(): Promise<ReplicaReport> {
    return (await this.#compared()).replicas
  }

  async #compared(): Promise<Compared> {
    for (let round = 1; ; round++) {
      const network = this.#parts.engine.topology.serving
      const all = await allDigests(this.#parts, network, null, this.#abort.signal)
      const replicas = compareDigests(network, all)
      const isDue = this.#parts.engine.replication.remotesDue().length > 0
      const mayChange =
        replicas.verdict === 'unsettled' || (replicas.verdict === 'different' && isDue)
      // A difference must be seen twice: the instances are not read at the same moment.
      const needsConfirmation = replicas.verdict === 'different' && round === 1
      if ((!mayChange && !needsConfirmation) || round === ROUNDS) {
        const isOpen = isDue && replicas.verdict === 'different'
        const shown = isOpen ? { ...replicas, verdict: 'unsettled' as const } : replicas
        return { replicas: shown, network, all }
      }
      await sleep(this.#parts.pauseMs ?? PAUSE_MS, undefined, { ref: false })
    }
  }

  /** Computes the effect of a change. @throws EngineFault like the change, StorageError */
  async plan(patch: NetworkPatch): Promise<ChangePlan> {
    const { network, topology } = this.#parts.engine
    const current = network.get()
    const after = mergeNetwork(current, patch, { version: current.version, urlProblem })
    // After a canceled change documents are still where they were before it.
    const before = topology.serving
    const next = [...after.shards.keys()]
    const members = { self: current.self, remotes: new Map([...after.remotes, ...before.remotes]) }
    const all = await allDigests(this.#parts, members, next, this.#abort.signal)
    return planChange(before, after, all)
  }
}

type Compared = {
  readonly replicas: ReplicaReport
  readonly network: Network
  readonly all: AllDigests
}
