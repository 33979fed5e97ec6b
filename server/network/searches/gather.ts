// Calls the instances of a plan at the same time. If one fails or its answer is invalid, other
// owners of its shards are called in the remaining time; shards without an answer are reported.
// With hedging a second owner is called as soon as the first one is slower than usual, and the
// first answer counts.
import type { Remote } from '../../../engine/index.ts'
import type { TaskUid } from '../../../format/ids.ts'
import { ApiError } from '../../errors/index.ts'
import {
  type Availability,
  FIRST_COLD_MS,
  FIRST_MS,
  isRetryable,
  LAST_MS,
  type Latencies,
} from '../calls/index.ts'
import { lacksIndex } from './absent-index.ts'
import { notVisible } from './answer-state.ts'
import { chosenOwner, type RequestedShards, type SearchPlan } from './search-plan.ts'
import { notMoved } from './unreached.ts'

/** The part of a search that one instance is called for. */
export type Call = {
  readonly remote: string
  readonly shards: RequestedShards
  /** True unless the call replaces one of another instance. */
  readonly isFirst: boolean
}

/** The answer of one instance. */
export type Answer = Call & { readonly bytes: Uint8Array }

export type GatherParts = {
  readonly availability: Availability
  /** Time limit of all calls together. */
  readonly searchMs: number
  /** Milliseconds of any clock. */
  readonly now: () => number
  /** Whether a failed instance is paused. */
  readonly pausesFailed: boolean
  readonly latencies: Latencies
  /** Whether a second owner is called if the first one is slow. */
  readonly hedges: boolean
  /** Aborts all calls. */
  readonly signal: AbortSignal | null
  /** A task that all parts must contain, so that none may be missing; or null. */
  readonly minTaskUid: TaskUid | null
}

export type CallInstance = (
  remote: Remote,
  call: Call,
  ms: number,
  signal: AbortSignal | null,
) => Promise<Uint8Array>

type Tried = ReadonlySet<string>

export class Gathering {
  readonly #plan: SearchPlan
  readonly #callInstance: CallInstance
  readonly #parts: GatherParts
  readonly #end: number
  readonly #errors = new Map<string, ApiError>()
  readonly #tried = new Map<Answer, Tried>()
  #answers: Answer[] = []

  constructor(plan: SearchPlan, callInstance: CallInstance, parts: GatherParts) {
    this.#plan = plan
    this.#callInstance = callInstance
    this.#parts = parts
    this.#end = parts.now() + parts.searchMs
    for (const name of plan.unreached) this.#errors.set(name, notMoved(name))
    for (const owner of plan.unowned.values()) this.#errors.set(owner, noOwner())
  }

  /** Answers by name of the instance, in byte order. */
  get answers(): readonly Answer[] {
    return this.#answers
  }

