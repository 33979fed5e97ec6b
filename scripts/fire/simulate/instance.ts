// An instance in a simulation: the engine, the services and the routes as a server runs them, on a
// disk in memory, with requests that come over simulated lines.
import {
  type Engine,
  type EngineOptions,
  type OutgoingAnswer,
  OutgoingFault,
  type OutgoingRequest,
  openEngine,
  type Send,
  StorageError,
} from '../../../engine/index.ts'
import { FakeDisk, type Random } from '../../../engine/store/storage/index.ts'
import { KiB, MiB } from '../../../format/bytes/index.ts'
import { type Config, RELEASE } from '../../../server/config/index.ts'
import type { ServerMaker } from '../../../server/http/index.ts'
import { run } from '../../../server/launch/index.ts'
import { Log } from '../../../server/log/index.ts'
import { type Clock, type Owner, ownerOf } from './clock.ts'
import { type Line, LineFault, type Lines, type Target } from './lines.ts'
import type { Trace } from './trace.ts'
import { Listening, type WireAnswer, type WireRequest } from './wire.ts'

/** The parts that a process runs with. */
export type Process = {
  readonly name: string
  readonly options: EngineOptions
  readonly log: Log
  readonly make: ServerMaker
  readonly line: Line
  readonly send: Send
  /** Returns the engine, or another one in its place: see `Tamper`. */
  readonly tampered: (engine: Engine) => Engine
  /** Ends the process, as `process.exit` does. */
  readonly exit: () => void
}

/** The server of a process. Its engine may be replaced by another one. */
export type Served = { readonly engine: Engine; readonly stop: () => Promise<void> }
export type Serve = (process: Process) => Promise<Served>

/** A server as `program.ts` starts it without an object store. */
export const serveAlone =
  (config: Config): Serve =>
  async ({ options, log, make, send, tampered }) =>
    run(config, tampered(await openEngine(options)), log, null, make, null, send)

/** Faults of the code itself, with which tests show that a simulation notices them. */
export type Tamper = {
  /** Answers a request in place of an instance, or returns null. */
  readonly accept?: (name: string, request: WireRequest) => WireAnswer | null
  /** Returns what an instance receives in place of an answer of another one. */
  readonly received?: (request: OutgoingRequest, answer: OutgoingAnswer) => OutgoingAnswer
  /** Returns the engine that is served in place of another one. */
  readonly engine?: (name: string, engine: Engine) => Engine
}

export type Surroundings = {
  readonly tamper: () => Tamper
  readonly clock: Clock
  readonly lines: Lines
  readonly trace: Trace
  readonly random: Random
  readonly serve: Serve
  readonly targetOf: (host: string) => Target | null
  readonly problem: (text: string) => void
}

/** Milliseconds of a slow operation of the disk. */
const SLOW_DISK_MS = 25
const STOP_MS_MAX = 60_000
/** Answers of at least this size are in shared memory if the caller wants it. */
const SHARED_BYTES_MIN = 256 * KiB
/** Wall clocks of instances differ by up to this. */
const AHEAD_MS_MAX = 5000

export class Simulated implements Target {
  readonly name: string
  readonly disk: FakeDisk
  /** One operation of the disk in this many is slow. */
  slowDiskShare = 16
  /** Whether the machine is off. */
  isOff = false
  readonly #around: Surroundings
  readonly #aheadMs: number
  #listening = new Listening()
  #process: Owner | null = null
  #served: Served | null = null
  readonly #open = new Set<() => void>()
  /** Called when the process ends before it listens. */
  #died: () => void = () => undefined

  constructor(name: string, around: Surroundings) {
    this.name = name
    this.#around = around
    this.disk = new FakeDisk(around.random.below(2 ** 30))
    this.#aheadMs = around.random.below(AHEAD_MS_MAX)
    this.disk.gate = () => this.#wait()
  }

  get url(): string {
    return `http://${this.name}:7700`
  }

  get owner(): Owner | null {
    return this.#listening.isOpen ? this.#process : null
  }

