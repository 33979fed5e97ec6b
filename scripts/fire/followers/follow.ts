// A writer that publishes, two followers, and a failing object store: kill -9 of each of them at
// random moments, clocks that jump, connections that break or hang, a store that restarts or lies,
// another publisher, old states that are removed meanwhile. After each round every acknowledged
// document is on every follower; reads never stop while a follower lives; a promoted follower has
// all that was published. This is one file because it is one session.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { type Random, randomOf } from '../../../engine/store/storage/index.ts'
import { endOfTask, pause, untilHolds, untilIdle } from '../parts/client.ts'
import { expectSound, inFolder } from '../parts/database.ts'
import { PLACE } from '../parts/instance.ts'
import { builtFolder } from '../parts/program.ts'
import type { Report, Run } from '../parts/report.ts'
import { FireStore, StoreWay, storeWords } from '../parts/store.ts'
import { jumpOf, StoreLies } from './follow-lies.ts'
import { FollowModel, INDEXES } from './follow-model.ts'
import { FollowInstance, MARKER, StoreInstance } from './instance.ts'

const PROMOTE_EVERY = 10
const POLL_MS = 10
const ROUND_MS = 1500
const CATCH_UP_MS_MAX = 120_000
const TROUBLE_MS_MAX = 1200
const PUBLISH: readonly string[] = ['--objstore-publish-interval', '1']

class Session {
  readonly root: string
  readonly random: Random
  readonly model: FollowModel
  readonly store: FireStore
  /** The way of all instances to the store. */
  readonly way: StoreWay
  readonly lies: StoreLies
  readonly followers: FollowInstance[] = []
  writer: FollowInstance
  events: string[] = []
  /** Followers that have become writers. */
  readonly #past: FollowInstance[] = []
  #marker = 0
  #instances = 0

  constructor(root: string, seed: number, store: FireStore, way: StoreWay) {
    this.root = root
    this.random = randomOf(seed)
    this.model = new FollowModel(this.random)
    this.store = store
    this.way = way
    this.lies = new StoreLies(store, way, this.random)
    this.writer = this.#instance(PUBLISH)
  }

