// The built server as a separate process: started on a free port of this machine, used over HTTP,
// ended by its process id. Tests under fire do everything from outside.

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { awaitedLater } from '../../engine/model/index.ts'
import { KiB } from '../../format/bytes/index.ts'

export type ProgramOptions = {
  /** The folder of the database. */
  readonly db: string
  /** Options of Node.js itself, instead of source maps, which make every failure expensive. */
  readonly node?: readonly string[]
  /** Further arguments of the command line. */
  readonly words?: readonly string[]
  /** Further variables of the environment. */
  readonly variables?: { readonly [name: string]: string }
  /** The user that runs it, if this process may choose. */
  readonly uid?: number
  /** Words before `node` in the command, besides those of SVC_FIRE_THROUGH. */
  readonly through?: readonly string[]
}

type Ended = {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stderr: string
}

export type Program = {
  readonly pid: number
  /** Resolves when it listens; rejects when it ends first or does not listen in time. */
  readonly url: Promise<string>
  readonly ended: Promise<Ended>
  /** Returns its output so far. */
  readonly said: () => string
  readonly isRunning: () => boolean
  readonly kill: (signal: NodeJS.Signals) => void
  /** Sends SIGTERM, and SIGKILL if that does not end it; resolves when it has ended. */
  readonly stop: () => Promise<Ended>
}

const START_MS_MAX = 30_000
/** Variables for the C library, as the unit and the image in `packaging` set them. */
const AS_PACKAGED = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576' }
const STOP_MS_MAX = 20_000
const SAID_CHARACTERS_MAX = 256 * KiB
const LISTENING = / listening host=(\S+) port=(\d+)/

/** Returns the folder of built files: the variable, or `dist` of the current checkout. */
export function builtFolder(): string {
  const given = process.env['SVC_FIRE_DIST']
  if (given !== undefined) return given
  if (existsSync(inCheckout('dist/server/main.js'))) return inCheckout('dist')
  throw new Error('dist/server/main.js is not there: run `npm run build` first')
}

/** Returns the path of a file of the current checkout. */
export const inCheckout = (path: string): string =>
  // From scripts/fire/program.ts, or from the bundle in node_modules/.svc-fire.
  join(fileURLToPath(import.meta.url), '../../..', path)

/**
 * Starts the server; it may take some time until it listens. SVC_FIRE_THROUGH holds words before
 * `node` in the command: a profiler, or `env` with options for it.
 */
export function startProgram(options: ProgramOptions): Program {
  const { db, node = [], words = [], variables = {}, uid } = options
  const given = (process.env['SVC_FIRE_THROUGH'] ?? '').split(' ').filter((word) => word !== '')
  const line = [
    ...given,
    ...(options.through ?? []),
    process.execPath,
    ...(node.length === 0 ? ['--enable-source-maps'] : node),
    join(builtFolder(), 'server/main.js'),
    '--db-path',
    db,
    '--http-addr',
    '127.0.0.1:0',
    '--no-analytics',
    ...words,
  ]
  const child = spawn(line[0]!, line.slice(1), {
    env: { ...environment(), ...AS_PACKAGED, ...variables },
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  return watched(child)
}

function watched(child: ChildProcess): Program {
  let stderr = ''
  let isRunning = true
  let isListening = false
  const url = settled<string>()
  const ended = new Promise<Ended>((resolve) => {
    child.once('error', (error) => {
      stderr += error.message
    })
    child.once('close', (code, signal) => {
      isRunning = false
      process.removeListener('exit', killNow)
      url.reject(new Error(`the server ended (${signal ?? code}) before it listened: ${stderr}`))
      resolve({ code, signal, stderr })
    })
  })
  const killNow = (): void => void child.kill('SIGKILL')
  process.once('exit', killNow)
  const silent = setTimeout(() => {
    url.reject(new Error(`the server does not listen after ${START_MS_MAX} ms: ${stderr}`))
  }, START_MS_MAX)
  silent.unref()
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    if (isListening) {
      // There is a line per request: the first and last lines are enough to find a problem.
      if (stderr.length > 2 * SAID_CHARACTERS_MAX) {
        const first = stderr.slice(0, SAID_CHARACTERS_MAX / 2)
        stderr = `${first}\n…\n${stderr.slice(-SAID_CHARACTERS_MAX / 2)}`
      }
      return
    }
    const found = LISTENING.exec(stderr)
    if (found === null) return
    isListening = true
    clearTimeout(silent)
    url.resolve(`http://${found[1]}:${found[2]}`)
  })
  const stop = async (): Promise<Ended> => {
    child.kill('SIGTERM')
    const insist = setTimeout(killNow, STOP_MS_MAX)
    const how = await ended
    clearTimeout(insist)
    return how
  }
  return {
    pid: child.pid ?? 0,
    url: url.promise,
    ended,
    said: () => stderr,
    isRunning: () => isRunning,
    kill: (signal) => void child.kill(signal),
    stop,
  }
}

type Settled<T> = {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: Error) => void
}

/** A promise that is settled from outside and need not be awaited. */
function settled<T>(): Settled<T> {
  let resolve: (value: T) => void = () => undefined
  let reject: (error: Error) => void = () => undefined
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue
    reject = onError
  })
  awaitedLater(promise)
  return { promise, resolve, reject }
}

/**
 * Returns memory of a process in bytes, now and at its highest, or null if the system does not
 * report it.
 */
export function memoryOf(pid: number): { readonly now: number; readonly peak: number } | null {
  const path = `/proc/${pid}/status`
  if (!existsSync(path)) return null
  const text = readFileSync(path, 'utf8')
  const bytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0) * 1024
  return { now: bytes('VmRSS'), peak: bytes('VmHWM') }
}

/** SVC_NATIVES: runs of the tests without native packages. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, HOME, SVC_NATIVES } = process.env
  return { PATH, HOME, SVC_NATIVES }
}
