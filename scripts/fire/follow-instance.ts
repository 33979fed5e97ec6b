// An instance of the session about followers: a process that is killed and restarted, and clients
// that read from it while it serves.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, type Client, clientOf, pause } from './ask.ts'
import { WallClock } from './clock-jumps.ts'
import { type Program, startProgram } from './program.ts'

export const MARKER = 'marker'
/** The name of every database folder: the writer's name is that of the place in the store. */
export const PLACE = 'data.ms'
const ALL = 100_000
const READ_PAUSE_MS = 25
const OK = 200
const NOT_FOUND = 404
const UNAVAILABLE = 503

export type InstanceOptions = {
  readonly name: string
  readonly root: string
  readonly words: readonly string[]
}

export type Publication = {
  readonly publishes: { readonly isRefused: boolean; readonly problem: string | null } | null
  readonly follows: {
    readonly snapshot: string | null
    readonly problem: string | null
    readonly unreadable: number
  } | null
}

/** The results of reading clients. */
export type Reads = {
  count: number
  /** Of indexes that were still being downloaded. */
  notYet: number
  /** Dropped by the server, because the machine was too busy. */
  late: number
  failed: string[]
}

export class Instance {
  readonly #options: InstanceOptions
  readonly db: string
  readonly clock: WallClock
  readonly reads: Reads = { count: 0, notYet: 0, late: 0, failed: [] }
  program: Program | null = null
  client: Client | null = null
  #reading: Promise<void> = Promise.resolve()
  #isEnding = false
  /** The newest marker that clients have seen in this folder: it must never become older. */
  #seen = 0
  /** The newest state that it has followed: it must never follow an older one. */
  #followed = ''
  /** Whether all indexes were served once: then they must stay served. */
  #isWhole = false

  constructor(options: InstanceOptions) {
    this.#options = options
    const folder = join(options.root, options.name)
    mkdirSync(folder, { recursive: true })
    this.db = join(folder, PLACE)
    this.clock = new WallClock(folder)
  }

  get name(): string {
    return this.#options.name
  }

  /** Resolves when it listens. `more`: further arguments of this start. */
  async start(more: readonly string[] = []): Promise<void> {
    this.#isEnding = false
    const { node, variables } = this.clock
    const words = [...this.#options.words, ...more]
    const program = startProgram({ db: this.db, node, variables, words })
    this.program = program
    const client = clientOf(await program.url)
    this.client = client
  }

  /** Starts reading clients, until it is killed or stopped. */
  read(): void {
    this.#reading = this.#readRepeatedly(this.client!, this.program!)
  }

  async kill(): Promise<void> {
    await this.#end((program) => program.kill('SIGKILL'))
  }

  async stop(): Promise<void> {
    const { program } = this
    const ended = program?.ended
    await this.#end((running) => void running.stop())
    const how = await ended
    if (how !== undefined) assert.deepEqual([how.code, how.signal], [0, null], how.stderr)
  }

  async #end(how: (program: Program) => void): Promise<void> {
    this.#isEnding = true
    const { program } = this
    if (program === null) return
    how(program)
    await program.ended
    await this.#reading
    this.client?.close()
    this.program = null
    this.client = null
  }

  /** Deletes its folder; the next start is a new instance of the same name. */
  wipe(): void {
    rmSync(this.db, { recursive: true, force: true })
    this.#seen = 0
    this.#followed = ''
    this.#isWhole = false
  }

  /** Returns what it publishes and follows. */
  async publication(): Promise<Publication> {
    const { status, json, text } = await this.client!.ask('GET', '/publication')
    assert.equal(status, OK, text)
    return json
  }

  /** Returns documents of an index and their versions. */
  async versions(uid: string): Promise<Map<number, number>> {
    const answer = await this.client!.ask('GET', `/indexes/${uid}/documents?limit=${ALL}`)
    if (answer.status === NOT_FOUND) return new Map()
    assert.equal(answer.status, OK, answer.text)
    const results = answer.json.results as readonly { id: number; version: number }[]
    return new Map(results.map(({ id, version }) => [id, version]))
  }

  /** Returns the marker that it shows, or 0 before the first. */
  async marker(): Promise<number> {
    const answer = await this.client!.ask('GET', `/indexes/${MARKER}/documents/0`)
    return this.#markerIn(answer)
  }

  #markerIn({ status, json, text }: Answer): number {
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
    const { reads } = this
    for (let i = 0; program.isRunning() && !this.#isEnding; i++) {
      try {
        await this.#readOnce(client, i)
      } catch (error) {
        if (this.#isEnding || !program.isRunning()) return
        reads.failed.push(`${this.name}: ${String(error)}`)
      }
      await pause(READ_PAUSE_MS)
    }
  }

  async #readOnce(client: Client, i: number): Promise<void> {
    if (i % 8 === 1) {
      const { follows } = await this.publication()
      const snapshot = follows?.snapshot ?? ''
      assert.ok(snapshot >= this.#followed, `follows ${snapshot} after ${this.#followed}`)
      this.#followed = snapshot
    } else if (i % 2 === 0) {
      const seen = await this.marker()
      assert.ok(seen >= this.#seen || seen === 0, `marker ${seen} after ${this.#seen}`)
      assert.ok(seen > 0 || !this.#isWhole, 'the marker is gone')
      this.#seen = Math.max(seen, this.#seen)
    } else {
      const body = { q: 'group', limit: 3 }
      const { status, text } = await client.ask('POST', '/indexes/a/search', { body })
      if (this.#isNotYet(status, text)) this.reads.notYet++
      else if (text.includes('too_many_search_requests')) this.reads.late++
      else assert.ok(status === OK || status === NOT_FOUND, `${status} ${text}`)
    }
    this.reads.count++
  }
}
