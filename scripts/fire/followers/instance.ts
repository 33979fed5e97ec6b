// Instances that publish to an object store or follow it, and the clients that read from a follower
// while it serves.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, type Client, pause } from '../parts/client.ts'
import { Instance } from '../parts/instance.ts'
import type { Program } from '../parts/program.ts'
import type { StoreWay } from '../parts/store.ts'

export const MARKER = 'marker'
const ALL = 100_000
const READ_PAUSE_MS = 25
const OK = 200
const NOT_FOUND = 404
const UNAVAILABLE = 503

type Publication = {
  readonly role: string
  readonly publishes: {
    readonly isRefused: boolean
    readonly lease: { readonly isHeld: boolean } | null
  } | null
  readonly follows: {
    readonly snapshot: string | null
    readonly problem: string | null
    readonly unreadable: number
  } | null
}

export class StoreInstance extends Instance {
  /** Returns what it publishes and follows. */
  async publication(): Promise<Publication> {
    return (await this.expect(OK, 'GET', '/publication')).json
  }

  /** Returns documents of an index and their versions. */
  async versions(uid: string): Promise<Map<number, number>> {
    const { status, json, text } = await this.ask('GET', `/indexes/${uid}/documents?limit=${ALL}`)
    if (status === NOT_FOUND) return new Map()
    assert.equal(status, OK, text)
    const results = json.results as readonly { id: number; version: number }[]
    return new Map(results.map(({ id, version }) => [id, version]))
  }

  /** Returns the numbers of documents in requests that it has saved as unpublished. */
  saved(): ReadonlySet<number> {
    const found = new Set<number>()
    const parent = join(this.db, 'unpublished')
    for (const term of existsSync(parent) ? readdirSync(parent) : []) {
      const list = readFileSync(join(parent, term, 'requests.ndjson'), 'utf8')
      for (const line of list.split('\n').filter((one) => one !== '')) {
        const { body } = JSON.parse(line) as { body?: string }
        if (body === undefined) continue
        // Lists and lines of JSON.
        const text = readFileSync(join(parent, term, body), 'utf8')
        for (const [, id] of text.matchAll(/"id":(\d+)/g)) found.add(Number(id))
      }
    }
    return found
  }
}

/** A member of a group of standbys, with a way of its own to the store. */
export class StandbyInstance extends StoreInstance {
  readonly way: StoreWay

  constructor(options: ConstructorParameters<typeof Instance>[0], way: StoreWay) {
    super(options)
    this.way = way
  }

  async end(): Promise<void> {
    await this.kill()
    this.way.stop()
  }
}

/** An instance of the session about followers; it may be read from all the time. */
export class FollowInstance extends StoreInstance {
  /** Reads, and those that the server dropped because the machine was too busy. */
  readonly reads = { count: 0, late: 0, failed: [] as string[] }
  #reading: Promise<void> = Promise.resolve()
  #isEnding = false
  /** The newest marker that clients have seen in this folder: it must never become older. */
  #seen = 0
  /** The newest state that it has followed: it must never follow an older one. */
  #followed = ''
  /** Whether all indexes were served once: then they must stay served. */
  #isWhole = false

  override async start(more: readonly string[] = []): Promise<void> {
    this.#isEnding = false
    await super.start(more)
  }

  /** Starts reading clients, until it is killed or stopped. */
  read(): void {
    this.#reading = this.#readRepeatedly(this.client!, this.program!)
  }

  override async kill(): Promise<void> {
    this.#isEnding = true
    await super.kill()
    await this.#reading
  }

  override async stop(): Promise<void> {
    this.#isEnding = true
    await super.stop()
    await this.#reading
  }

  override wipe(): void {
    super.wipe()
    this.#seen = 0
    this.#followed = ''
    this.#isWhole = false
  }

  /** Returns the marker that it shows, or 0 before the first. */
  async marker(): Promise<number> {
    const { status, json, text } = await this.ask('GET', `/indexes/${MARKER}/documents/0`)
    if (status === NOT_FOUND || this.#isNotYet(status, text)) return 0
    assert.equal(status, OK, text)
    return json.version
  }

  /** From now on no index may be missing. */
  expectWhole(): void {
    this.#isWhole = true
  }

  #isNotYet(status: number, text: string): boolean {
    return status === UNAVAILABLE && !this.#isWhole && text.includes('index_not_downloaded')
  }

  async #readRepeatedly(client: Client, program: Program): Promise<void> {
    for (let i = 0; program.isRunning() && !this.#isEnding; i++) {
      try {
        await this.#readOnce(client, i)
      } catch (error) {
        if (this.#isEnding || !program.isRunning()) return
        this.reads.failed.push(`${this.name}: ${String(error)}`)
      }
      await pause(READ_PAUSE_MS)
    }
  }

  async #readOnce(client: Client, i: number): Promise<void> {
    if (i % 8 === 1) {
      const snapshot = (await this.publication()).follows?.snapshot ?? ''
      assert.ok(snapshot >= this.#followed, `follows ${snapshot} after ${this.#followed}`)
      this.#followed = snapshot
    } else if (i % 2 === 0) {
      const seen = await this.marker()
      assert.ok(seen >= this.#seen || seen === 0, `marker ${seen} after ${this.#seen}`)
      assert.ok(seen > 0 || !this.#isWhole, 'the marker is gone')
      this.#seen = Math.max(seen, this.#seen)
    } else {
      const body = { q: 'group', limit: 3 }
      const answer: Answer = await client.ask('POST', '/indexes/a/search', { body })
      const { status, text } = answer
      if (text.includes('too_many_search_requests')) this.reads.late++
      else {
        const isAllowed = status === OK || status === NOT_FOUND || this.#isNotYet(status, text)
        assert.ok(isAllowed, `${status} ${text}`)
      }
    }
    this.reads.count++
  }
}
