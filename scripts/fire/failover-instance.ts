// An instance of the session about take-overs: a process with a way of its own to the store, and a
// wall clock of its own. It is killed, stopped, cut off and restarted.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, clientOf } from './ask.ts'
import { WallClock } from './clock-jumps.ts'
import { type FireStore, StoreWay } from './fire-store.ts'
import { type Program, startProgram } from './program.ts'
import { storeWords } from './snapshot-kill.ts'

/** The name of every database folder: the writer's name is that of the place in the store. */
const PLACE = 'data.ms'
const KEY = 'a master key for take-overs'

export type InstanceOptions = {
  readonly name: string
  readonly root: string
  readonly store: FireStore
  /** Options besides those of the store. */
  readonly words: readonly string[]
}

export type Publication = {
  readonly role: string
  readonly publishes: { readonly lease: { term: number; isHeld: boolean } | null } | null
  readonly follows: { readonly snapshot: string | null; readonly problem: string | null } | null
}

export class FailoverInstance {
  readonly #options: InstanceOptions
  readonly way: StoreWay
  readonly #clock: WallClock
  readonly db: string
  program: Program | null = null
  /** null while the process does not serve. */
  client: Client | null = null
  /** The output of processes that have ended. */
  #said = ''

  private constructor(options: InstanceOptions, way: StoreWay) {
    this.#options = options
    this.way = way
    const folder = join(options.root, options.name)
    mkdirSync(folder, { recursive: true })
    this.#clock = new WallClock(folder)
    this.db = join(folder, PLACE)
  }

  static async create(options: InstanceOptions): Promise<FailoverInstance> {
    return new FailoverInstance(options, await StoreWay.start(options.store))
  }

  get name(): string {
    return this.#options.name
  }

  get said(): string {
    return `${this.#said}${this.program?.said() ?? ''}`
  }

  /** Resolves when it serves. */
  async start(): Promise<void> {
    const { words } = this.#options
    const program = startProgram({
      db: this.db,
      node: this.#clock.node,
      variables: this.#clock.variables,
      words: [...storeWords(this.way.url, false), '--master-key', KEY, ...words],
    })
    this.program = program
    this.client = clientOf(await program.url, KEY)
  }

  kill(): Promise<void> {
    this.program?.kill('SIGKILL')
    return this.#ended()
  }

  /** Ends it by SIGTERM. @throws Error if it does not end well */
  async stop(): Promise<void> {
    const how = await this.program?.stop()
    await this.#ended()
    if (how === undefined || (how.code === 0 && how.signal === null)) return
    throw new Error(`${this.name} ended with ${how.signal ?? how.code} after SIGTERM`)
  }

  freeze(): void {
    this.program?.kill('SIGSTOP')
  }

  thaw(): void {
    this.program?.kill('SIGCONT')
  }

  setClock(aheadMs: number): void {
    this.#clock.set(aheadMs)
    this.program?.kill('SIGUSR2')
  }

  async publication(): Promise<Publication> {
    const { status, json, text } = await this.client!.ask('GET', '/publication')
    if (status !== 200) throw new Error(`${this.name}: ${status} ${text}`)
    return json
  }

  /** Returns the numbers of documents in requests that it has saved as unpublished. */
  saved(): ReadonlySet<number> {
    const found = new Set<number>()
    const parent = join(this.db, 'unpublished')
    if (!existsSync(parent)) return found
    for (const term of readdirSync(parent)) {
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

  async end(): Promise<void> {
    await this.kill()
    this.way.stop()
  }

  async #ended(): Promise<void> {
    const { program } = this
    if (program === null) return
    await program.ended
    this.#said += `${program.said()}\n--- ended\n`
    this.client?.close()
    this.program = null
    this.client = null
  }
}