  /** Whether it answers requests. */
  get isUp(): boolean {
    return this.#served !== null
  }

  /** Whether its process runs and does not answer yet, or no longer. */
  get isStarting(): boolean {
    return this.#process !== null && this.#served === null
  }

  /** Whether its process is stopped for a while. */
  get isStopped(): boolean {
    return (this.#process?.held ?? null) !== null
  }

  get sends(): boolean {
    return this.#process !== null && !this.disk.powerIsOff
  }

  get refuses(): boolean {
    return !this.isOff
  }

  get engine(): Engine | null {
    return this.#served?.engine ?? null
  }

  /**
   * Starts a process. Resolves when it answers requests, or has been killed before. @throws any
   * error of opening
   */
  async start(): Promise<void> {
    const { clock } = this.#around
    const owner = ownerOf(this.name, this.#aheadMs)
    this.isOff = false
    this.#process = owner
    this.#listening = new Listening()
    this.#note('starts')
    const died = new Promise<null>((resolve) => {
      this.#died = () => resolve(null)
    })
    try {
      const served = await Promise.race([
        died,
        clock.hand(clock.as(owner, () => this.#serve(owner))),
      ])
      if (served === null) return
      this.#served = served
      this.#note('listens')
    } catch (error) {
      if (owner.isAlive) this.kill()
      throw error
    }
  }

  /** Stops the process, as SIGSTOP does, and lets it continue after `ms`, unless it is stopped. */
  async pause(ms: number): Promise<void> {
    const { clock } = this.#around
    const process = this.#process
    if (process === null || process.held !== null) return
    this.#note('is stopped')
    process.held = []
    await clock.sleep(ms)
    if (process.isAlive) this.#note('continues')
    clock.resume(process)
  }

  /** Ends the process, as `kill -9` does. */
  kill(): void {
    this.#note('is killed')
    this.#end()
    this.disk.kill()
    this.isOff = false
    for (const broken of this.#open) broken()
    this.#open.clear()
  }

  /** Ends the process with the power of its machine, which may lose what was not synced. */
  powerOff(): void {
    this.#note('loses its power')
    this.#end()
    this.isOff = true
    this.disk.crash(this.#around.random.below(2 ** 30))
    this.#open.clear()
  }

  /** Called after each step: the power may have failed in the middle of it. */
  notice(): void {
    if (this.disk.powerIsOff) this.powerOff()
  }

  /** Ends the process in an orderly way. */
  async stop(): Promise<void> {
    const { clock, problem } = this.#around
    const [process, served] = [this.#process, this.#served]
    if (process === null || served === null) return
    this.#served = null
    this.#note('stops')
    const stopped = clock.hand(clock.as(process, () => served.stop())).catch((error: unknown) => {
      // The power failed meanwhile.
      if (!process.isAlive) return
      // The disk fails: the process ends with the error.
      if (!(error instanceof StorageError)) throw error
      this.#note(`ends: ${error}`)
    })
    const late = clock.sleep(STOP_MS_MAX).then(() => 'late')
    const isLate = (await Promise.race([stopped, late])) === 'late'
    if (isLate && process.isAlive) problem(`${this.name} does not stop`)
    if (process.isAlive) this.kill()
  }

  accept(
    request: WireRequest,
    ended: (answer: WireAnswer | null) => void,
    broken: () => void,
  ): () => void {
    const instead = this.#around.tamper().accept?.(this.name, request) ?? null
    if (instead !== null) {
      ended(instead)
      return () => undefined
    }
    this.#open.add(broken)
    const hangUp = this.#listening.accept(request, (answer) => {
      this.#open.delete(broken)
      ended(answer)
    })
    const process = this.#process
    return () => {
      this.#open.delete(broken)
      if (this.#process === process) hangUp()
    }
  }

  #end(): void {
    if (this.#process !== null) this.#process.isAlive = false
    this.#process = null
    this.#served = null
    this.#listening = new Listening()
    this.#died()
  }

  #note(what: string): void {
    this.#around.trace.add(this.#around.clock.now, this.name, what)
  }

  #serve(process: Owner): Promise<Served> {
    const { name } = this
    const line = this.#lineOf(process)
    const send = this.#sendOf(line)
    const { make } = this.#listening
    const { tamper, serve } = this.#around
    const tampered = (engine: Engine): Engine => tamper().engine?.(name, engine) ?? engine
    const exit = (): void => this.kill()
    const options = this.#options(send)
    return serve({ name, options, log: this.#log(), make, line, send, tampered, exit })
  }

  #log(): Log {
    const write = (line: string): void => this.#note(line.trim().slice(0, 200))
    return new Log({ level: 'WARN', mode: 'human', write, now: Date.now })
  }

  #options(send: Send): EngineOptions {
    return {
      path: `/${this.name}`,
      version: RELEASE.version,
      upgrade: false,
      workers: null,
      searchThreads: 1,
      searchQueueMax: 100,
      searchesAtOnce: 4,
      searchDropAfterMs: 60_000,
      indexingMemoryMax: 16 * MiB,
      batchTasksMax: Number.POSITIVE_INFINITY,
      batchBytesMax: Number.POSITIVE_INFINITY,
      send,
      exportBytes: 20 * MiB,
      note: (message) => this.#note(message),
      report: (message, error) => this.#note(`${message} ${error}`.slice(0, 200)),
      fileSystem: this.disk.mount(),
    }
  }

  #wait(): Promise<void> {
    const { clock, random } = this.#around
    if (this.slowDiskShare === 0 || random.below(this.slowDiskShare) > 0) return Promise.resolve()
    return clock.sleep(random.below(SLOW_DISK_MS))
  }

  /**
   * Returns the way of a process to others. The rest of a request is work of that process, and one
   * that has ended sends nothing.
   */
  #lineOf(process: Owner): Line {
    const { clock, lines } = this.#around
    return (target, request, limits) =>
      process === this.#process && this.sends
        ? clock.as(process, () => lines.call(this.name, target, request, limits))
        : new Promise(() => undefined)
  }

  /** Returns the client of a process for all other servers. */
  #sendOf(line: Line): Send {
    return async (request) => {
      try {
        const { status, headers, body } = await this.#call(request, line)
        const retryAfter = headers['retry-after']
        const { answerBytesMax = MiB, take, isShared = false } = request
        if (take !== undefined && (body.length > answerBytesMax || !take(body.length))) {
          throw new OutgoingFault('tooLarge', 'the answer is too large')
        }
        const answer = {
          status,
          body: cut(body, answerBytesMax, isShared),
          ...(retryAfter === undefined ? {} : { retryAfter }),
        }
        return this.#around.tamper().received?.(request, answer) ?? answer
      } catch (error) {
        if (!(error instanceof LineFault)) throw error
        const words = `error sending request: ${error.code}`
        throw new OutgoingFault('unreachable', words, error.code === 'ETIMEDOUT')
      }
    }
  }

  #call(request: OutgoingRequest, line: Line): Promise<WireAnswer> {
    const { method, headers, body, connectMs, timeoutMs, totalMs, signal } = request
    const { host, pathname, search } = new URL(request.url)
    const target = this.#around.targetOf(host)
    if (target === null) throw new LineFault('ECONNREFUSED', `no instance is at ${host}`)
    const limits = {
      connectMs: connectMs ?? timeoutMs,
      totalMs: Math.min(totalMs ?? timeoutMs, timeoutMs),
      signal,
    }
    const sent = body === null ? null : Uint8Array.from(body)
    return line(target, { method, path: `${pathname}${search}`, host, headers, body: sent }, limits)
  }
}

function cut(body: Uint8Array, bytesMax: number, isShared: boolean): Uint8Array {
  const part = body.subarray(0, bytesMax)
  if (!isShared || part.length < SHARED_BYTES_MIN) return part
  const shared = new Uint8Array(new SharedArrayBuffer(part.length))
  shared.set(part)
  return shared
}