  /** Errors by name of the instance, in byte order. */
  get errors(): { readonly [remote: string]: unknown } {
    return errorBodies(this.#errors)
  }

  get msLeft(): number {
    return this.#end - this.#parts.now()
  }

  /** True if an instance has another version of the network. */
  get hasMismatch(): boolean {
    return [...this.#errors.values()].some(({ code }) => code === 'network_version_mismatch')
  }

  /**
   * Refuses a result that lacks shards, if all of them must contain a task.
   * @throws ApiError task_not_visible_yet
   */
  expectWhole(): void {
    const { minTaskUid } = this.#parts
    if (minTaskUid === null || !this.#plan.isSharded) return
    const wanted = [...this.#plan.remotes.values()].flatMap((shards) => shards ?? [])
    const found = new Set(this.#answers.flatMap(({ shards }) => shards ?? []))
    const isWhole = this.#plan.unowned.size === 0 && wanted.every((shard) => found.has(shard))
    if (!isWhole) throw notVisible(minTaskUid, 'No instance that answers contains it')
  }

  /** Resolves when all calls have ended. @throws the reason of the aborted signal */
  async begin(): Promise<void> {
    const { remotes } = this.#plan
    await Promise.all([...remotes].map(([name, shards]) => this.#add(name, shards, new Set())))
  }

  /** Replaces an invalid answer: reports its instance and calls other owners of its shards. */
  async refuse(answer: Answer, error: ApiError): Promise<void> {
    this.#answers = this.#answers.filter((one) => one !== answer)
    this.#failed(answer.remote, error)
    const tried = this.#tried.get(answer) ?? new Set([answer.remote])
    await this.#addOthers(answer.shards, tried, error)
  }

  /** Calls other owners for the shards of this instance, which lacks the index. */
  async addOwn(): Promise<void> {
    const { own, network } = this.#plan
    if (own === undefined || network.self === null) return
    await this.#addOthers(own, new Set([network.self]), null)
  }

  async #add(name: string, shards: RequestedShards, tried: Tried): Promise<void> {
    this.#addAnswers(await this.#answersFor(name, shards, tried, this.#parts.signal))
  }

  async #addOthers(shards: RequestedShards, tried: Tried, error: ApiError | null): Promise<void> {
    this.#addAnswers(await this.#fromOthers(shards, tried, error, this.#parts.signal))
  }

  #addAnswers(answers: readonly Answer[]): void {
    this.#answers.push(...answers)
    this.#answers.sort((a, b) => (a.remote < b.remote ? -1 : 1))
  }

  /**
   * Returns the answer of an instance, or of others for the same shards; reports missing shards.
   */
  async #answersFor(
    name: string,
    shards: RequestedShards,
    tried: Tried,
    signal: AbortSignal | null,
  ): Promise<readonly Answer[]> {
    const nowTried = new Set([...tried, name])
    const canHedge = this.#parts.hedges && this.#haveOthers(shards, nowTried)
    if (canHedge) return this.#hedged(name, shards, nowTried, signal)
    const answer = await this.#call(name, shards, nowTried, signal)
    if (!(answer instanceof ApiError)) return [answer]
    this.#failed(name, answer)
    return this.#fromOthers(shards, nowTried, answer, signal)
  }

  /** Returns the first complete result: of the instance, or of others called because it is slow. */
  async #hedged(
    name: string,
    shards: RequestedShards,
    tried: Tried,
    signal: AbortSignal | null,
  ): Promise<readonly Answer[]> {
    const [stopFirst, stopOthers] = [new AbortController(), new AbortController()]
    const first = this.#call(name, shards, tried, either(signal, stopFirst))
    const isSlow = await outlasts(first, this.#parts.latencies.hedgeDelay(name))
    const callOthers = (why: ApiError | null): Promise<readonly Answer[]> =>
      this.#fromOthers(shards, tried, why, either(signal, stopOthers))
    if (!isSlow) {
      const answer = await first
      if (!(answer instanceof ApiError)) return [answer]
      this.#failed(name, answer)
      return callOthers(answer)
    }
    const others = callOthers(null)
    const complete = others.then((answers) => {
      const found = answers.flatMap((answer) => answer.shards ?? [])
      return found.length === shards?.length ? answers : null
    })
    const winner = await Promise.race([
      first.then((answer) => (answer instanceof ApiError ? null : [answer])),
      complete,
    ])
    if (winner !== null) {
      // Their failures are of no interest any more.
      stopFirst.abort()
      stopOthers.abort()
      return winner
    }
    // One of them has failed, so the other result counts.
    const answer = await first
    if (!(answer instanceof ApiError)) return [answer]
    this.#failed(name, answer)
    return others
  }

  /** Calls one instance; rejects only if the call was aborted. */
  async #call(
    name: string,
    shards: RequestedShards,
    tried: Tried,
    signal: AbortSignal | null,
  ): Promise<Answer | ApiError> {
    const { network, isSharded } = this.#plan
    const { availability, latencies, pausesFailed, now } = this.#parts
    const remote = network.remotes.get(name)
    if (remote === undefined) return unknown(name)
    const begun = now()
    const left = Math.max(1, this.#end - begun)
    const isTrial = isSharded && !availability.isAvailable(name)
    const first = availability.isCold(name) ? FIRST_COLD_MS : FIRST_MS
    const most = this.#haveOthers(shards, tried) ? first : isTrial ? LAST_MS : left
    const ms = Math.min(most, left)
    try {
      const call = { remote: name, shards, isFirst: tried.size === 1 }
      const bytes = await this.#callInstance(remote, call, ms, signal)
      latencies.add(name, now() - begun)
      if (pausesFailed) availability.answered(name)
      const answer = { ...call, bytes }
      this.#tried.set(answer, tried)
      return answer
    } catch (error) {
      if (signal?.aborted === true || !(error instanceof ApiError)) throw error
      return error
    }
  }

  #failed(name: string, error: ApiError): void {
    // The instance is well, and another one may be further; `expectWhole` reports it otherwise.
    if (error.code === 'task_not_visible_yet') return
    const { pausesFailed, availability } = this.#parts
    const isFault = isRetryable(error) || error.code === 'remote_bad_response'
    if (pausesFailed && isFault && this.#plan.network.shards.size > 0) availability.failed(name)
    // Reported even if another owner answers: the instance needs attention.
    this.#errors.set(name, error)
  }

  /**
   * Calls untried owners of the shards. `error` is the failure of the first owner, or null if it is
   * slow.
   */
  async #fromOthers(
    shards: RequestedShards,
    tried: Tried,
    error: ApiError | null,
    signal: AbortSignal | null,
  ): Promise<readonly Answer[]> {
    const isClients = error?.code === 'remote_bad_request' && !lacksIndex(error)
    if (isClients || this.msLeft <= 0) return []
    const { availability } = this.#parts
    const others = new Map<string, string[]>()
    for (const shard of shards ?? []) {
      const owner = chosenOwner(this.#othersOf(shard, tried), availability, others)
      if (owner !== null) others.set(owner, [...(others.get(owner) ?? []), shard])
    }
    const found = await Promise.all(
      [...others].map(([other, own]) => this.#answersFor(other, own, tried, signal)),
    )
    return found.flat()
  }

  #haveOthers(shards: RequestedShards, tried: Tried): boolean {
    if (shards === null || shards.length === 0) return false
    return shards.every((shard) => this.#othersOf(shard, tried).length > 0)
  }

  /**
   * Returns the untried owners; this instance holds none of the shards that others are called for.
   */
  #othersOf(shard: string, tried: Tried): readonly string[] {
    const owners = this.#plan.owners.get(shard) ?? []
    return owners.filter((owner) => !tried.has(owner))
  }
}

const either = (signal: AbortSignal | null, stop: AbortController): AbortSignal =>
  signal === null ? stop.signal : AbortSignal.any([signal, stop.signal])

/** Returns true if `work` takes longer than `ms`. */
async function outlasts(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<true>((resolve) => {
    timer = setTimeout(() => resolve(true), ms)
  })
  try {
    return await Promise.race([work.then(() => false as const), late])
  } finally {
    clearTimeout(timer)
  }
}

const errorBodies = (
  errors: ReadonlyMap<string, ApiError>,
): { readonly [remote: string]: unknown } =>
  Object.fromEntries([...errors].sort().map(([name, error]) => [name, error.toBody()]))

const noOwner = (): ApiError =>
  new ApiError(
    'remote_could_not_send_request',
    'error sending request: no owner of a shard is available',
  )

const unknown = (name: string): ApiError =>
  new ApiError('unknown_remote', `Unknown remote \`${name}\``)
