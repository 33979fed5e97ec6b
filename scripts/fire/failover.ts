// A writer and its standby followers over one object store, with a writer lease, while clients
// write: in each round one of them is killed, stopped, cut off or set to another time, or the store
// fails. Afterwards there was one writer at a time, a new one in time, and no acknowledged write is
// lost.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Random, randomOf } from '../../engine/store/storage/index.ts'
import { RELEASE } from '../../server/config/index.ts'
import type { Trouble } from '../../server/testing/index.ts'
import { checkDatabase, findingsOf } from '../../tools/check/index.ts'
import { pause, untilHolds, untilIdle } from './ask.ts'
import { orderFaults, type Shown, WriteLedger } from './failover-checks.ts'
import { DISTURBANCES, type Disturbance, type Disturbed } from './failover-disturbances.ts'
import { FailoverInstance } from './failover-instance.ts'
import { FailoverClients, isAcknowledged, WRITTEN_INDEXES, type Write } from './failover-writes.ts'
import { FireStore, type WayRequest } from './fire-store.ts'
import { processorWaitMs } from './stalls.ts'

export type FailoverOptions = {
  readonly seed: number
  readonly rounds: number
  readonly kinds: readonly Disturbance[]
  /** By default the seed decides. */
  readonly mode?: 'sync' | 'interval'
  readonly onRound?: (report: FailoverRound) => void
}

export type FailoverRound = {
  readonly kind: Disturbance
  readonly mode: 'sync' | 'interval'
  readonly leaseMs: number
  /** From the disturbance, or its end, to the first acknowledged write. */
  readonly takeOverMs: number
  /** Whether another process became the writer. */
  readonly isTakenOver: boolean
  /** For how long processes waited for a processor meanwhile: that much is tolerated. */
  readonly waitedMs: number
  readonly events: readonly string[]
}

export type FailoverReport = {
  readonly acknowledged: number
  /** Acknowledged writes of `interval` that were lost, and saved in the old writer's folder. */
  readonly saved: number
  readonly faults: readonly string[]
}

/** For everything that has no limit of its own: a fault if it is exceeded. */
const SETTLE_MS_MAX = 60_000
const CLIENTS = 3
const POLL_MS = 10
const ALL = 10_000_000
const SILENT = { at: () => undefined, end: () => undefined }
const CHECK = { release: RELEASE.version, openProgress: () => SILENT, lock: true }

class FailoverSession implements Disturbed {
  readonly root = mkdtempSync(join(tmpdir(), 'svc-fire-'))
  readonly random: Random
  readonly store: FireStore
  readonly mode: 'sync' | 'interval'
  readonly leaseMs: number
  readonly faults: string[] = []
  readonly instances: FailoverInstance[] = []
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
      const words = i === 1 ? writer : standby
      const common = { name: `instance-${i}`, root: this.root, store: this.store }
      this.instances.push(await FailoverInstance.create({ ...common, words }))
      await this.instances.at(-1)!.start()
    }
    this.clients.start(CLIENTS)
    await this.clients.writeOnce(SETTLE_MS_MAX)
    await this.untilSteady()
  }

  /** Waits until one instance is the writer and all others follow; returns the writer. */
  async untilSteady(): Promise<FailoverInstance> {
    let writer: FailoverInstance | null = null
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
    const { random, mode, leaseMs } = this
    this.events = []
    const writer = await this.untilSteady()
    await pause(random.below(1000))
    this.begins()
    await DISTURBANCES[kind](this, writer)
    for (const one of this.instances) if (one.program === null) await one.start()
    await this.untilSteady()
    await this.compare()
    return {
      kind,
      mode,
      leaseMs,
      takeOverMs: this.#takeOverMs,
      isTakenOver: this.#isTakenOver,
      waitedMs: this.#waitedMs,
      events: this.events,
    }
  }

  /** Compares all instances with the writes so far. @throws AssertionError */
  async compare(): Promise<void> {
    const { clients, mode } = this
    await clients.pause()
    await clients.writeOnce(SETTLE_MS_MAX)
    const writer = await this.untilSteady()
    await untilIdle(writer.client!)
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

  async #shownBy({ client }: FailoverInstance): Promise<Shown> {
    const documents = new Map<string, readonly number[]>()
    for (const uid of WRITTEN_INDEXES) {
      const path = `/indexes/${uid}/documents?fields=id&limit=${ALL}`
      const { status, json, text } = await client!.ask('GET', path)
      if (status !== 404) assert.equal(status, 200, text)
      const results: readonly { id: number }[] = status === 404 ? [] : json.results
      const ids = results.map(({ id }) => id).sort((a, b) => a - b)
      documents.set(uid, ids)
    }
    const { json } = await client!.ask('GET', `/keys?limit=${ALL}`)
    const uids: readonly { uid: string }[] = json.results
    return { documents, keys: new Set(uids.map(({ uid }) => uid)) }
  }

  async end(): Promise<void> {
    await this.clients.end()
    for (const one of this.instances) await one.stop()
    for (const { db } of this.instances) {
      const findings = findingsOf(checkDatabase(db, CHECK)).map((one) => JSON.stringify(one))
      assert.deepEqual(findings, [], db)
    }
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
export async function failoverSession(options: FailoverOptions): Promise<FailoverReport> {
  const { seed, rounds, kinds, onRound } = options
  const store = await FireStore.start(seed)
  const session = new FailoverSession(store, options)
  const faults: string[] = []
  let round = 0
  const place = (): string =>
    `seed ${seed}, round ${round} (${session.events.join(', ')}), folder ${session.root}`
  try {
    await session.begin()
    for (round = 1; round <= rounds; round++) {
      const report = await session.round(kinds[session.random.below(kinds.length)]!)
      onRound?.(report)
      for (const fault of session.faults.splice(0)) faults.push(`${place()}: ${fault}`)
    }
    await session.end()
  } catch (error) {
    for (const fault of session.faults) faults.push(`${place()}: ${fault}`)
    faults.push(`${place()}: ${String(error)}`)
  }
  if (faults.length > 0) await session.abandon()
  await session.close()
  if (faults.length === 0) rmSync(session.root, { recursive: true })
  const acknowledged = session.clients.writes.filter(isAcknowledged).length
  return { acknowledged, saved: session.ledger.lost, faults }
}
