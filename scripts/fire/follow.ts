// A writer that publishes, two followers, and a failing object store: kill -9 of each of them at
// random moments, connections that break or hang, a store that restarts, old states that are
// removed meanwhile. After each round every acknowledged document is on every follower; reads never
// stop while a follower lives; a promoted follower has all that was published.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Bucket, heads } from '../../engine/backup/objstore/index.ts'
import { type Random, randomOf } from '../../engine/store/storage/index.ts'
import { RELEASE } from '../../server/config/index.ts'
import { streamingCaller } from '../../server/outbound/index.ts'
import {
  BUCKET,
  STORE_KEY,
  startStore,
  type TestStore,
  type Trouble,
} from '../../server/test-object-store.ts'
import { checkDatabase, findingsOf } from '../../tools/check/index.ts'
import { endOfTask, pause, untilIdle } from './ask.ts'
import { Instance, MARKER, PLACE } from './follow-instance.ts'
import { FollowModel, INDEXES } from './follow-model.ts'
import { builtFolder } from './program.ts'
import { storeWords } from './snapshot-kill.ts'

export type FollowSessionOptions = {
  readonly seed: number
  readonly rounds: number
  /** The writer is lost for good once in this many rounds, and in the last one. */
  readonly promoteEvery: number
  readonly onRound?: (report: RoundReport) => void
}

export type RoundReport = {
  readonly round: number
  /** The disturbances, in order. */
  readonly events: readonly string[]
  /** Time from the end of a write until each follower shows it, with a working store. */
  readonly lagsMs: readonly number[]
  /** Since the session began. */
  readonly acknowledged: number
  readonly reads: number
  /** Reads that were dropped because the machine was too busy. */
  readonly late: number
}

const POLL_MS = 10
const ROUND_MS = 1500
const CATCH_UP_MS_MAX = 120_000
const TROUBLE_MS_MAX = 1200
const SILENT = { at: () => undefined, end: () => undefined }
const CHECK = { release: RELEASE.version, openProgress: () => SILENT, lock: true }

class Session {
  readonly root = mkdtempSync(join(tmpdir(), 'svc-fire-'))
  readonly random: Random
  readonly model: FollowModel
  readonly store: TestStore
  readonly followers: Instance[] = []
  writer: Instance
  events: string[] = []
  reads = 0
  late = 0
  #marker = 0
  #instances = 0

  constructor(seed: number, store: TestStore) {
    this.random = randomOf(seed)
    this.model = new FollowModel(this.random)
    this.store = store
    this.writer = this.#instance(PUBLISH)
  }

