// An instance of the built server in a folder of its own: a process that is killed, stopped, frozen
// and restarted, and whose wall clock can be set.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, type AskOptions, type Client, clientOf } from './client.ts'
import { type Program, type ProgramOptions, startProgram } from './program.ts'

/** The name of every database folder: the writer's name is that of the place in a store. */
export const PLACE = 'data.ms'
/** The option that allows the server to call others on this machine. */
export const ALLOWS_LOOPBACK = ['--experimental-allowed-ip-networks', '127.0.0.0/8']

export type InstanceOptions = {
  readonly name: string
  /** The folder of all instances. */
  readonly root: string
  /** The master key, which is also sent with all requests; if absent, keys are not required. */
  readonly key?: string
  /** Whether its wall clock can be set. */
  readonly hasClock?: boolean
} & Pick<ProgramOptions, 'node' | 'words' | 'variables'>

export class Instance {
  readonly name: string
  readonly folder: string
  readonly db: string
  readonly #options: InstanceOptions
  /** The output of processes that have ended. */
  #said = ''
  /** null while the process does not run. */
  program: Program | null = null
  /** null while the process does not serve. */
  client: Client | null = null
  /** Number of outages so far. An answer counts only if no outage began during the request. */
  epoch = 0
  /** Whether the instance is killed, frozen, or not reachable by the others. */
  isOut = false

  constructor(options: InstanceOptions) {
    this.#options = options
    this.name = options.name
    this.folder = join(options.root, options.name)
    this.db = join(this.folder, PLACE)
    mkdirSync(this.folder, { recursive: true })
    if (options.hasClock !== true) return
    writeFileSync(join(this.folder, 'clock.cjs'), CLOCK)
    this.setClock(0)
  }

  get pid(): number {
    return this.program?.pid ?? 0
  }

  get isRunning(): boolean {
    return this.program?.isRunning() === true
  }

  /** The output of its processes so far. */
  get said(): string {
    return `${this.#said}${this.program?.said() ?? ''}`
  }

  /** Resolves when it listens. `more`: further arguments of this start. */
  async start(more: readonly string[] = []): Promise<void> {
    const { key, hasClock = false, node = [], words = [], variables = {} } = this.#options
    const clock = ['--enable-source-maps', '--require', join(this.folder, 'clock.cjs')]
    const program = startProgram({
      db: this.db,
      node: hasClock ? [...clock, ...node] : node,
      words: [...words, ...more],
      variables: {
        ...(key === undefined ? {} : { SVC_MASTER_KEY: key }),
        ...(hasClock ? { [CLOCK_FILE]: join(this.folder, 'clock') } : {}),
        ...variables,
      },
    })
    this.program = program
    this.client = clientOf(await program.url, key ?? null)
  }

  /** Ends the process with SIGKILL. */
  async kill(): Promise<void> {
    this.signal('SIGKILL')
    await this.#ended()
  }

  /** Ends the process with SIGTERM. @throws AssertionError if it does not end well */
  async stop(): Promise<void> {
    const how = await this.program?.stop()
    await this.#ended()
    if (how !== undefined) assert.deepEqual([how.code, how.signal], [0, null], how.stderr)
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

  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    this.program?.kill(signal)
  }

  /** Sets how far the wall clock is ahead; clocks that measure durations stay right. */
  setClock(aheadMs: number): void {
    writeFileSync(join(this.folder, 'clock'), String(aheadMs))
  }

  /** Rejects when the connection is lost, or when it does not serve. */
  async ask(method: string, path: string, options?: AskOptions): Promise<Answer> {
    if (this.client === null) throw new Error(`${this.name} does not serve`)
    return await this.client.ask(method, path, options)
  }

  /** @throws AssertionError if the answer has another status */
  async expect(status: number, method: string, path: string, body?: object): Promise<Answer> {
    const answer = await this.ask(method, path, body === undefined ? {} : { body })
    assert.equal(answer.status, status, `${this.name}, ${method} ${path}: ${answer.text}`)
    return answer
  }

  /** Deletes its database; the next start is a new instance of the same name. */
  wipe(): void {
    rmSync(this.db, { recursive: true, force: true })
  }
}

const CLOCK_FILE = 'SVC_FIRE_CLOCK_FILE'

/** Shifts `Date` by the milliseconds in the file; threads of the server load it as well. */
const CLOCK = `
  const { readFileSync } = require('node:fs')
  const Real = Date
  let ahead = 0
  let readAt = -Infinity
  const now = () => {
    if (performance.now() - readAt >= 50) {
      readAt = performance.now()
      ahead = Number(readFileSync(process.env.${CLOCK_FILE}, 'utf8'))
    }
    return Real.now() + ahead
  }
  globalThis.Date = class Date extends Real {
    constructor(...words) {
      if (words.length === 0) super(now())
      else super(...words)
    }
    static now() {
      return now()
    }
  }
`
