// The run of one target within a time box: mutates inputs, keeps those that reach new code, reports
// those that break the target. Runs in a worker thread, because an input may never end.
//
// Inputs run in batches, since a coverage report costs more than most inputs do. A batch that
// reached new code is run again input by input to find the inputs that did; the size of batches
// doubles while none does.
import { getHeapStatistics } from 'node:v8'
import type { Coverage, Fresh } from './coverage.ts'
import { dictionaryOf, Mutator } from './mutate.ts'
import {
  Beacon,
  digest,
  type Finding,
  type FindingKind,
  type Job,
  type Report,
} from './protocol.ts'
import { Random } from './random.ts'
import type { FuzzTarget } from './target.ts'

const BATCH_MAX = 64
const MINIMISE_MS = 2000
const RECENT = 8
/**
 * More memory than this for inputs of some kilobytes means that a decoder trusted a length it
 * should have checked.
 */
const MEMORY_BYTES_MAX = 256 * 1024 * 1024

type Failure = { readonly kind: FindingKind; readonly message: string; readonly key: string }

export class Campaign {
  readonly #target: FuzzTarget
  readonly #job: Job
  readonly #coverage: Coverage
  readonly #beacon: Beacon
  readonly #random: Random
  readonly #pool: Uint8Array[] = []
  readonly #findings = new Map<string, Finding>()
  #executions = 0

  constructor(target: FuzzTarget, job: Job, coverage: Coverage) {
    this.#target = target
    this.#job = job
    this.#coverage = coverage
    this.#beacon = new Beacon(job.shared)
    this.#random = new Random(job.seed)
  }

