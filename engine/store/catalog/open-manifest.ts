// Opens the database in a folder, or creates one.
//
//   CURRENT exists: VERSION is checked · CLOSED, if it exists, is compared with the logs ·
//                   the manifest is read · other manifests are removed
//   CURRENT is missing: a database is created if the folder holds nothing of value;
//                       else the folder is refused
//
// CURRENT is the last file that creating a database writes, so a folder without it is empty or an
// unfinished database.
import { asSegmentNo } from '../../../format/ids.ts'
import { readLog } from '../../../format/log/index.ts'
import { encodeEdit } from '../../../format/manifest/index.ts'
import { StorageError } from '../../model/index.ts'
import { type AppendLog, createLog, naming, openLog } from '../logs/index.ts'
import {
  type FileSystem,
  isTemporaryName,
  type Lock,
  readFile,
  replaceFile,
} from '../storage/index.ts'
import { checkpointEdit } from './checkpoint.ts'
import { checkClosed } from './closed.ts'
import { MANIFEST_BYTES_MIN, UNUSED_BYTES_MAX } from './limits.ts'
import { currentLine, EDIT_RECORD, Manifest } from './manifest.ts'
import {
  BODIES,
  CLOSED,
  CURRENT,
  FOLDERS,
  IDENTITY,
  IMPORTING,
  LOCK,
  manifestName,
  manifestNumber,
  PUBLISHER,
  SEGMENTS,
  STAGING,
  TASKS,
  VERSION,
} from './names.ts'
import { Replay, readCurrent } from './replay.ts'
import { detached, EMPTY_STATE, type State } from './state.ts'
import { upgradeDue, upgradeNote } from './upgrade-note.ts'
import { checkVersion, compareVersions, readVersion, writeVersion } from './version.ts'

export type OpenOptions = {
  /** Version of this release, `major.minor.patch`. */
  readonly version: string
  /** True if a database of an older release may be opened; it then belongs to this release. */
  readonly upgrade: boolean
  /** Draws the salt of a new log: `drawLogSalt` of the storage layer, or a seeded function. */
  readonly drawLogSalt: () => number
  /** Length from which a manifest is rotated; for tests. */
  readonly manifestBytesMin?: number
}

type Read = {
  readonly log: AppendLog
  readonly state: State
  readonly checkpointBytes: number
}

/**
 * Opens the database in the folder of `fs`, or creates one if the folder is empty. Holds the lock
 * until the manifest is closed. Reads one file; blocks for three syncs if the database was not
 * closed in order, or a few more for a new database.
 * @throws StorageError `locked`, `version`, `corrupt`, `missing` with the name of the file
 */
export async function openManifest(fs: FileSystem, options: OpenOptions): Promise<Manifest> {
  const lock = fs.lock(LOCK)
  try {
    return await openLocked(fs, lock, options)
  } catch (error) {
    lock.release()
    throw error
  }
}

async function openLocked(fs: FileSystem, lock: Lock, options: OpenOptions): Promise<Manifest> {
  const found = fs.exists(CURRENT)
  if (found) checkVersion(readVersion(fs), options.version, options.upgrade)
  else await createDatabase(fs, options)
  for (const folder of FOLDERS) fs.makeDirectory(folder)
  const isAsClosed = checkClosed(fs)
  const number = readCurrent(fs)
  const { log, state, checkpointBytes } = readManifest(fs, number, isAsClosed)
  // A process that was killed may have left the names of CURRENT or of the folders only in the
  // cache.
  if (!isAsClosed) {
    fs.syncDirectory('')
    fs.syncDirectory(TASKS)
  }
  const nextManifest = (await removeOthers(fs, number)) + 1
  const manifest = new Manifest({
    fs,
    lock,
    log,
    state,
    checkpointBytes,
    nextManifest,
    nextSegment: asSegmentNo(largestNumber(fs.list(SEGMENTS)) + 1),
    bytesMin: options.manifestBytesMin ?? MANIFEST_BYTES_MIN,
    drawLogSalt: options.drawLogSalt,
    isAsClosed,
  })
  if (found) await adoptOlderRelease(fs, manifest, options.version)
  return manifest
}

/**
 * Marks a database of an older release as one of this release. The note of the due upgrade is
 * committed first.
 */
async function adoptOlderRelease(
  fs: FileSystem,
  manifest: Manifest,
  version: string,
): Promise<void> {
  const from = readVersion(fs)
  if (compareVersions(from, version) === 0) return
  if (upgradeNote(manifest.state) === null) await manifest.commit(upgradeDue(from))
  await writeVersion(fs, version)
}

function readManifest(fs: FileSystem, number: number, isAsClosed: boolean): Read {
  const replay = new Replay(number)
  const path = manifestName(number)
  if (!fs.exists(path)) {
    const words = `\`${CURRENT}\` names \`${path}\`, which is not there`
    throw new StorageError('missing', path, words)
  }
  const options = { accept: replay.accept, isAsClosed }
  const { log } = openLog(fs, path, 'MANI', replay.visit, options)
  return { log, state: detached(replay.state), checkpointBytes: replay.checkpointBytes }
}

