// The effect of an attack on other clients: `GET /health` every 20 ms on a separate connection,
// searches with another key in a closed loop, and delays of this process itself.
import { Client as Connection } from 'undici'
import { pause } from './ask.ts'
import type { Target } from './hostile-attack.ts'
import { BOOKS, wordOf } from './hostile-library.ts'

export type Watched = {
  readonly health: Times
  /** The same without the time for which this process had no processor. */
  readonly healthCorrected: Times
  readonly searches: Times
  /** Delays of timers of this process. */
  readonly lateness: Times
}

export type Times = {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** Answers other than 200, and broken connections. */
  readonly failures: Readonly<Record<string, number>>
}

export type Watch = { readonly stop: () => Promise<Watched> }

const HEALTH_PERIOD_MS = 20
const SEARCH_PERIOD_MS = 25
const BEAT_MS = 5
const RETRY_MS = 100

export function startWatch(target: Target): Watch {
  const over = new AbortController()
  const beat = startBeat()
  const health = new Samples(HEALTH_PERIOD_MS)
  const corrected = new Samples(HEALTH_PERIOD_MS)
  const searches = new Samples(SEARCH_PERIOD_MS)
  const loops = [
    loop(target.url, HEALTH_PERIOD_MS, over.signal, async (connection) => {
      beat.reset()
      const outcome = await timed(connection, { method: 'GET', path: '/health' }, over.signal)
      health.add(outcome)
      corrected.add(outcome, beat.latest())
      return outcome
    }),
    loop(target.url, SEARCH_PERIOD_MS, over.signal, async (connection, turn) => {
      const outcome = await timed(connection, searchOf(target, turn), over.signal)
      searches.add(outcome)
      return outcome
    }),
  ]
  return {
    stop: async () => {
      over.abort()
      await Promise.all(loops)
      return {
        health: health.times(),
        healthCorrected: corrected.times(),
        searches: searches.times(),
        lateness: beat.stop(),
      }
    },
  }
}

type Request = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
  readonly headers?: { readonly [name: string]: string }
}

type Timed = { readonly ms: number; readonly failure: string | null }

/** Searches as people type them: a word or two, sometimes with a filter. */
function searchOf({ keys }: Target, turn: number): Request {
  const q = turn % 3 === 0 ? wordOf(turn) : `${wordOf(turn)} ${wordOf(turn * 7).slice(0, 3)}`
  const filter = turn % 4 === 0 ? { filter: `n > ${turn % 10_000} AND kind = ${wordOf(3)}` } : {}
  return {
    method: 'POST',
    path: `/indexes/${BOOKS}/search`,
    body: JSON.stringify({ q, limit: 20, ...filter }),
    headers: { authorization: `Bearer ${keys.other}`, 'content-type': 'application/json' },
  }
}

async function loop(
  url: string,
  periodMs: number,
  signal: AbortSignal,
  once: (connection: Connection, turn: number) => Promise<Timed>,
): Promise<void> {
  const open = (): Connection =>
    new Connection(url, {
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { rejectUnauthorized: false },
    })
  let connection = open()
  for (let turn = 0; !signal.aborted; turn++) {
    const { ms, failure } = await once(connection, turn)
    if (failure === LOST) {
      await connection.destroy()
      await pause(RETRY_MS)
      connection = open()
    } else await pause(Math.max(1, periodMs - ms))
  }
  await connection.destroy()
}

const LOST = 'lost'

async function timed(
  connection: Connection,
  request: Request,
  signal: AbortSignal,
): Promise<Timed> {
  const begun = performance.now()
  const since = (): number => performance.now() - begun
  try {
    const { statusCode, body } = await connection.request({ ...request, signal })
    await body.text()
    return { ms: since(), failure: statusCode === 200 ? null : String(statusCode) }
  } catch {
    // A request that is still open at the end counts with its time so far.
    return { ms: since(), failure: signal.aborted ? null : LOST }
  }
}

/** Starts timers that measure their delays; they show the delay of the probe itself. */
function startBeat() {
  const samples = new Samples(Number.POSITIVE_INFINITY)
  let due = performance.now() + BEAT_MS
  let latest = 0
  const late = (): number => Math.max(0, performance.now() - due)
  const beat = (): void => {
    const ms = late()
    latest = Math.max(latest, ms)
    samples.add({ ms, failure: null })
    due = performance.now() + BEAT_MS
    timer = setTimeout(beat, BEAT_MS)
  }
  let timer = setTimeout(beat, BEAT_MS)
  return {
    reset: (): void => {
      latest = 0
    },
    /** Returns the greatest delay since `reset`. */
    latest: (): number => Math.max(latest, late()),
    stop: (): Times => {
      clearTimeout(timer)
      return samples.times()
    },
  }
}

/**
 * Answers of a closed loop. An answer that took longer than the period also stands for the requests
 * that were not sent meanwhile: each of them is counted with the time it would have waited.
 */
class Samples {
  readonly #periodMs: number
  readonly #millis: number[] = []
  readonly #failures = new Map<string, number>()
  #count = 0

  constructor(periodMs: number) {
    this.#periodMs = periodMs
  }

  /** `lateMs`: the part that was not caused by the server. */
  add({ ms, failure }: Timed, lateMs = 0): void {
    this.#count++
    for (let left = ms; left > 0; left -= this.#periodMs) {
      this.#millis.push(Math.max(0, left - lateMs))
    }
    if (failure !== null) this.#failures.set(failure, (this.#failures.get(failure) ?? 0) + 1)
  }

  times(): Times {
    const sorted = Float64Array.from(this.#millis).sort()
    const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0
    return {
      count: this.#count,
      p50: at(0.5),
      p99: at(0.99),
      max: sorted.at(-1) ?? 0,
      failures: Object.fromEntries(this.#failures),
    }
  }
}
