// One simulation: a clock, a network, and instances in this process. Everything follows from the
// seed. `run` executes the clients and moves the clock until they have ended.
import { type Random, randomOf } from '../../../engine/store/storage/index.ts'
import { type Config, readConfig } from '../../../server/config/index.ts'
import { Clock, type Owner, ownerOf } from './clock.ts'
import { type Serve, Simulated, serveAlone, type Tamper } from './instance.ts'
import { CLIENT, Lines } from './lines.ts'
import { install } from './machine.ts'
import { Trace } from './trace.ts'

/** Timers that one simulation may run; more are an endless loop without progress. */
const STEPS_MAX = 3_000_000
/** Shorter than the defaults, so that clients do not wait long for an instance that is away. */
const VARIABLES = {
  SVC_HTTP_ADDR: '127.0.0.1:7700',
  SVC_EXPERIMENTAL_PROXY_BACKOFF_TIMEOUT_SECONDS: '2',
}
const FORGETFUL = { ...VARIABLES, SVC_EXPERIMENTAL_NETWORK_BACKLOG_SIZE: '1' }
const PROBLEMS_MAX = 20

type Configs = { readonly usual: Config; readonly forgetful: Config }
let configs: Configs | null = null

export class World {
  readonly seed: number
  readonly clients = ownerOf(CLIENT)
  readonly clock = new Clock(this.clients)
  readonly trace: Trace
  readonly lines: Lines
  readonly instances = new Map<string, Simulated>()
  readonly problems: string[] = []
  tamper: Tamper = {}
  /** Whether leaders keep no writes for an instance that is away: it gets its shards again. */
  isForgetful = false
  /** Draws of the clients and of the faults. */
  readonly random: Random
  readonly #configs: Configs
  readonly #machines: Random

  private constructor(seed: number, read: Configs, watch: ((line: string) => void) | null) {
    this.seed = seed
    this.#configs = read
    this.trace = new Trace(watch)
    this.random = randomOf(seed)
    this.#machines = randomOf(seed ^ 0x5bd1e995)
    this.lines = new Lines(this.clock, randomOf(seed ^ 0x2545f491), this.trace)
  }

  /** Runs the clients' work in a new world. It never rejects: a failure is a problem. */
  static async run(
    seed: number,
    work: (world: World) => Promise<void>,
    watch: ((line: string) => void) | null = null,
  ): Promise<World> {
    configs ??= {
      usual: await readConfig(new Map(), VARIABLES),
      forgetful: await readConfig(new Map(), FORGETFUL),
    }
    await loadLateModules()
    const world = new World(seed, configs, watch)
    await world.#run(work)
    return world
  }

  /** Adds an instance that does not run yet. */
  add(name: string, given?: Serve): Simulated {
    const { usual, forgetful } = this.#configs
    const serve = given ?? serveAlone(this.isForgetful ? forgetful : usual)
    const { clock, lines, trace } = this
    const instance = new Simulated(name, {
      clock,
      lines,
      trace,
      random: this.#machines,
      serve,
      tamper: () => this.tamper,
      targetOf: (host) => this.instances.get(host.split(':')[0]!) ?? null,
      problem: (text) => this.problem(text),
    })
    this.instances.set(name, instance)
    return instance
  }

  note(what: string): void {
    this.trace.add(this.clock.now, CLIENT, what)
  }

  problem(text: string): void {
    this.note(`PROBLEM ${text}`)
    if (this.problems.length < PROBLEMS_MAX) {
      this.problems.push(`${(this.clock.now / 1000).toFixed(3)} s: ${text}`)
    }
  }

  /** Runs the next timer; its work may meet a machine without power, which is noticed next. */
  async #step(): Promise<Owner | null> {
    try {
      return await this.clock.step()
    } catch (error) {
      if (!isPowerOff(error)) throw error
      return this.clock.current
    }
  }

  async #run(work: (world: World) => Promise<void>): Promise<void> {
    const restore = install(this.clock, randomOf(this.seed ^ 0x9e3779b9))
    const listeners = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    const unhandled = (error: unknown): void => {
      if (!isPowerOff(error)) this.problem(`an unhandled rejection: ${textOf(error)}`)
    }
    process.on('unhandledRejection', unhandled)
    try {
      let hasEnded = false
      work(this)
        .catch((error: unknown) => this.problem(textOf(error)))
        .finally(() => {
          hasEnded = true
        })
      await this.clock.settle()
      for (let steps = 0; !hasEnded; steps++) {
        const owner = await this.#step()
        if (owner === null || steps === STEPS_MAX) {
          this.problem(owner === null ? 'nothing is left to happen' : 'it does not end')
          break
        }
        for (const instance of this.instances.values()) instance.notice()
      }
      for (const instance of this.instances.values()) instance.kill()
    } catch (error) {
      this.problem(textOf(error))
    } finally {
      process.off('unhandledRejection', unhandled)
      for (const listener of listeners) process.on('unhandledRejection', listener)
      restore()
    }
  }
}

/** Loads the modules that others load on first use: that takes real time. */
const loadLateModules = (): Promise<unknown> =>
  Promise.all([
    import('../../../engine/without-threads.ts'),
    import('aws4fetch'),
    import('fast-xml-parser'),
  ])

const isPowerOff = (error: unknown): boolean => error instanceof Error && error.name === 'PowerOff'

const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