  #instance(more: readonly string[]): Instance {
    const name = `instance-${++this.#instances}`
    const words = [...storeWords(this.store.url, false), '--follow-poll-interval', '1', ...more]
    return new Instance({ name, root: this.root, words })
  }

  async begin(): Promise<void> {
    await this.writer.start()
    await this.mark()
    for (const download of ['before', 'lazily']) await this.addFollower(download)
  }

  async addFollower(download: string): Promise<void> {
    const words = ['--follow', `objstore:${PLACE}`, '--follow-download', download, ...METRICS]
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
    const kind = random.below(10)
    if (kind <= 1) return this.#killWriter()
    if (kind <= 4) return this.#killFollower(random.below(3) === 0)
    if (kind <= 5) {
      this.events.push('store restarts')
      return this.store.restart(200 + random.below(600))
    }
    await this.#trouble()
  }

  async #killWriter(): Promise<void> {
    this.events.push('writer killed')
    const { writer } = this
    await writer.kill()
    await writer.start()
  }

  async #killFollower(isWiped: boolean): Promise<void> {
    const follower = this.followers[this.random.below(this.followers.length)]!
    if (follower.program === null) return
    this.events.push(`${follower.name} killed${isWiped ? ', begins anew' : ''}`)
    await this.#endFollower(follower, () => follower.kill())
    if (isWiped) follower.wipe()
    await follower.start()
    follower.read()
  }

  async #endFollower(follower: Instance, end: () => Promise<void>): Promise<void> {
    await end()
    this.#count(follower)
  }

  #count({ reads }: Instance): void {
    this.reads += reads.count
    this.late += reads.late
    reads.count = 0
    reads.late = 0
  }

  async #trouble(): Promise<void> {
    const { random, store } = this
    const share = 1 + random.below(6)
    const troubles: readonly Trouble[] = [
      { kind: 'status', status: 503, body: 'busy' },
      { kind: 'status', status: 403, body: 'no' },
      { kind: 'reset' },
      { kind: 'lost' },
      { kind: 'half' },
      { kind: 'hang' },
      { kind: 'slow', ms: 100 + random.below(300) },
    ]
    const trouble = troubles[random.below(troubles.length)]!
    this.events.push(`store: ${trouble.kind}, 1 request of ${share}`)
    store.trouble = () => (random.below(share) === 0 ? trouble : null)
    await pause(200 + random.below(TROUBLE_MS_MAX))
    store.trouble = () => null
    // Breaks hanging connections.
    await store.restart(0)
  }

  /** Sends the last write of a round; returns how long each follower takes to show it. */
  async mark(): Promise<number> {
    const version = ++this.#marker
    const body = [{ id: 0, version }]
    const { client } = this.writer
    const path = `/indexes/${MARKER}/documents`
    const { status, json, text } = await client!.ask('POST', path, { body })
    assert.equal(status, 202, text)
    const task = await endOfTask(client!, json.taskUid)
    assert.equal(task.status, 'succeeded', JSON.stringify(task))
    return version
  }

  /** Checks that every instance shows the acknowledged documents. */
  async compare(): Promise<readonly number[]> {
    const { writer, followers, model } = this
    await untilIdle(writer.client!)
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
    for (const follower of followers) {
      this.#count(follower)
      assert.deepEqual(follower.reads.failed, [], 'reads')
    }
    return lags
  }

  async #untilShown(follower: Instance, version: number, begun: number): Promise<number> {
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
  async #untilServed(follower: Instance, uid: string): Promise<void> {
    const end = performance.now() + CATCH_UP_MS_MAX
    for (;;) {
      const { status, text } = await follower.client!.ask(
        'GET',
        `/indexes/${uid}/documents?limit=1`,
      )
      if (status !== 503) return
      assert.ok(performance.now() < end, `${follower.name}: ${text}`)
    }
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
    await this.#endFollower(promoted, () => promoted.stop())
    assert.deepEqual(promoted.reads.failed, [], 'reads')
    const tools = join(builtFolder(), 'tools/main.js')
    execFileSync(process.execPath, [tools, 'db', 'promote', '--db', promoted.db])
    this.writer = new Instance({
      name: promoted.name,
      root: this.root,
      words: this.#publishWords(),
    })
    await this.writer.start()
    await untilIdle(this.writer.client!)
    for (const uid of INDEXES) {
      const shown = await this.writer.versions(uid)
      assert.deepEqual(sorted(shown), sorted(published.get(uid)!), `${uid}, promoted`)
      assert.equal(this.model.problemSince(uid, shown), null, 'promoted')
      this.model.settle(uid, shown)
    }
    lost.wipe()
    await this.addFollower(this.random.below(2) === 0 ? 'before' : 'lazily')
  }

  #publishWords(): readonly string[] {
    return [...storeWords(this.store.url, false), ...PUBLISH]
  }

  /**
   * Returns the data of a new instance that restores the newest published state and runs its tasks.
   */
  async #published(): Promise<Map<string, Map<number, number>>> {
    const words = [...storeWords(this.store.url, false), '--import-snapshot', 'objstore:']
    const imported = new Instance({ name: 'imported', root: this.root, words })
    await imported.start()
    await untilIdle(imported.client!)
    const all = new Map<string, Map<number, number>>()
    for (const uid of INDEXES) all.set(uid, await imported.versions(uid))
    await imported.stop()
    imported.wipe()
    return all
  }

  /**
   * Waits until the follower has the newest state of the store and has checked once more since:
   * names have a resolution of one second.
   */
  async #untilNewest(follower: Instance): Promise<void> {
    const end = performance.now() + CATCH_UP_MS_MAX
    const newest = await this.#newestSeconds()
    for (let looks = 0; looks < NEWEST_LOOKS; ) {
      const { text } = await follower.client!.ask('GET', '/metrics')
      const published = Number(/^svc_follower_published (\d+)/m.exec(text)?.[1])
      looks = published >= newest ? looks + 1 : 0
      assert.ok(performance.now() < end, `${follower.name} has ${published}, not ${newest}`)
      await pause(NEWEST_PAUSE_MS)
    }
  }

  /** Returns when the newest state was published, in seconds since 1970. */
  async #newestSeconds(): Promise<number> {
    const bucket = new Bucket({
      transport: streamingCaller('any'),
      url: this.store.url,
      region: 'us-east-1',
      name: BUCKET,
      credentials: { accessKey: STORE_KEY, secretKey: STORE_KEY, sessionToken: null },
      signatureSeconds: 60,
      signal: new AbortController().signal,
      now: Date.now,
    })
    const { name = '' } = (await heads.all(bucket, { prefix: 'fire', name: PLACE })).at(-1) ?? {}
    const time = name.replace(/^(....)(..)(..)-(..)(..)(..).*$/, '$1-$2-$3T$4:$5:$6Z')
    return Date.parse(time) / 1000
  }

  async end(): Promise<void> {
    for (const follower of this.followers) await follower.stop()
    await this.writer.stop()
    for (const { db } of [this.writer, ...this.followers]) {
      const result = checkDatabase(db, CHECK)
      const findings = findingsOf(result).map((finding) => JSON.stringify(finding))
      assert.equal(result.problemCount, 0, `${db}:\n${findings.join('\n')}`)
    }
  }

  async abandon(): Promise<void> {
    for (const one of [this.writer, ...this.followers]) await one.kill()
  }
}

