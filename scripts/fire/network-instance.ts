// One instance of a network under fire: a process that is killed, restarted or paused for a while,
// behind a proxy through which the others reach it.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, type AskOptions, type Client, clientOf } from './ask.ts'
import { PartitionProxy, type ProxyMode } from './network-proxy.ts'
import { type Program, type ProgramOptions, startProgram } from './program.ts'
import { ALLOWS_LOOPBACK } from './slow-provider.ts'

/** Short times, so that clients do not wait long for an instance that is down. */
const VARIABLES = { SVC_EXPERIMENTAL_PROXY_BACKOFF_TIMEOUT_SECONDS: '2' }

export type InstanceOptions = {
  /** The master key, which is also sent with all requests; if absent, keys are not required. */
  readonly key?: string
} & Pick<ProgramOptions, 'node' | 'words' | 'variables'>

export class Instance {
  readonly name: string
  readonly proxy: PartitionProxy
  readonly db: string
  readonly #options: InstanceOptions
  #program: Program | null = null
  #client: Client | null = null
  /** Number of outages so far. An answer counts only if no outage began during the request. */
  epoch = 0
  /** Whether the instance is killed, paused, or not reachable by the others. */
  isOut = false

  private constructor(name: string, db: string, proxy: PartitionProxy, options: InstanceOptions) {
    this.name = name
    this.db = db
    this.proxy = proxy
    this.#options = options
  }

  /** Starts an instance in a folder of its own, which may have a database. */
  static async start(name: string, root: string, options: InstanceOptions = {}): Promise<Instance> {
    const folder = join(root, name)
    mkdirSync(folder, { recursive: true })
    const proxy = await PartitionProxy.start()
    const instance = new Instance(name, join(folder, 'data.ms'), proxy, options)
    await instance.boot()
    return instance
  }

  /** The address for the other instances, which is that of the proxy. */
  get url(): string {
    return this.proxy.url
  }

  get pid(): number {
    return this.#program?.pid ?? 0
  }

  /** The address of the process itself. */
  get directUrl(): string {
    return `http://127.0.0.1:${this.proxy.target}`
  }

  get isRunning(): boolean {
    return this.#program?.isRunning() === true
  }

  /** The output of the process since its last start. */
  get said(): string {
    return this.#program?.said() ?? ''
  }

  async boot(): Promise<void> {
    const { key, node = [], words = [], variables = {} } = this.#options
    const program = startProgram({
      db: this.db,
      node,
      words: [...ALLOWS_LOOPBACK, '--max-indexing-threads', '1', ...words],
      variables: {
        ...VARIABLES,
        ...(key === undefined ? {} : { SVC_MASTER_KEY: key }),
        ...variables,
      },
    })
    this.#program = program
    const url = await program.url
    this.#client = clientOf(url, key ?? null)
    this.proxy.target = Number(new URL(url).port)
  }

  /** Ends the process with SIGKILL. */
  async kill(): Promise<void> {
    this.proxy.target = null
    this.#program?.kill('SIGKILL')
    await this.#program?.ended
    this.proxy.breakAll()
    this.#client?.close()
  }

  /** Pauses or continues the process. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#program?.kill(signal)
  }

  set mode(mode: ProxyMode) {
    this.proxy.mode = mode
  }

  /** Sends a request to the process, not to the proxy. Rejects when the connection is lost. */
  ask(method: string, path: string, options: AskOptions = {}): Promise<Answer> {
    if (this.#client === null) throw new Error(`${this.name} was not started`)
    return this.#client.ask(method, path, options)
  }

  async stop(): Promise<void> {
    this.#client?.close()
    this.#program?.kill('SIGCONT')
    await this.#program?.stop()
    await this.proxy.stop()
  }
}
