// The network of a simulation: which requests and answers arrive, when, and how often. A line leads
// from a sender to an instance; a fault of one direction is not one of the other.
import type { Random } from '../../../engine/store/storage/index.ts'
import { type Clock, type Owner, ownerOf } from './clock.ts'
import type { Trace } from './trace.ts'
import type { WireAnswer, WireRequest } from './wire.ts'

/**
 * `open`: passes. `refused`: connections are refused. `silent`: bytes vanish without a sign. `halfOpen`: requests arrive, and their answers vanish.
 */
export type LineState = 'open' | 'refused' | 'silent' | 'halfOpen'

/** How many of a thousand requests each trouble meets, and the longest delays. */
export type Weather = {
  readonly lostRequest: number
  readonly lostAnswer: number
  /** The connection breaks after the request arrived, or in the middle of the answer. */
  readonly reset: number
  /** Something on the way answers instead of the instance that there are too many requests. */
  readonly busy: number
  /** The request arrives twice, as if a proxy had repeated it. */
  readonly repeated: number
  /** Delayed by up to `slowMs` instead of `delayMs`, so that later requests overtake it. */
  readonly slow: number
  readonly delayMs: number
  readonly slowMs: number
}

const CALM: Weather = {
  lostRequest: 0,
  lostAnswer: 0,
  reset: 0,
  busy: 0,
  repeated: 0,
  slow: 0,
  delayMs: 2,
  slowMs: 2,
}

/** The instance at the end of a line. */
export type Target = {
  readonly name: string
  /** The running process, or null while none listens. */
  readonly owner: Owner | null
  /** Whether bytes of its process still leave the machine. */
  readonly sends: boolean
  /** False while the whole machine is off: connections to it get no answer at all. */
  readonly refuses: boolean
  readonly accept: (
    request: WireRequest,
    ended: (answer: WireAnswer | null) => void,
    broken: () => void,
  ) => () => void
}

export type Limits = {
  readonly connectMs: number
  readonly totalMs: number
  readonly signal: AbortSignal | null
}

/** Sends a request of a process to a target. @throws LineFault, or the signal's reason */
export type Line = (target: Target, request: WireRequest, limits: Limits) => Promise<WireAnswer>

/** A request without an answer. */
export class LineFault extends Error {
  constructor(
    readonly code: 'ECONNREFUSED' | 'ECONNRESET' | 'ETIMEDOUT' | 'connect',
    words: string,
  ) {
    super(words)
  }
}

/** Returns null where no answer came. */
export async function answered<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (error instanceof LineFault) return null
    throw error
  }
}

const TOO_MANY: WireAnswer = { status: 429, headers: {}, body: Buffer.from('too many requests') }
/** Parameters of a signed request to the store. */
const SIGNATURE = /X-Amz-.*/
/**
 * A proxy may repeat a request by itself only where the method says that this is safe; instances
 * mark their own repetitions. Messages about a change of the network may arrive twice.
 */
const mayRepeat = ({ method, path }: WireRequest): boolean =>
  method === 'GET' || path.startsWith('/network/')
/** The owner of bytes on their way. */
const ON_THE_WAY = ownerOf('line')

export class Lines {
  weather: Weather = CALM
  readonly #clock: Clock
  readonly #random: Random
  readonly #trace: Trace
  readonly #states = new Map<string, LineState>()
  #count = 0

  constructor(clock: Clock, random: Random, trace: Trace) {
    this.#clock = clock
    this.#random = random
    this.#trace = trace
  }

  /** Sets the line from a sender to an instance. */
  set(from: string, to: string, state: LineState): void {
    if (state === 'open') this.#states.delete(`${from}>${to}`)
    else this.#states.set(`${from}>${to}`, state)
  }

  heal(): void {
    this.#states.clear()
    this.weather = CALM
  }