const METRICS: readonly string[] = ['--experimental-enable-metrics']
const PUBLISH: readonly string[] = ['--objstore-publish-interval', '1']
const NEWEST_LOOKS = 3
const NEWEST_PAUSE_MS = 1100

const sorted = (versions: ReadonlyMap<number, number>): readonly (readonly [number, number])[] =>
  [...versions].sort(([a], [b]) => a - b)

/** @throws if an expectation fails; then the folder is kept for inspection. */
export async function followSession(options: FollowSessionOptions): Promise<void> {
  const { seed, rounds, promoteEvery, onRound } = options
  const store = await startStore(seed % 2 === 0 ? 'hyperscale' : 'appliance')
  const session = new Session(seed, store)
  let round = 0
  try {
    await session.begin()
    for (round = 1; round <= rounds; round++) {
      session.events = []
      const writing = session.write(performance.now() + ROUND_MS)
      const events = 1 + session.random.below(3)
      for (let i = 0; i < events; i++) {
        await pause(session.random.below(ROUND_MS / 2))
        await session.disturb()
      }
      await writing
      if (round % promoteEvery === 0 || round === rounds) await session.lose()
      const lagsMs = await session.compare()
      const { events: done, reads, late, model } = session
      onRound?.({ round, events: done, lagsMs, acknowledged: model.acknowledged, reads, late })
    }
    await session.end()
  } catch (error) {
    await session.abandon()
    const events = session.events.join(', ')
    const words = `seed ${seed}, round ${round} (${events}), folder ${session.root}`
    throw new Error(`${words}: ${String(error)}`, { cause: error })
  } finally {
    await store.stop()
  }
  rmSync(session.root, { recursive: true })
}