  #instance(more: readonly string[], name = `instance-${++this.#instances}`): FollowInstance {
    const words = [...storeWords(this.way.url), '--follow-poll-interval', '1', ...more]
    return new FollowInstance({ name, root: this.root, hasClock: true, words })
  }

  async begin(): Promise<void> {
    await this.writer.start()
    await this.mark()
    for (const download of ['before', 'lazily']) await this.addFollower(download)
  }

  async addFollower(download: string): Promise<void> {
    const words = ['--follow', `objstore:${PLACE}`, '--follow-download', download]
    const follower = this.#instance(words)
    this.followers.push(follower)
    await follower.start()
    follower.read()
  }

  /** Sends requests one by one until `end`; requests that a kill interrupts may have arrived. */
  async write(end: number): Promise<void> {
    const { model, random } = this
    while (performance.now() < end) {
      const { client } = this.writer
      if (client === null) {
        await pause(POLL_MS)
        continue
      }
      const request = model.next()
      const { index, kind, ids } = request
      const path = `/indexes/${index}/documents${kind === 'delete' ? '/delete-batch' : ''}`
      model.sent(request)
      try {
        const body = kind === 'delete' ? ids : model.documents(request)
        const answer = await client.ask('POST', path, { body })
        assert.equal(answer.status, 202, answer.text)
        model.acknowledge(request)
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
        // The connection broke with the writer.
      }
      await pause(random.below(40))
    }
  }

  /** Causes one disturbance; resolves when it is over. */
  async disturb(): Promise<void> {
    const { random } = this
    const kind = random.below(16)
    if (kind <= 1) return this.#killWriter()
    if (kind <= 4) return this.#killFollower(random.below(3) === 0)
    if (kind <= 5) {
      this.events.push('store restarts')
      return this.way.restart(200 + random.below(600))
    }
    if (kind <= 9) return this.#trouble()
    if (kind <= 11) return this.#garbage()
    if (kind <= 14) return this.#lie()
    await this.#intrude()
  }

  async #killWriter(meanwhile: () => void = () => undefined): Promise<void> {
    this.events.push('writer killed')
    const { writer } = this
    await writer.kill()
    meanwhile()
    writer.setClock(jumpOf(this.random))
    await writer.start()
  }

  async #killFollower(isWiped: boolean): Promise<void> {
    const follower = this.followers[this.random.below(this.followers.length)]!
    if (follower.program === null) return
    this.events.push(`${follower.name} killed${isWiped ? ', begins anew' : ''}`)
    await follower.kill()
    if (isWiped) follower.wipe()
    follower.setClock(jumpOf(this.random))
    await follower.start()
    follower.read()
  }

  async #trouble(): Promise<void> {
    const { random, lies } = this
    this.events.push(lies.fail())
    await pause(200 + random.below(TROUBLE_MS_MAX))
    lies.work()
  }

  /** Objects that are no heads: they are skipped, and reported. */
  async #garbage(): Promise<void> {
    const { lies, random, followers } = this
    if (random.below(2) === 0) lies.removeGarbage()
    const { what, isLast } = lies.putGarbage()
    this.events.push(what)
    if (!isLast) return pause(random.below(TROUBLE_MS_MAX))
    for (const one of followers) {
      await untilHolds(`${one.name} reports an object`, CATCH_UP_MS_MAX, async () => {
        const { follows } = await one.publication()
        return follows?.unreadable !== 0
      })
    }
  }

  /** Lists that are old, or hold objects of others: no follower is behind without saying so. */
  async #lie(): Promise<void> {
    const { lies, random, followers } = this
    const isOld = random.below(2) === 0
    this.events.push(isOld ? lies.hideNewest() : lies.ignorePrefix())
    await pause(random.below(2 * TROUBLE_MS_MAX))
    if (!isOld) {
      for (const one of followers) {
        await untilHolds(`${one.name} says that it is behind`, CATCH_UP_MS_MAX, async () => {
          const { follows } = await one.publication()
          return follows?.problem !== null
        })
      }
    }
    if (isOld && random.below(2) === 0) await this.#killWriter()
    lies.tellTruth()
  }

  /**
   * Another instance publishes to the same place, with data of its own or a copy of the folder: it
   * is refused, and changes nothing.
   */
  async #intrude(): Promise<void> {
    const { store, root, random } = this
    const isCopy = random.below(2) === 0
    this.events.push(`another publisher${isCopy ? ', in a copy of the folder' : ''}`)
    const way = await StoreWay.start(store)
    const name = `instance-${++this.#instances}`
    const words = [...storeWords(way.url), ...PUBLISH]
    const other = new StoreInstance({ name, root, hasClock: true, words })
    try {
      other.setClock(jumpOf(random))
      if (isCopy) {
        await this.#killWriter(() => cpSync(this.writer.db, other.db, { recursive: true }))
      }
      await other.start()
      const body = [{ id: 1, version: -1 }]
      await other.ask('POST', `/indexes/${MARKER}/documents`, { body })
      await untilHolds('another publisher is refused', CATCH_UP_MS_MAX, async () => {
        return (await other.publication()).publishes?.isRefused === true
      })
      await other.stop()
      assert.deepEqual(way.changes, [], 'what another publisher changed in the store')
    } finally {
      await other.kill()
      way.stop()
    }
    other.wipe()
  }

  /** Sends the last write of a round; returns how long each follower takes to show it. */
  async mark(): Promise<number> {
    const version = ++this.#marker
    const body = [{ id: 0, version }]
    const path = `/indexes/${MARKER}/documents`
    const { json } = await this.writer.expect(202, 'POST', path, body)
    const task = await endOfTask(this.writer, json.taskUid)
    assert.equal(task.status, 'succeeded', JSON.stringify(task))
    return version
  }

  /** Checks that every instance shows the acknowledged documents. */
  async compare(): Promise<readonly number[]> {
    const { writer, followers, model } = this
    await untilIdle(writer)
    const version = await this.mark()
    const begun = performance.now()
    const lags = await Promise.all(followers.map((one) => this.#untilShown(one, version, begun)))
    for (const uid of INDEXES) {
      const wanted = await writer.versions(uid)
      assert.equal(model.problemOf(uid, wanted), null, 'the writer')
      model.settle(uid, wanted)
      for (const follower of followers) {
        assert.deepEqual(sorted(await follower.versions(uid)), sorted(wanted), follower.name)
      }
    }
    if (this.random.below(4) === 0) {
      const restored = await this.#published()
      for (const uid of INDEXES) {
        const wanted = sorted(await writer.versions(uid))
        assert.deepEqual(sorted(restored.get(uid)!), wanted, `${uid}, restored`)
      }
    }
    assert.deepEqual(this.lies.goneForeign(), [], 'objects of others that are gone')
    for (const { reads } of followers) assert.deepEqual(reads.failed, [], 'reads')
    return lags
  }

  async #untilShown(follower: FollowInstance, version: number, begun: number): Promise<number> {
    while ((await follower.marker()) < version) {
      const ms = performance.now() - begun
      const said = follower.program?.said().slice(-2000)
      assert.ok(ms < CATCH_UP_MS_MAX, `${follower.name} stays behind: ${said}`)
      await pause(POLL_MS)
    }
    const ms = performance.now() - begun
    for (const uid of INDEXES) await this.#untilServed(follower, uid)
    follower.expectWhole()
    return ms
  }

  /** A follower that downloads lazily has the marker's index before others. */
  #untilServed(follower: FollowInstance, uid: string): Promise<void> {
    return untilHolds(`${follower.name} serves ${uid}`, CATCH_UP_MS_MAX, async () => {
      return (await follower.ask('GET', `/indexes/${uid}/documents?limit=1`)).status !== 503
    })
  }

  /**
   * The writer is lost for good; a follower takes its place, and a new follower follows that one.
   */
  async lose(): Promise<void> {
    this.events.push('writer lost, follower promoted')
    const lost = this.writer
    await lost.kill()
    const published = await this.#published()
    const promoted = this.followers.shift()!
    await this.#untilNewest(promoted)
    await promoted.stop()
    this.#past.push(promoted)
    assert.deepEqual(promoted.reads.failed, [], 'reads')
    const tools = join(builtFolder(), 'tools/main.js')
    execFileSync(process.execPath, [tools, 'db', 'promote', '--db', promoted.db])
    this.writer = this.#instance(PUBLISH, promoted.name)
    await this.writer.start()
    await untilIdle(this.writer)
    for (const uid of INDEXES) {
      const shown = await this.writer.versions(uid)
      assert.deepEqual(sorted(shown), sorted(published.get(uid)!), `${uid}, promoted`)
      assert.equal(this.model.problemSince(uid, shown), null, 'promoted')
      this.model.settle(uid, shown)
    }
    lost.wipe()
    await this.addFollower(this.random.below(2) === 0 ? 'before' : 'lazily')
  }

  /**
   * Returns the data of a new instance that restores the newest published state and runs its tasks.
   */
  async #published(): Promise<Map<string, Map<number, number>>> {
    const words = [...storeWords(this.way.url), '--import-snapshot', 'objstore:']
    const imported = new StoreInstance({ name: 'imported', root: this.root, words })
    await imported.start()
    await untilIdle(imported)
    const all = new Map<string, Map<number, number>>()
    for (const uid of INDEXES) all.set(uid, await imported.versions(uid))
    await imported.stop()
    imported.wipe()
    return all
  }

  /** Waits until the follower has the newest state of the store. */
  async #untilNewest(follower: FollowInstance): Promise<void> {
    const { newest } = this.lies
    await untilHolds(`${follower.name} has ${newest}`, CATCH_UP_MS_MAX, async () => {
      const { follows } = await follower.publication()
      return follows?.snapshot === newest
    })
  }

  async end(): Promise<void> {
    for (const follower of this.followers) await follower.stop()
    await this.writer.stop()
    for (const { db } of [this.writer, ...this.followers]) expectSound(db, 'at the end')
  }

  /** Reads of all followers so far, or those that were given up as the machine was busy. */
  reads(part: 'count' | 'late'): number {
    return [...this.#past, ...this.followers].reduce((sum, { reads }) => sum + reads[part], 0)
  }

  async abandon(): Promise<void> {
    for (const one of [this.writer, ...this.followers]) await one.kill()
  }
}

