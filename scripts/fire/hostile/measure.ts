// Attackers, and the client that measures their effect on others, run in separate processes, so
// that they do not delay each other. Both run from the script of this program; jobs and reports are
// messages.
import { fork } from 'node:child_process'
import { once, setMaxListeners } from 'node:events'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Client as Connection } from 'undici'
import { awaitedLater } from '../../../engine/time/index.ts'
import { pause } from '../parts/client.ts'
import { percentile } from '../parts/report.ts'
import { ATTACKS, type Attack, BOOKS, type Sizes } from './attacks.table.ts'
import { type Outcome, openConnection, type Target } from './clients.ts'

/** Replaces a command; people never type it. */
export const HELPER_WORD = 'helper-of-hostile'

export type Bounds = {
  readonly sizes: Sizes
  /** Connections of an attack are multiplied by this, and are at least one. */
  readonly connectionShare: number
  /** Requests of each connection; null without a limit. */
  readonly requestsMax: number | null
}

export type Tally = {
  /** Requests begun. */
  readonly sent: number
  /** Outcome → how often. */
  readonly outcomes: Readonly<Record<string, number>>
  /** Outcomes that the attack does not allow. */
  readonly unwanted: readonly string[]
}

type Prepared = {
  /** Resolves when all clients have ended. */
  readonly run: (target: Target) => Promise<Tally>
  /** Sends no more requests; open ones are aborted. */
  readonly stop: () => void
}

/** Creates all bodies, which may take seconds. */
export function prepare(attack: Attack, bounds: Bounds): Prepared {
  const over = new AbortController()
  // Each connection adds a listener.
  setMaxListeners(0, over.signal)
  const { name, wants, role, answerBytesMax = Number.POSITIVE_INFINITY } = attack
  const client = attack.client(bounds.sizes)
  const run = async (target: Target): Promise<Tally> => {
    const counts = new Map<Outcome, number>()
    let [sent, longest] = [0, 0]
    const connections = Math.max(1, Math.round(attack.connections * bounds.connectionShare))
    const one = (number: number): Promise<void> => {
      let left = bounds.requestsMax ?? Number.POSITIVE_INFINITY
      return client({
        target,
        key: target.keys[role],
        number,
        signal: over.signal,
        goesOn: () => {
          if (over.signal.aborted || left === 0) return false
          left--
          sent++
          return true
        },
        tell: (outcome, bytes = 0) => {
          counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
          longest = Math.max(longest, bytes)
        },
      })
    }
    await Promise.all(Array.from({ length: connections }, (_, number) => one(number)))
    const unwanted = [...counts.keys()]
      .filter((outcome) => !wants.includes(outcome))
      .map((outcome) => `${name} got ${outcome}`)
    if (longest > answerBytesMax) unwanted.push(`${name} got an answer of ${longest} bytes`)
    return { sent, outcomes: Object.fromEntries(counts), unwanted }
  }
  return { run, stop: () => over.abort() }
}

/** Times of answers, and answers other than 200 and broken connections by kind. */
export type Times = {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly failures: Readonly<Record<string, number>>
}

/** The effect of an attack on other clients. */
export type Watched = {
  readonly health: Times
  readonly searches: Times
  /** Delays of timers of the measuring process. */
  readonly lateness: Times
}

const HEALTH_PERIOD_MS = 20
const SEARCH_PERIOD_MS = 25
const BEAT_MS = 5
const RETRY_MS = 100
const LOST = 'lost'

type Request = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
  readonly headers?: { readonly [name: string]: string }
}

/** Requests health and searches with another key in closed loops, each on its own connection. */
function startWatch({ url, keys }: Target): () => Promise<Watched> {
  const over = new AbortController()
  const headers = { authorization: `Bearer ${keys.other}`, 'content-type': 'application/json' }
  const health = loop(url, HEALTH_PERIOD_MS, over.signal, () => ({
    method: 'GET',
    path: '/health',
  }))
  const searches = loop(url, SEARCH_PERIOD_MS, over.signal, (turn) => ({
    method: 'POST',
    path: `/indexes/${BOOKS}/search`,
    body: JSON.stringify(searchOf(turn)),
    headers,
  }))
  const lateness = beat(over.signal)
  return async () => {
    over.abort()
    return { health: await health, searches: await searches, lateness: await lateness }
  }
}

/** Searches as people type them: a word or two, sometimes with a filter. */
function searchOf(turn: number): object {
  const q = turn % 3 === 0 ? wordOf(turn) : `${wordOf(turn)} ${wordOf(turn * 7).slice(0, 3)}`
  const filter = turn % 4 === 0 ? { filter: `n > ${turn % 10_000} AND kind = ${wordOf(3)}` } : {}
  return { q, limit: 20, ...filter }
}

export const WORDS_COUNT = 3000
const SYLLABLES = 'ba ri mo ten sul ka lor ne vi dan per to gra hol my fen'.split(' ')

/** Returns the word with this number, the same in every run. */
export function wordOf(number: number): string {
  let word = ''
  for (let rest = (number % WORDS_COUNT) + SYLLABLES.length; rest > 0; ) {
    word += SYLLABLES[rest % SYLLABLES.length]
    rest = Math.floor(rest / SYLLABLES.length)
  }
  return word
}

