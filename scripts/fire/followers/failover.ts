// A writer and its standby followers over one object store, with a writer lease, while clients
// write: in each round one of them is killed, stopped, cut off or set to another time, or the store
// fails. Afterwards there was one writer at a time, a new one in time, and no acknowledged write is
// lost.
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Random, randomOf } from '../../../engine/store/storage/index.ts'
import type { Trouble } from '../../../server/testing/index.ts'
import { pause, untilHolds, untilIdle } from '../parts/client.ts'
import { expectSound, newFolder } from '../parts/database.ts'
import { chosen, type Report, type Run } from '../parts/report.ts'
import { processorWaitMs } from '../parts/stalls.ts'
import { FireStore, StoreWay, storeWords, type WayRequest } from '../parts/store.ts'
import { orderFaults, type Shown, WriteLedger } from './failover-checks.ts'
import { DISTURBANCES, type Disturbance, type Disturbed } from './failover-disturbances.ts'
import { FailoverClients, isAcknowledged, WRITTEN_INDEXES, type Write } from './failover-writes.ts'
import { StandbyInstance } from './instance.ts'

export type FailoverOptions = {
  readonly seed: number
  readonly rounds: number
  readonly kinds: readonly Disturbance[]
  /** By default the seed decides. */
  readonly mode?: 'sync' | 'interval'
}

export type FailoverRound = {
  readonly kind: Disturbance
  readonly leaseMs: number
  /** From the disturbance, or its end, to the first acknowledged write. */
  readonly takeOverMs: number
  /** Whether another process became the writer. */
  readonly isTakenOver: boolean
}

export type FailoverReport = {
  readonly rounds: readonly FailoverRound[]
  readonly acknowledged: number
  /** Acknowledged writes of `interval` that were lost, and saved in the old writer's folder. */
  readonly saved: number
  readonly faults: readonly string[]
}

export const ALL_KINDS = Object.keys(DISTURBANCES) as Disturbance[]
/** Rounds of one session; the next one begins with an empty store. */
const SESSION_ROUNDS = 10
const KEY = 'a master key for take-overs'
/** For everything that has no limit of its own: a fault if it is exceeded. */
const SETTLE_MS_MAX = 60_000
const CLIENTS = 3
const POLL_MS = 10
const ALL = 10_000_000

class FailoverSession implements Disturbed {
  readonly root = newFolder()
  readonly random: Random
  readonly store: FireStore
  readonly mode: 'sync' | 'interval'
  readonly leaseMs: number
  readonly faults: string[] = []
  readonly instances: StandbyInstance[] = []
  readonly ledger = new WriteLedger()
  clients: FailoverClients
  events: string[] = []
  /** The duration of the disturbance, set by it. */
  #from = 0
  #isTakenOver = false
  #takeOverMs = 0
  #waitedMs = 0

  constructor(store: FireStore, options: FailoverOptions) {
    this.random = randomOf(options.seed)
    this.store = store
    const isInterval = this.random.below(3) === 0
    this.mode = options.mode ?? (isInterval ? 'interval' : 'sync')
    this.leaseMs = 2000 + 1000 * this.random.below(2)
    this.clients = new FailoverClients(this.instances, this.random)
  }

  async begin(): Promise<void> {
    const count = 2 + this.random.below(2)
    const lease = ['--objstore-writer-lease', String(this.leaseMs / 1000)]
    const writer = [...lease, '--objstore-publish', this.mode, '--objstore-publish-interval', '1']
    const standby = [...writer, '--follow', 'objstore:', '--follow-standby']
    for (let i = 1; i <= count; i++) {
      const way = await StoreWay.start(this.store)
      const words = [...storeWords(way.url), ...(i === 1 ? writer : standby)]
      const common = { name: `instance-${i}`, root: this.root, key: KEY, hasClock: true }
      this.instances.push(new StandbyInstance({ ...common, words }, way))
      await this.instances.at(-1)!.start()
    }
    this.clients.start(CLIENTS)
    await this.clients.writeOnce(SETTLE_MS_MAX)
    await this.untilSteady()
  }