const sorted = (versions: ReadonlyMap<number, number>): readonly (readonly [number, number])[] =>
  [...versions].sort(([a], [b]) => a - b)

/**
 * `follow`: the writer is lost for good in every tenth round and in the last one. Figures: the time
 * from the end of a write until each follower shows it, with a working store.
 * @throws Error if an expectation fails
 */
export async function follow({
  rounds,
  seed,
  progress,
}: Run & { rounds: number }): Promise<Report> {
  const lagsMs: number[] = []
  const counts: { [event: string]: number } = {}
  let [round, events] = [0, '']
  return inFolder(
    () => `seed ${seed}, round ${round} (${events})`,
    async (root) => {
      const store = await FireStore.start(seed)
      const way = await StoreWay.start(store)
      const session = new Session(root, seed, store, way)
      try {
        await session.begin()
        for (round = 1; round <= rounds; round++) {
          session.events = []
          const writing = session.write(performance.now() + ROUND_MS)
          const disturbances = 1 + session.random.below(3)
          for (let i = 0; i < disturbances; i++) {
            await pause(session.random.below(ROUND_MS / 2))
            await session.disturb()
            events = session.events.join(', ')
          }
          await writing
          if (round % PROMOTE_EVERY === 0 || round === rounds) await session.lose()
          lagsMs.push(...(await session.compare()))
          for (const event of session.events) {
            const kind = event.replace(/^instance-\d+/, 'follower').replace(/, 1 request of .*/, '')
            counts[kind] = (counts[kind] ?? 0) + 1
          }
          progress?.(round, rounds, events)
        }
        await session.end()
        const figures = {
          rounds,
          ...counts,
          'requests acknowledged': session.model.acknowledged,
          'reads of followers': session.reads('count'),
          'reads given up as the machine was busy': session.reads('late'),
          'behind after a round': lagsMs,
        }
        return { figures, problems: [] }
      } catch (error) {
        events = session.events.join(', ')
        throw error
      } finally {
        await session.abandon()
        way.stop()
        store.stop()
      }
    },
  )
}