  async run(): Promise<Report> {
    const end = performance.now() + this.#job.seconds * 1000
    const seeds = this.#job.alone ? [] : this.#target.seeds()
    const words = dictionaryOf(seeds, this.#target.words)
    const mutator = new Mutator(this.#random, words, this.#target.inputBytesMax)
    const before = this.#coverage.covered
    let refusedSeeds = 0
    for (const seed of seeds) if (await this.#isRefused(seed)) refusedSeeds++
    for (const input of this.#job.inputs) await this.#try(input)
    // All of them are in the pool, with or without new code: one report is enough.
    this.#pool.push(...seeds, ...this.#job.inputs)
    this.#coverage.commit(this.#coverage.take())
    if (this.#pool.length === 0) this.#pool.push(new Uint8Array(0))
    let size = 1
    while (performance.now() < end && this.#findings.size < this.#job.findingsMax) {
      const batch = Array.from({ length: size }, () =>
        mutator.mutate(this.#choose(), this.#choose()),
      )
      const reached = await this.#runBatch(batch)
      this.#pool.push(...reached)
      size = reached.length > 0 ? Math.max(1, size >> 2) : Math.min(size * 2, BATCH_MAX)
    }
    const findings: Finding[] = []
    for (const finding of this.#findings.values()) findings.push(await this.#minimised(finding))
    return {
      executions: this.#executions,
      pool: this.#pool.length,
      covered: this.#coverage.covered - before,
      refusedSeeds,
      findings,
      kept: this.#job.keep ? await this.#smallestPool(seeds) : [],
    }
  }

  /**
   * Inputs that reached new code recently are chosen more often: there is probably more code to
   * reach from them.
   */
  #choose(): Uint8Array {
    const count = this.#pool.length
    const from = this.#random.oneIn(2) ? Math.max(0, count - RECENT) : 0
    return this.#pool[from + this.#random.below(count - from)]!
  }

  /** Runs all inputs; returns those that reached new code. */
  async #runBatch(batch: readonly Uint8Array[]): Promise<readonly Uint8Array[]> {
    for (const input of batch) await this.#try(input)
    const fresh = this.#coverage.take()
    if (fresh.length === 0) return []
    const reached = batch.length === 1 ? batch : await this.#thoseThatReach(batch)
    this.#coverage.commit(fresh)
    return reached
  }

  async #thoseThatReach(inputs: readonly Uint8Array[]): Promise<readonly Uint8Array[]> {
    const reached: Uint8Array[] = []
    for (const input of inputs) if (await this.#reaches(input)) reached.push(input)
    return reached
  }

  /** Tries a seed, which should be valid; returns true if it is too long or not accepted. */
  async #isRefused(seed: Uint8Array): Promise<boolean> {
    const error = await this.#try(seed)
    return (
      seed.length > this.#target.inputBytesMax || (error !== null && this.#target.allows(error))
    )
  }

  async #reaches(input: Uint8Array): Promise<boolean> {
    await this.#try(input)
    const fresh: readonly Fresh[] = this.#coverage.take()
    this.#coverage.commit(fresh)
    return fresh.length > 0
  }

  /** Keeps the failure that `input` causes; returns the error that the target threw, or null. */
  async #try(input: Uint8Array): Promise<unknown> {
    this.#executions++
    const { error, failure } = await this.#outcomeOf(input)
    if (failure !== null && !this.#findings.has(failure.key)) {
      const { kind, message } = failure
      this.#findings.set(failure.key, { kind, message, input })
    }
    return error
  }

  async #outcomeOf(input: Uint8Array): Promise<{ error: unknown; failure: Failure | null }> {
    const memory = getHeapStatistics().external_memory
    const error = await this.#runOne(input)
    const taken = getHeapStatistics().external_memory - memory
    if (error !== null && !this.#target.allows(error)) return { error, failure: failureOf(error) }
    if (taken <= MEMORY_BYTES_MAX) return { error, failure: null }
    const message = `${Math.round(taken / 1048576)} MiB for ${input.length} bytes of input`
    return { error, failure: { kind: 'memory', message, key: 'memory' } }
  }

  /** Returns the key of the failure that `input` causes, if it causes one. */
  async #failureKey(input: Uint8Array): Promise<string | undefined> {
    return (await this.#outcomeOf(input)).failure?.key
  }

  /** Returns the error that the target threw, or null. The watchdog watches the input meanwhile. */
  async #runOne(input: Uint8Array): Promise<unknown> {
    // A target may keep or change its input, so it gets a copy.
    const own = input.slice()
    this.#beacon.enter(input)
    try {
      // A synchronous target costs no turn of the event loop.
      const running = this.#target.run(own)
      if (running !== undefined) await running
      return null
    } catch (error) {
      // The target decides which errors are allowed.
      return error ?? 'nothing'
    } finally {
      this.#beacon.leave()
    }
  }

  /** Returns a shorter input with the same failure, as short as a time box allows. */
  async #minimised(finding: Finding): Promise<Finding> {
    const key = await this.#failureKey(finding.input)
    if (key === undefined || finding.kind !== 'error') return finding
    const end = performance.now() + MINIMISE_MS
    const same = async (input: Uint8Array): Promise<boolean> =>
      performance.now() < end && (await this.#failureKey(input)) === key
    const input = await shortened(finding.input, same)
    return { ...finding, input }
  }

  /**
   * Returns the inputs that, together with the seeds, reach the same code as the pool, short ones
   * first.
   */
  async #smallestPool(seeds: readonly Uint8Array[]): Promise<readonly Uint8Array[]> {
    this.#coverage.forget()
    for (const seed of seeds) await this.#reaches(seed)
    const known = new Set(seeds.map(digest))
    const rest = this.#pool.filter((input) => !known.has(digest(input)))
    rest.sort((a, b) => a.length - b.length)
    return this.#thoseThatReach(rest)
  }
}

/** Failures with the same key are one finding: the kind of error and its source location. */
function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) {
    return { kind: 'error', message: `threw ${String(error)}`, key: typeof error }
  }
  const stack = error.stack ?? error.message
  const frame = /^\s+at (.*)$/m.exec(stack)?.[1] ?? ''
  const key = `${error.name} ${error.message.replace(/\d+/g, '0').slice(0, 80)} ${frame}`
  return { kind: 'error', message: stack, key }
}

/** Removes parts, large ones first, and blanks bytes, as long as `fails` returns true. */
async function shortened(
  input: Uint8Array,
  fails: (input: Uint8Array) => Promise<boolean>,
): Promise<Uint8Array> {
  let best = input
  for (let size = best.length >> 1; size > 0; size >>= 1) {
    for (let at = 0; at < best.length; ) {
      const part = new Uint8Array(best.length - Math.min(size, best.length - at))
      part.set(best.subarray(0, at))
      part.set(best.subarray(at + size), at)
      if (await fails(part)) best = part
      else at += size
    }
  }
  for (let at = 0; at < best.length; at++) {
    if (best[at] === 0) continue
    const blank = best.slice()
    blank[at] = 0
    if (await fails(blank)) best = blank
  }
  return best
}