  /** Waits until one instance is the writer and all others follow; returns the writer. */
  async untilSteady(): Promise<StandbyInstance> {
    let writer: StandbyInstance | null = null
    let seen = ''
    await untilHolds('one writer, and the others follow', SETTLE_MS_MAX, async () => {
      const all = await Promise.all(this.instances.map((one) => one.publication()))
      seen = all.map(({ role }, i) => `${this.instances[i]!.name}: ${role}`).join(', ')
      const writers = all.filter(({ publishes }) => publishes?.lease?.isHeld === true)
      const isSteady =
        writers.length === 1 &&
        all.every((one) => one === writers[0] || one.follows?.problem === null)
      if (isSteady) writer = this.instances[all.indexOf(writers[0]!)]!
      return isSteady
    }).catch((error: unknown) => {
      throw new Error(`${String(error)} (${seen})`)
    })
    return writer!
  }

  set trouble(trouble: (request: WayRequest) => Trouble | null) {
    for (const { way } of this.instances) {
      way.trouble = trouble
      // Breaks hanging connections.
      way.breakAll()
    }
  }

  begins(): void {
    this.#from = performance.now()
    this.#waitedMs = processorWaitMs()
  }

  get from(): number {
    return this.#from
  }

  /** Returns the first acknowledged write since the disturbance that fulfils a condition. */
  acknowledgedSince(isIt: (write: Write) => boolean): Write | null {
    const found = this.clients.writes.filter(
      (one) => isAcknowledged(one) && one.answeredAt! > this.#from && isIt(one),
    )
    found.sort((a, b) => a.answeredAt! - b.answeredAt!)
    return found[0] ?? null
  }