/** Removes inactive manifests and unfinished files; returns the largest manifest number found. */
async function removeOthers(fs: FileSystem, current: number): Promise<number> {
  let largest = current
  let isSynced = false
  for (const name of fs.list('')) {
    const number = manifestNumber(name.replace(/\.new$/, ''))
    if (number !== null) largest = Math.max(largest, number)
    const unfinished = isTemporaryName(name) && isOurs(name)
    if (!unfinished && (number === null || number === current)) continue
    // The name of CURRENT has to be durable before the manifest that it named earlier is removed.
    if (!isSynced) fs.syncDirectory('')
    isSynced = true
    await fs.removeAsync(name)
  }
  return largest
}

const isOurs = (name: string): boolean => {
  const whole = name.replace(/\.new$/, '')
  return (
    [CLOSED, CURRENT, IDENTITY, PUBLISHER, VERSION].includes(whole) ||
    manifestNumber(whole) !== null
  )
}

/** Returns the largest number at the beginning of a segment's name. */
function largestNumber(names: readonly string[]): number {
  let largest = 0
  for (const name of names) {
    const number = Number(/^\d{1,15}/.exec(name)?.[0] ?? 0)
    largest = Math.max(largest, number)
  }
  return largest
}

async function createDatabase(fs: FileSystem, options: OpenOptions): Promise<void> {
  refuseIfUsed(fs)
  for (const folder of FOLDERS) fs.makeDirectory(folder)
  fs.syncDirectory(TASKS)
  fs.syncDirectory('')
  await writeVersion(fs, options.version)
  const path = manifestName(1)
  if (fs.exists(path)) await fs.removeAsync(path)
  const header = { kind: 'MANI', number: 1, salt: options.drawLogSalt() }
  const payload = encodeEdit(checkpointEdit(EMPTY_STATE))
  const log = await createLog(fs, path, header, [{ type: EDIT_RECORD, payload }])
  await log.close()
  await replaceFile(fs, CURRENT, currentLine(path))
}

/** Entries of a database folder of Meilisearch. */
const MEILISEARCH_ENTRIES = ['auth', 'indexes', 'tasks', VERSION] as const

/**
 * Refuses a folder without CURRENT that holds more than an unfinished database. @throws
 * StorageError
 */
function refuseIfUsed(fs: FileSystem): void {
  const found = firstForeign(fs)
  if (found === null) return
  if (MEILISEARCH_ENTRIES.every((name) => fs.exists(name))) {
    const words = 'the database folder is one of Meilisearch, which cannot be opened here'
    const advice =
      'make a dump there (POST /dumps), then start with `--import-dump FILE`, the same master key and a ' +
      '`--db-path` that does not exist yet. See docs/migrating.md'
    throw new StorageError('version', VERSION, `${words}: ${advice}`)
  }
  const words = `the database folder holds \`${found}\` but no \`${CURRENT}\``
  const advice = 'it has lost a file, or is no database: restore it from a backup, or name another'
  throw new StorageError('missing', CURRENT, `${words}: ${advice}`)
}

function firstForeign(fs: FileSystem): string | null {
  for (const name of fs.list('')) {
    const known = [IDENTITY, LOCK, VERSION, IMPORTING, PUBLISHER, STAGING, ...FOLDERS].includes(
      name,
    )
    // Hidden files are not ours to judge, and the root of a volume may hold `lost+found`.
    if (known || name.startsWith('.') || name === 'lost+found') continue
    if (isTemporaryName(name) && isOurs(name)) continue
    if (name === manifestName(1) && isUnused(fs)) continue
    return name
  }
  // VERSION is written after the folders, so VERSION without the folders comes from another
  // program.
  if (fs.exists(VERSION) && FOLDERS.some((folder) => !fs.exists(folder))) return VERSION
  for (const folder of FOLDERS) {
    if (!fs.exists(folder)) continue
    const name = fs.list(folder).find((inside) => `${folder}/${inside}` !== BODIES)
    if (name !== undefined) return `${folder}/${name}`
  }
  return null
}

/**
 * Returns true if manifest 1 is the one that creating a database writes: a checkpoint of the empty
 * state.
 */
function isUnused(fs: FileSystem): boolean {
  const path = manifestName(1)
  const replay = new Replay(1)
  try {
    const bytes = readFile(fs, path, UNUSED_BYTES_MAX)
    naming(path, () => replay.accept(readLog(bytes, 'MANI', replay.visit)))
    return replay.state.sequence === 0
  } catch (error) {
    // A large or damaged manifest may hold data.
    if (!(error instanceof StorageError)) throw error
    return false
  }
}
