// A separate server with the same database for each attack: runs the attack, times other clients,
// samples memory, and checks that the server lives and answers soon afterwards.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client as Connection } from 'undici'
import { clientOf, pause } from './ask.ts'
import type { Attack, Target } from './hostile-attack.ts'
import type { Bounds } from './hostile-inflict.ts'
import { fillLibrary, makeKeys } from './hostile-library.ts'
import { type AttackResult, type Helper, startAttackers, startWatcher } from './hostile-process.ts'
import type { Watched } from './hostile-watch.ts'
import { memoryOf, type Program, startProgram } from './program.ts'

export type SessionOptions = {
  readonly documents: number
  /** Size of the server's main heap in MB, or null for Node's default. */
  readonly heapMegabytes: number | null
  /** The processors that the server may use, as `taskset` reads them, or null for all. */
  readonly cpus: string | null
}

export type AttackReport = AttackResult & {
  readonly name: string
  readonly seconds: number
  readonly watched: Watched
  readonly residentBytes: { readonly before: number; readonly max: number; readonly after: number }
  /** Time of `GET /health` after the attack, or null if it exceeded the limit. */
  readonly recoveredMs: number | null
  /** How the server ended without a request to stop, or null if it did not. */
  readonly aborted: string | null
  readonly serverCpuSeconds: number
  /** Time for which the server's main thread was ready to run but had no processor. */
  readonly serverWaitSeconds: number
}

const MASTER_KEY = 'a master key for hostile runs'
const SAMPLE_MS = 50
const RECOVERY_MS_MAX = 15_000
/** Time until freed memory shows as freed. */
const SETTLE_MS = 2000
const TICKS_A_SECOND = 100

export class Session {
  readonly #options: SessionOptions
  readonly #root = mkdtempSync(join(tmpdir(), 'svc-fire-'))
  #keys: Target['keys'] | null = null

  constructor(options: SessionOptions) {
    this.#options = options
  }

  /** Creates the database that every attack begins with. */
  async fill(): Promise<void> {
    const program = this.#start(join(this.#root, 'filled'), false)
    const client = clientOf(await program.url, MASTER_KEY)
    try {
      await fillLibrary(client, this.#options.documents)
      this.#keys = await makeKeys(client)
    } finally {
      client.close()
      await program.stop()
    }
  }

  close(): void {
    rmSync(this.#root, { recursive: true, force: true })
  }

  /** `attacks` must all use TLS, or all not. */
  async inflict(
    name: string,
    attacks: readonly Attack[],
    seconds: number,
    bounds: Bounds,
  ): Promise<AttackReport> {
    if (this.#keys === null) throw new Error('the database is not filled')
    const isSecure = attacks.some((attack) => attack.isSecure === true)
    const db = join(this.#root, 'attacked')
    cpSync(join(this.#root, 'filled'), db, { recursive: true })
    const names = attacks.map((attack) => attack.name)
    const [attackers, watcher] = await Promise.all([startAttackers(names, bounds), startWatcher()])
    const program = this.#start(db, isSecure)
    try {
      const url = (await program.url).replace(/^http:/, isSecure ? 'https:' : 'http:')
      const target = { url, keys: this.#keys }
      return { name, ...(await attackOne(program, target, attackers, watcher, seconds)) }
    } finally {
      attackers.kill()
      watcher.kill()
      await program.stop()
      rmSync(db, { recursive: true, force: true })
    }
  }

  #start(db: string, isSecure: boolean): Program {
    const { heapMegabytes, cpus } = this.#options
    const node =
      heapMegabytes === null
        ? ['--no-enable-source-maps']
        : [`--max-old-space-size=${heapMegabytes}`]
    const words = ['--master-key', MASTER_KEY, ...(isSecure ? this.#certificate() : [])]
    const through = cpus === null ? [] : ['taskset', '-c', cpus]
    return startProgram({ db, node, words, through })
  }

  #certificate(): readonly string[] {
    const [cert, key] = [join(this.#root, 'cert.pem'), join(this.#root, 'key.pem')]
    const words = '-x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost'.split(' ')
    const files = ['-keyout', key, '-out', cert]
    execFileSync('openssl', ['req', ...words, ...files], { stdio: 'ignore' })
    return ['--ssl-cert-path', cert, '--ssl-key-path', key]
  }
}

async function attackOne(
  program: Program,
  target: Target,
  attackers: Helper<AttackResult>,
  watcher: Helper<Watched>,
  seconds: number,
): Promise<Omit<AttackReport, 'name'>> {
  // The first request creates connections and compiles code before the measurement.
  await settledHealth(target)
  const before = residentOf(program)
  const cpuBefore = cpuSecondsOf(program)
  const waitBefore = waitSecondsOf(program)
  let max = before
  const sampler = setInterval(() => {
    max = Math.max(max, residentOf(program))
  }, SAMPLE_MS)
  const begun = performance.now()
  watcher.go(target)
  attackers.go(target)
  try {
    await Promise.race([pause(seconds * 1000), attackers.result, program.ended])
    const took = (performance.now() - begun) / 1000
    const result = await attackers.stop()
    // A body may still be processed: other clients are timed until that is over.
    const recoveredMs = await settledHealth(target)
    const watched = await watcher.stop()
    const serverCpuSeconds = cpuSecondsOf(program) - cpuBefore
    const serverWaitSeconds = waitSecondsOf(program) - waitBefore
    await Promise.race([pause(SETTLE_MS), program.ended])
    const residentBytes = { before, max, after: residentOf(program) }
    const aborted = program.isRunning() ? null : await howItEnded(program)
    return {
      ...result,
      seconds: took,
      watched,
      residentBytes,
      recoveredMs,
      aborted,
      serverCpuSeconds,
      serverWaitSeconds,
    }
  } finally {
    clearInterval(sampler)
  }
}

async function howItEnded(program: Program): Promise<string> {
  const { code, signal, stderr } = await program.ended
  const reason = /FATAL ERROR: [^\n]*|RangeError[^\n]*/.exec(stderr)?.[0] ?? ''
  return `${signal ?? code} ${reason}`.trim()
}

const residentOf = ({ pid }: Program): number => memoryOf(pid)?.now ?? 0

/**
 * Returns user and system time of the process and its threads; 0 if the system does not report it.
 */
function cpuSecondsOf({ pid }: Program): number {
  const path = `/proc/${pid}/stat`
  if (!existsSync(path)) return 0
  // The name in brackets may hold blanks; user and system time are the 12th and 13th field after
  // it.
  const fields = readFileSync(path, 'utf8').split(') ').at(-1)!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND
}

/** Returns the time in which the main thread was ready but had no processor; 0 as above. */
function waitSecondsOf({ pid }: Program): number {
  const path = `/proc/${pid}/task/${pid}/schedstat`
  return existsSync(path) ? Number(readFileSync(path, 'utf8').split(' ')[1]) / 1e9 : 0
}

async function settledHealth({ url }: Target): Promise<number | null> {
  const connection = new Connection(url, { connect: { rejectUnauthorized: false } })
  const begun = performance.now()
  try {
    const signal = AbortSignal.timeout(RECOVERY_MS_MAX)
    const { body } = await connection.request({ method: 'GET', path: '/health', signal })
    await body.text()
    return performance.now() - begun
  } catch {
    // Too late, or the server has ended.
    return null
  } finally {
    await connection.destroy()
  }
}