/**
 * Sends one request after another. An answer that took longer than the period also stands for the
 * requests that were not sent meanwhile: each is counted with the time it would have waited.
 */
async function loop(
  url: string,
  periodMs: number,
  signal: AbortSignal,
  requestOf: (turn: number) => Request,
): Promise<Times> {
  const millis: number[] = []
  const failures = new Map<string, number>()
  let connection = openConnection(url)
  let turn = 0
  for (; !signal.aborted; turn++) {
    const begun = performance.now()
    const failure = await failureOf(connection, requestOf(turn), signal)
    const ms = performance.now() - begun
    for (let left = ms; left > 0; left -= periodMs) millis.push(left)
    if (failure !== null) failures.set(failure, (failures.get(failure) ?? 0) + 1)
    if (failure === LOST) {
      await connection.destroy()
      await pause(RETRY_MS)
      connection = openConnection(url)
    } else await pause(Math.max(1, periodMs - ms))
  }
  await connection.destroy()
  return timesOf(millis, turn, Object.fromEntries(failures))
}

const timesOf = (millis: readonly number[], count: number, failures: Times['failures']): Times => ({
  count,
  p50: percentile(millis, 0.5),
  p99: percentile(millis, 0.99),
  max: percentile(millis, 1),
  failures,
})

async function failureOf(
  connection: Connection,
  request: Request,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const { statusCode, body } = await connection.request({ ...request, signal })
    await body.text()
    return statusCode === 200 ? null : String(statusCode)
  } catch {
    // A request that is still open at the end counts with its time so far.
    return signal.aborted ? null : LOST
  }
}

/** Measures the delays of timers; they show the delay of the measuring process itself. */
async function beat(signal: AbortSignal): Promise<Times> {
  const millis: number[] = []
  while (!signal.aborted) {
    const due = performance.now() + BEAT_MS
    await pause(BEAT_MS)
    millis.push(Math.max(0, performance.now() - due))
  }
  return timesOf(millis, millis.length, {})
}

type Job = { readonly names: readonly string[]; readonly bounds: Bounds } | { readonly names: null }
type Message =
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'go'; readonly target: Target }
  | { readonly kind: 'stop' }

export type Helper<Result> = {
  readonly go: (target: Target) => void
  /** Resolves with the report; an attack ends by itself after its last request. */
  readonly result: Promise<Result>
  readonly stop: () => Promise<Result>
  readonly kill: () => void
}

const { PRIORITY_HIGH, PRIORITY_BELOW_NORMAL } = constants.priority
const END_MS_MAX = 30_000

/** The attackers with these names. */
export const startAttackers = (
  names: readonly string[],
  bounds: Bounds,
): Promise<Helper<readonly Tally[]>> => startHelper({ names, bounds })
export const startWatcher = (): Promise<Helper<Watched>> => startHelper({ names: null })

/** Resolves when the helper has prepared its requests. */
async function startHelper<Result>(job: Job): Promise<Helper<Result>> {
  const child = fork(fileURLToPath(import.meta.url), [HELPER_WORD], { execArgv: [] })
  const killNow = (): void => void child.kill('SIGKILL')
  process.once('exit', killNow)
  child.once('exit', () => process.removeListener('exit', killNow))
  const tell = (message: Message): void => void child.send(message)
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`a helper ended (${signal ?? code})`)
  })
  const reply = async (): Promise<unknown> =>
    ((await Promise.race([once(child, 'message'), ended])) as unknown[])[0]
  tell({ kind: 'job', job })
  await reply()
  const result = awaitedLater(reply() as Promise<Result>)
  return {
    go: (target) => tell({ kind: 'go', target }),
    result,
    stop: () => {
      if (child.connected) tell({ kind: 'stop' })
      const killTimer = setTimeout(killNow, END_MS_MAX)
      return result.finally(() => clearTimeout(killTimer))
    },
    kill: killNow,
  }
}

/** The work of a helper; the process ends after it. */
export async function helperMain(): Promise<void> {
  process.once('disconnect', () => process.exit(1))
  const received = async (): Promise<Message> => (await once(process, 'message'))[0] as Message
  const first = await received()
  if (first.kind !== 'job') throw new Error(`a helper received ${first.kind} first`)
  const { job } = first
  // The server has priority over the attackers, and the measuring client over both.
  prioritise(job.names === null ? PRIORITY_HIGH : PRIORITY_BELOW_NORMAL)
  const attacks = ATTACKS.filter(({ name }) => job.names?.includes(name))
  const prepared = job.names === null ? [] : attacks.map((one) => prepare(one, job.bounds))
  const gone = received()
  process.send?.('ready')
  const next = await gone
  if (next.kind !== 'go') return process.exit(0)
  const stopped = received()
  let result: unknown
  if (job.names === null) {
    const stop = startWatch(next.target)
    await stopped
    result = await stop()
  } else {
    void stopped.then(() => prepared.map(({ stop }) => stop()))
    result = await Promise.all(prepared.map(({ run }) => run(next.target)))
  }
  process.send?.(result, () => process.exit(0))
}

function prioritise(priority: number): void {
  try {
    setPriority(priority)
  } catch (error) {
    // A higher priority requires rights; without them figures are slightly worse.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error
  }
}
