// Examines the machine for a server: system, Node, native packages, limits, clock, and the folder
// of the database. Nothing is written there; locks are tried in a temporary folder.
import {
  accessSync,
  constants,
  mkdtempSync,
  readFileSync,
  rmSync,
  type Stats,
  statfsSync,
  statSync,
} from 'node:fs'
import { availableParallelism, freemem, release, tmpdir, totalmem } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { type NativeReport, RealFileSystem } from '../../engine/index.ts'
import { bytesText, countOf, countText } from '../terminal/index.ts'

/** `problem`: the server cannot start; `note`: it can, at a cost. */
export type FindingState = 'good' | 'note' | 'problem'

export type DoctorFinding = {
  readonly subject: string
  readonly found: string
  readonly state: FindingState
  /** The effect on the server, and the remedy; null for a finding without effect. */
  readonly consequence: string | null
}

export type DoctorResult = {
  readonly findings: readonly DoctorFinding[]
  /** Number of findings with which the server cannot start. */
  readonly problemCount: number
}

/** The machine, which tests replace. */
export type DoctorSurroundings = {
  readonly nodeVersion: string
  readonly natives: readonly NativeReport[]
  /** The text of `/proc/self/limits`, or null if the system has none. */
  readonly limits: string | null
  readonly memoryBytes: number
  /** Milliseconds since 1970. */
  readonly now: number
  /** Throws a StorageError if this process cannot lock files. */
  readonly tryLock: () => void
}

/** The oldest release of Node that the package supports. */
const NODE_MIN = [20, 19] as const
/** Fewer descriptors are not enough for a database with many indexes. */
const DESCRIPTORS_MIN = 4096
const MEMORY_BYTES_MIN = 512 * 2 ** 20
/** The engine treats a disk with less free space as full. */
const FREE_BYTES_MIN = 2 ** 20
const FREE_BYTES_LOW = 2 ** 30
/** The server did not exist before. */
const CLOCK_MIN = Date.UTC(2025, 0, 1)
const CLOCK_LAG_MS_MAX = 60_000

export const thisMachine = (natives: readonly NativeReport[]): DoctorSurroundings => ({
  nodeVersion: process.versions.node,
  natives,
  limits: readIfThere('/proc/self/limits'),
  memoryBytes: memoryLimit(),
  now: Date.now(),
  tryLock,
})

/** `db`: the folder of the database, which need not exist. */
export function examine(db: string, around: DoctorSurroundings): DoctorResult {
  const findings = [
    systemFinding(),
    nodeFinding(around.nodeVersion),
    ...around.natives.map(nativeFinding),
    lockFinding(around.tryLock),
    good('processors', countText(availableParallelism())),
    memoryFinding(around.memoryBytes),
    descriptorsFinding(around.limits),
    ...folderFindings(resolve(db)),
    clockFinding(around.now, resolve(db)),
  ]
  return { findings, problemCount: findings.filter(({ state }) => state === 'problem').length }
}

const good = (subject: string, found: string): DoctorFinding => ({
  subject,
  found,
  state: 'good',
  consequence: null,
})
const note = (subject: string, found: string, consequence: string): DoctorFinding => ({
  subject,
  found,
  state: 'note',
  consequence,
})
const problem = (subject: string, found: string, consequence: string): DoctorFinding => ({
  subject,
  found,
  state: 'problem',
  consequence,
})

function systemFinding(): DoctorFinding {
  const { platform, arch } = process
  const found = `${platform} ${release()} ${arch}${libraryText()}`
  if (platform === 'linux') return good('system', found)
  return note('system', found, 'the server is tested on Linux only; others are expected to work')
}

/** The C library of Linux, as Node reports it. */
function libraryText(): string {
  if (process.platform !== 'linux') return ''
  const { header } = process.report.getReport() as unknown as {
    readonly header: { readonly glibcVersionRuntime?: string }
  }
  const { glibcVersionRuntime: glibc } = header
  return glibc === undefined ? ', not glibc (musl)' : `, glibc ${glibc}`
}

function nodeFinding(version: string): DoctorFinding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [majorMin, minorMin] = NODE_MIN
  const isEnough = major > majorMin || (major === majorMin && minor >= minorMin)
  if (isEnough) return good('Node', version)
  return problem('Node', version, `install Node ${majorMin}.${minorMin} or a later release`)
}

