// The built server as a separate process: started on a free port of this machine, used over HTTP,
// ended by its process id. Tests under fire do everything from outside.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { awaitedLater } from '../../../engine/time/index.ts'
import { KiB } from '../../../format/bytes/index.ts'

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

/** From `scripts/fire/parts`, or from the bundle in `node_modules/.svc-fire`. */
const CHECKOUT = fileURLToPath(import.meta.url).replace(
  /[\\/](?:scripts|node_modules)[\\/][^\\/]*fire[\\/].*$/,
  '',
)

/** Returns the folder of built files: the variable, or `dist` of the current checkout. */
export function builtFolder(): string {
  const folder = process.env['SVC_FIRE_DIST'] ?? join(CHECKOUT, 'dist')
  if (existsSync(join(folder, 'server/main.js'))) return folder
  throw new Error(`${folder}/server/main.js is not there: run \`npm run build\` first`)
}

/** Starts the server; it may take some time until it listens. */
export function startProgram(options: ProgramOptions): Program {
  const { db, node = [], words = [], variables = {}, uid } = options
  const line = [
    ...(node.length === 0 ? ['--enable-source-maps'] : node),
    join(builtFolder(), 'server/main.js'),
    '--db-path',
    db,
    '--http-addr',
    '127.0.0.1:0',
    '--no-analytics',
    ...words,
  ]
  // SVC_NATIVES: runs of the tests without native packages.
  const { PATH, HOME, SVC_NATIVES } = process.env
  const env = { PATH, HOME, SVC_NATIVES, ...AS_PACKAGED, ...variables }
  const user = uid === undefined ? {} : { uid, gid: uid }
  return watched(
    spawn(process.execPath, line, { env, stdio: ['ignore', 'ignore', 'pipe'], ...user }),
  )
}

function watched(child: ChildProcess): Program {
  let stderr = ''
  let isRunning = true
  let isListening = false
  let resolveUrl: (url: string) => void = () => undefined
  let rejectUrl: (error: Error) => void = () => undefined
  const url = awaitedLater(
    new Promise<string>((resolve, reject) => {
      resolveUrl = resolve
      rejectUrl = reject
    }),
  )
  const ended = new Promise<Ended>((resolve) => {
    child.once('error', (error) => {
      stderr += error.message
    })
    child.once('close', (code, signal) => {
      isRunning = false
      process.removeListener('exit', killNow)
      rejectUrl(new Error(`the server ended (${signal ?? code}) before it listened: ${stderr}`))
      resolve({ code, signal, stderr })
    })
  })
  const killNow = (): void => void child.kill('SIGKILL')
  process.once('exit', killNow)
  const silent = setTimeout(() => {
    rejectUrl(new Error(`the server does not listen after ${START_MS_MAX} ms: ${stderr}`))
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
    resolveUrl(`http://${found[1]}:${found[2]}`)
  })
  const stop = async (): Promise<Ended> => {
    child.kill('SIGTERM')
    const killTimer = setTimeout(killNow, STOP_MS_MAX)
    const how = await ended
    clearTimeout(killTimer)
    return how
  }
  return {
    pid: child.pid ?? 0,
    url,
    ended,
    said: () => stderr,
    isRunning: () => isRunning,
    kill: (signal) => void child.kill(signal),
    stop,
  }
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

const TICKS_PER_SECOND = 100

/** Returns the processor time of a process and its threads in seconds; 0 without `/proc`. */
export function cpuSecondsOf(pid: number): number {
  const path = `/proc/${pid}/stat`
  if (!existsSync(path)) return 0
  // The name in brackets may hold blanks; two times are the 12th and 13th field after it.
  const fields = readFileSync(path, 'utf8').split(') ').at(-1)!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}
