// Attackers and the measuring client run in separate processes, so that they do not delay each
// other. Both run from the script of this program; jobs and reports are messages.

import { type ChildProcess, fork } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { awaitedLater } from '../../engine/model/index.ts'
import type { Target } from './hostile-attack.ts'
import { ATTACKS } from './hostile-attacks.table.ts'
import { type Bounds, prepare, type Tally } from './hostile-inflict.ts'
import { startWatch, type Watched } from './hostile-watch.ts'

/** Replaces a command; people never type it. */
export const HELPER_WORD = 'helper-of-hostile'

type Job =
  | { readonly kind: 'attack'; readonly names: readonly string[]; readonly bounds: Bounds }
  | { readonly kind: 'watch' }

export type AttackResult = {
  readonly tallies: readonly Tally[]
  /** Processor time of the attackers during the attack. */
  readonly cpuSeconds: number
}

type Message =
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'go'; readonly target: Target }
  | { readonly kind: 'stop' }
type Reply = { readonly kind: 'ready' } | { readonly kind: 'result'; readonly result: unknown }

export type Helper<Result> = {
  readonly go: (target: Target) => void
  /** Resolves with the report; an attack ends by itself after its last request. */
  readonly result: Promise<Result>
  readonly stop: () => Promise<Result>
  readonly kill: () => void
}

const { PRIORITY_HIGH, PRIORITY_BELOW_NORMAL } = constants.priority
const END_MS_MAX = 30_000

export const startAttackers = (
  names: readonly string[],
  bounds: Bounds,
): Promise<Helper<AttackResult>> => startHelper({ kind: 'attack', names, bounds })
export const startWatcher = (): Promise<Helper<Watched>> => startHelper({ kind: 'watch' })

/** Resolves when the helper has prepared its requests. */
async function startHelper<Result>(job: Job): Promise<Helper<Result>> {
  const child = fork(fileURLToPath(import.meta.url), [HELPER_WORD], { execArgv: [] })
  const killNow = (): void => void child.kill('SIGKILL')
  process.once('exit', killNow)
  child.once('exit', () => process.removeListener('exit', killNow))
  const tell = (message: Message): void => void child.send(message)
  const ready = reply(child, 'ready')
  tell({ kind: 'job', job })
  await ready
  const result = awaitedLater(reply(child, 'result') as Promise<Result>)
  return {
    go: (target) => tell({ kind: 'go', target }),
    result,
    stop: () => {
      if (child.connected) tell({ kind: 'stop' })
      const insist = setTimeout(killNow, END_MS_MAX)
      return result.finally(() => clearTimeout(insist))
    },
    kill: killNow,
  }
}

function reply(child: ChildProcess, kind: Reply['kind']): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const hear = (message: unknown): void => {
      const received = message as Reply
      if (received.kind !== kind) return
      child.removeListener('message', hear)
      resolve(received.kind === 'result' ? received.result : undefined)
    }
    child.on('message', hear)
    child.once('exit', (code, signal) => {
      reject(new Error(`a helper ended (${signal ?? code}) before it was ${kind}`))
    })
  })
}

/** The work of a helper; the process ends after it. */
export function helperMain(): void {
  process.once('message', (message: Message) => {
    if (message.kind !== 'job') throw new Error(`a helper received ${message.kind} first`)
    const { job } = message
    // The server has priority over the attackers, and the measuring client over both.
    prioritise(job.kind === 'watch' ? PRIORITY_HIGH : PRIORITY_BELOW_NORMAL)
    if (job.kind === 'watch') watchAll()
    else attackAll(job)
  })
  process.once('disconnect', () => process.exit(1))
}

const answer = (reply: Reply): void => void process.send?.(reply)

function watchAll(): void {
  answer({ kind: 'ready' })
  process.once('message', (message: Message) => {
    if (message.kind !== 'go') return
    const watch = startWatch(message.target)
    process.once('message', async () => finish(await watch.stop()))
  })
}

function attackAll({ names, bounds }: Extract<Job, { kind: 'attack' }>): void {
  const attacks = ATTACKS.filter(({ name }) => names.includes(name))
  const prepared = prepare(attacks, bounds)
  answer({ kind: 'ready' })
  process.once('message', async (message: Message) => {
    if (message.kind !== 'go') return
    process.once('message', prepared.stop)
    const before = process.cpuUsage()
    const tallies = await prepared.run(message.target)
    const { user, system } = process.cpuUsage(before)
    finish({ tallies, cpuSeconds: (user + system) / 1e6 } satisfies AttackResult)
  })
}

function finish(result: AttackResult | Watched): void {
  process.send?.({ kind: 'result', result } satisfies Reply, () => process.exit(0))
}

function prioritise(priority: number): void {
  try {
    setPriority(priority)
  } catch (error) {
    // A higher priority requires rights; without them figures are slightly worse.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error
  }
}