  async untilWritten(isIt: (write: Write) => boolean, before: number): Promise<void> {
    const end = performance.now() + SETTLE_MS_MAX
    let write = this.acknowledgedSince(isIt)
    for (; write === null && performance.now() < end; write = this.acknowledgedSince(isIt)) {
      await pause(POLL_MS)
    }
    this.#waitedMs = processorWaitMs() - this.#waitedMs
    assert.ok(write !== null, `no write was acknowledged for ${SETTLE_MS_MAX} ms`)
    this.#takeOverMs = write.answeredAt! - this.#from
    this.#isTakenOver = write.pid !== before
    const allowed = 2 * this.leaseMs + this.#waitedMs
    if (this.#takeOverMs <= allowed) return
    const took = `${Math.round(this.#takeOverMs)} ms`
    const waited = `processors were busy for ${Math.round(this.#waitedMs)} ms`
    this.faults.push(`no write for ${took}, lease ${this.leaseMs} ms; ${waited}`)
  }

  async round(kind: Disturbance): Promise<FailoverRound> {
    this.events = []
    const writer = await this.untilSteady()
    await pause(this.random.below(1000))
    this.begins()
    await DISTURBANCES[kind](this, writer)
    for (const one of this.instances) if (one.program === null) await one.start()
    await this.untilSteady()
    await this.compare()
    const [takeOverMs, isTakenOver] = [this.#takeOverMs, this.#isTakenOver]
    return { kind, leaseMs: this.leaseMs, takeOverMs, isTakenOver }
  }

  /** Compares all instances with the writes so far. @throws AssertionError */
  async compare(): Promise<void> {
    const { clients, mode } = this
    await clients.pause()
    await clients.writeOnce(SETTLE_MS_MAX)
    const writer = await this.untilSteady()
    await untilIdle(writer)
    const shown = await this.#shownBy(writer)
    const saved = new Set(this.instances.flatMap((one) => [...one.saved()]))
    const lost = this.ledger.settle(clients.writes, shown, mode === 'interval' ? saved : null)
    const faults = [...lost, ...orderFaults(clients.writes), ...clients.oddities]
    assert.deepEqual(faults.slice(0, 20), [], `${faults.length} faults`)
    for (const follower of this.instances.filter((one) => one !== writer)) {
      const what = `${follower.name} shows the documents and keys of ${writer.name}`
      await untilHolds(what, SETTLE_MS_MAX, async () =>
        isDeepStrictEqual(await this.#shownBy(follower), shown),
      )
    }
    clients.resume()
  }

  async #shownBy(instance: StandbyInstance): Promise<Shown> {
    const documents = new Map<string, readonly number[]>()
    for (const uid of WRITTEN_INDEXES) {
      const path = `/indexes/${uid}/documents?fields=id&limit=${ALL}`
      const { status, json, text } = await instance.ask('GET', path)
      if (status !== 404) assert.equal(status, 200, text)
      const results: readonly { id: number }[] = status === 404 ? [] : json.results
      const ids = results.map(({ id }) => id).sort((a, b) => a - b)
      documents.set(uid, ids)
    }
    const { json } = await instance.ask('GET', `/keys?limit=${ALL}`)
    const uids: readonly { uid: string }[] = json.results
    return { documents, keys: new Set(uids.map(({ uid }) => uid)) }
  }

  async end(): Promise<void> {
    await this.clients.end()
    for (const one of this.instances) await one.stop()
    for (const { db } of this.instances) expectSound(db, 'at the end')
  }

  async abandon(): Promise<void> {
    for (const one of this.instances) writeFileSync(join(this.root, `${one.name}.log`), one.said)
    writeFileSync(join(this.root, 'writes.json'), JSON.stringify(this.clients.writes, null, 1))
  }

  /** Ends everything that it has started. */
  async close(): Promise<void> {
    for (const one of this.instances) await one.end()
    await this.clients.end()
    this.store.stop()
  }
}

/** Ends at the first fault, except at late take-overs; then the folder is kept for inspection. */
export async function failoverSession(
  options: FailoverOptions,
  onRound?: (done: number, events: string) => void,
): Promise<FailoverReport> {
  const { seed, kinds } = options
  const session = new FailoverSession(await FireStore.start(seed), options)
  const rounds: FailoverRound[] = []
  const faults: string[] = []
  const place = (): string =>
    `seed ${seed}, round ${rounds.length} (${session.events.join(', ')}), folder ${session.root}`
  try {
    await session.begin()
    while (rounds.length < options.rounds) {
      rounds.push(await session.round(kinds[session.random.below(kinds.length)]!))
      onRound?.(rounds.length, session.events.join(', '))
      for (const fault of session.faults.splice(0)) faults.push(`${place()}: ${fault}`)
    }
    await session.end()
  } catch (error) {
    for (const fault of [...session.faults, String(error)]) faults.push(`${place()}: ${fault}`)
  }
  if (faults.length > 0) await session.abandon()
  await session.close()
  if (faults.length === 0) rmSync(session.root, { recursive: true })
  const acknowledged = session.clients.writes.filter(isAcknowledged).length
  return { rounds, acknowledged, saved: session.ledger.lost, faults }
}

/** `failover`: sessions of some rounds, each with an empty store. */
export async function failover(given: Run & { kills: number; only: string }): Promise<Report> {
  const { kills, only, seed, progress } = given
  const kinds = chosen(only, ALL_KINDS)
  const reports: FailoverReport[] = []
  for (let done = 0; done < kills; done += SESSION_ROUNDS) {
    const rounds = Math.min(SESSION_ROUNDS, kills - done)
    const options = { seed: seed + reports.length, rounds, kinds }
    const report = await failoverSession(options, (round, events) =>
      progress?.(done + round, kills, events),
    )
    reports.push(report)
  }
  return reportOf(reports)
}

function reportOf(reports: readonly FailoverReport[]): Report {
  const done = reports.flatMap(({ rounds }) => rounds)
  const kinds = ALL_KINDS.flatMap((kind) => {
    const same = done.filter((one) => one.kind === kind)
    const taken = same.filter(({ isTakenOver }) => isTakenOver).length
    const name = `${kind}, ${taken} × another writer, written after`
    return same.length === 0 ? [] : [[name, same.map(({ takeOverMs }) => takeOverMs)] as const]
  })
  const silent = done.filter(
    (one) => one.isTakenOver && ['kill', 'freeze', 'cut'].includes(one.kind),
  )
  const inTime = silent.filter(({ takeOverMs, leaseMs }) => takeOverMs <= 2 * leaseMs).length
  const figures = {
    rounds: done.length,
    ...Object.fromEntries(kinds),
    'take-overs from a silent writer': silent.length,
    'of these within two leases': inTime,
    'writes acknowledged': reports.reduce((sum, one) => sum + one.acknowledged, 0),
    'writes lost and saved (interval)': reports.reduce((sum, one) => sum + one.saved, 0),
  }
  return { figures, problems: reports.flatMap(({ faults }) => faults) }
}