function nativeFinding({ name, purpose, missing }: NativeReport): DoctorFinding {
  const subject = `${name} (${purpose})`
  if (missing === null) return good(subject, 'used')
  return note(subject, `not used: ${missing.reason}`, `instead: ${missing.instead}`)
}

function lockFinding(tryLock: () => void): DoctorFinding {
  try {
    tryLock()
    return good('locks', 'work')
  } catch (error) {
    return problem('locks', messageOf(error), 'the server starts only if it can lock its database')
  }
}

function memoryFinding(bytes: number): DoctorFinding {
  const found = `${bytesText(bytes)}, ${bytesText(Math.min(bytes, freemem()))} free`
  if (bytes >= MEMORY_BYTES_MIN) return good('memory', found)
  const least = bytesText(MEMORY_BYTES_MIN)
  return note('memory', found, `with less than ${least}, lower --max-indexing-memory`)
}

function descriptorsFinding(limits: string | null): DoctorFinding {
  const subject = 'open files'
  const hard = /^Max open files\s+\S+\s+(\S+)/m.exec(limits ?? '')?.[1]
  if (hard === undefined) return good(subject, 'limit unknown')
  // Node raises the limit to the largest allowed one.
  const found = hard === 'unlimited' ? 'unlimited' : `at most ${countText(Number(hard))}`
  if (hard === 'unlimited' || Number(hard) >= DESCRIPTORS_MIN) return good(subject, found)
  const least = countText(DESCRIPTORS_MIN)
  return note(subject, found, `raise it to ${least} or more (ulimit -n, LimitNOFILE=)`)
}

function folderFindings(db: string): readonly DoctorFinding[] {
  const existing = nearestFolder(db)
  const there = existing === db ? db : `${db} (does not exist yet)`
  const findings = [writableFinding(there, existing)]
  const { bavail, bsize } = statfsSync(existing)
  const free = bavail * bsize
  const found = `${bytesText(free)} free`
  if (free < FREE_BYTES_MIN) findings.push(problem('disk', found, 'free space: it counts as full'))
  else if (free >= FREE_BYTES_LOW) findings.push(good('disk', found))
  else findings.push(note('disk', found, 'merges and snapshots need as much as the database has'))
  return findings
}

function writableFinding(shown: string, folder: string): DoctorFinding {
  try {
    if (!statSync(folder).isDirectory()) {
      return problem('database', shown, `${folder} is not a folder: choose another --db-path`)
    }
    accessSync(folder, constants.W_OK | constants.X_OK)
    return good('database', shown)
  } catch (error) {
    const words = `${messageOf(error)}: give the user of the server rights to ${folder}`
    return problem('database', shown, words)
  }
}

function clockFinding(now: number, db: string): DoctorFinding {
  const found = new Date(now).toISOString()
  if (now < CLOCK_MIN) {
    return note('clock', found, 'it is wrong: keys, tokens and times of tasks depend on it')
  }
  const written = statIfThere(join(db, 'manifest.log'))?.mtimeMs ?? 0
  if (written <= now + CLOCK_LAG_MS_MAX) return good('clock', found)
  const words = 'the database was written later than that: tasks get times in the past'
  return note('clock', found, words)
}

/** Returns the path, or its nearest parent that exists. */
function nearestFolder(path: string): string {
  let at = path
  while (statIfThere(at) === null && at !== dirname(at)) at = dirname(at)
  return at
}

/** Returns null also if a parent is a file, or may not be entered. */
function statIfThere(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return null
  }
}

function tryLock(): void {
  const folder = mkdtempSync(join(tmpdir(), 'svc-doctor-'))
  try {
    new RealFileSystem(folder).lock('LOCK').release()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function memoryLimit(): number {
  const allowed = process.constrainedMemory()
  const total = totalmem()
  return allowed > 0 && allowed < total ? allowed : total
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'latin1')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return null
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** `2 problems, 3 notes` */
export const verdict = ({ findings, problemCount }: DoctorResult): string => {
  const notes = findings.filter(({ state }) => state === 'note').length
  if (problemCount > 0) return `The server cannot start here: ${countOf(problemCount, 'problem')}.`
  return notes === 0 ? 'All is well.' : `The server can start here, with ${countOf(notes, 'note')}.`
}