  /** Sends a request as work of the current owner. @throws LineFault, or the signal's reason */
  call(from: string, target: Target, request: WireRequest, limits: Limits): Promise<WireAnswer> {
    const clock = this.#clock
    const owner = clock.current
    const uid = ++this.#count
    const note = (words: string): void => this.#trace.add(clock.now, from, `#${uid} ${words}`)
    const fate = this.#fate(from, target.name)
    note(`${request.method} ${request.path.replace(SIGNATURE, '')} to ${target.name}${fate.words}`)
    return new Promise((resolve, reject) => {
      const timers: ReturnType<Clock['after']>[] = []
      let [isOver, hasConnected] = [false, false]
      let hangUp = (): void => undefined
      const { signal } = limits
      const later = (ms: number, action: () => void, whose = owner): void => {
        timers.push(clock.after(ms, action, whose))
      }
      const end = (words: string, outcome: () => void): void => {
        if (isOver) return
        isOver = true
        for (const timer of timers) timer.isSet = false
        signal?.removeEventListener('abort', aborted)
        note(words)
        outcome()
      }
      const fail = (code: LineFault['code'], words: string): void =>
        end(`failed: ${code}`, () => {
          clock.after(this.#delay(), hangUp, target.owner ?? owner)
          reject(new LineFault(code, words))
        })
      const aborted = (): void => {
        clock.after(this.#delay(), hangUp, target.owner ?? owner)
        end('aborted', () => reject(signal!.reason))
      }
      if (signal?.aborted === true) return reject(signal.reason)
      signal?.addEventListener('abort', aborted, { once: true })
      const broken = (): void => later(this.#delay(), () => fail('ECONNRESET', 'reset'))
      const answered = (answer: WireAnswer | null): void => {
        if (!target.sends || fate.losesAnswer) return
        if (answer === null || fate.resets) {
          broken()
          return
        }
        later(fate.answerMs, () =>
          end(`${answer.status} ${answer.body.length}`, () => resolve(answer)),
        )
      }
      const deliver = (): void => {
        const process = target.owner
        if (process === null) {
          if (target.refuses) later(this.#delay(), () => fail('ECONNREFUSED', 'refused'))
          return
        }
        hasConnected = true
        if (process.held !== null) {
          process.held.push(() => {
            if (process.isAlive) clock.after(0, deliver, ON_THE_WAY)
            else broken()
          })
          return
        }
        clock.current = process
        hangUp = target.accept(request, answered, broken)
      }
      if (fate.isBusy) later(fate.requestMs, () => end('429', () => resolve(TOO_MANY)))
      else if (fate.isRefused) later(fate.requestMs, () => fail('ECONNREFUSED', 'refused'))
      else if (!fate.losesRequest) {
        clock.after(fate.requestMs, deliver, ON_THE_WAY)
        if (fate.isRepeated && mayRepeat(request))
          clock.after(fate.repeatMs, () => this.#repeat(target, request), ON_THE_WAY)
      }
      later(limits.connectMs, () => {
        if (!hasConnected) fail('connect', 'connecting took too long')
      })
      later(limits.totalMs, () => fail('ETIMEDOUT', 'no answer in time'))
    })
  }

  #repeat(target: Target, request: WireRequest): void {
    const process = target.owner
    if (process === null || process.held !== null) return
    this.#clock.current = process
    target.accept(
      request,
      () => undefined,
      () => undefined,
    )
  }

  #fate(from: string, to: string) {
    const { weather } = this
    const state = this.#states.get(`${from}>${to}`) ?? 'open'
    const back = this.#states.get(`${to}>${from}`) ?? 'open'
    const meets = (share: number): boolean => share > 0 && this.#random.below(1000) < share
    const losesRequest = state === 'silent' || meets(weather.lostRequest)
    const losesAnswer =
      state === 'halfOpen' || back === 'silent' || back === 'refused' || meets(weather.lostAnswer)
    const resets = meets(weather.reset)
    const isRepeated = meets(weather.repeated) && from !== CLIENT
    const [requestMs, answerMs] = [this.#delay(), this.#delay()]
    const repeatMs = requestMs + this.#delay()
    const isRefused = state === 'refused'
    const isBusy = meets(weather.busy) && from !== CLIENT
    const named = { isBusy, isRefused, losesRequest, losesAnswer, resets, isRepeated }
    const words = Object.entries(named)
      .filter(([, value]) => value)
      .map(([name]) => ` ${name}`)
      .join('')
    return { ...named, requestMs, answerMs, repeatMs, words }
  }

  #delay(): number {
    const { slow, slowMs, delayMs } = this.weather
    const isSlow = slow > 0 && this.#random.below(1000) < slow
    return this.#random.below(1000 * (isSlow ? slowMs : delayMs)) / 1000
  }
}

/** The name of the sender of all requests of clients. */
export const CLIENT = 'client'
