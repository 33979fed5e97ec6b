// Imports a dump or a snapshot before the server starts, or decides not to.
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import {
  ArchiveError,
  DumpError,
  databaseExists,
  type Fill,
  fileExists,
  findSnapshot,
  fromFile,
  importDump,
  importSnapshot,
  namingStore,
  openBucket,
  removeUnfinishedImport,
  restoreSnapshot,
} from '../../engine/backup.ts'
import { StorageError } from '../../engine/index.ts'
import { type Config, LaunchError, RELEASE } from '../config/index.ts'
import type { Log } from '../log/index.ts'
import { storeOptions } from '../outbound/index.ts'
import { indexingThreads } from './engine-options.ts'
import { importBar } from './import-bar.ts'

export type LaunchImport = {
  readonly config: Config
  readonly log: Log
  /** The file that index threads run, or null to run without threads in tests. */
  readonly indexWorker: URL | null
  /** True if a person watches the output on a terminal. */
  readonly isWatched: boolean
  readonly write: (text: string) => void
}

type ImportRequest = {
  readonly kind: 'dump' | 'snapshot'
  /** Absolute path. */
  readonly file: string
  /** The path as the operator wrote it. */
  readonly writtenPath: string
  readonly ignoreMissing: boolean
  readonly ignoreIfExists: boolean
}

/**
 * Fills the database folder before the engine opens it. Returns whether it did; the imported data
 * may be of an older release. @throws LaunchError
 */
export async function importAtLaunch(launch: LaunchImport): Promise<boolean> {
  const { config, log } = launch
  if (await removeUnfinishedImport(config.dbPath)) {
    log.warn('the remains of an interrupted import were removed', { path: config.dbPath })
  }
  if (config.importDump !== null) return importDumpAtLaunch(launch, config.importDump)
  const { importSnapshot: given } = config
  return given === null ? false : importSnapshotAtLaunch(launch, given)
}

/** Prefix of the name of a snapshot in the object store; without a name, the newest one is used. */
const IN_STORE = 'objstore:'

async function importSnapshotAtLaunch(launch: LaunchImport, given: string): Promise<boolean> {
  const { config, log } = launch
  const isInStore = given.startsWith(IN_STORE)
  const request: ImportRequest = {
    kind: 'snapshot',
    file: isInStore ? given : absolute(given),
    writtenPath: given,
    ignoreMissing: config.ignoreMissingSnapshot,
    ignoreIfExists: config.ignoreSnapshotIfDbExists,
  }
  if (!isInStore) {
    if (!mayImport(config.dbPath, request, fileExists(request.file), log)) return false
    return unlessIgnored(request, log, async () => {
      await importSnapshotFrom(launch, request, fromFile(request.file))
      return true
    })
  }
  // A start that needs nothing from the store sends no request to it.
  if (databaseExists(config.dbPath)) return mayImport(config.dbPath, request, true, log)
  return unlessIgnored(request, log, async () => {
    const fill = await fillFromStore(config, given.slice(IN_STORE.length), (message) =>
      log.warn(message),
    )
    if (!mayImport(config.dbPath, request, fill !== null, log) || fill === null) return false
    await importSnapshotFrom(launch, request, fill)
    return true
  })
}

/** Returns null if the snapshot does not exist. @throws LaunchError, EngineFault */
async function fillFromStore(
  config: Config,
  name: string,
  say: (message: string) => void,
): Promise<Fill | null> {
  const store = storeOptions(config)
  if (store === null) {
    throw new LaunchError(`'--import-snapshot ${IN_STORE}' needs the options of the store`, 2)
  }
  const bucket = await openBucket(store, new AbortController().signal)
  const wanted = name === '' ? null : name
  const snapshot = await findSnapshot(bucket, store.place, wanted, say).catch((error: unknown) => {
    throw namingStore(store, error)
  })
  if (snapshot === null) return null
  return (fs, progress) => restoreSnapshot(bucket, store.place, snapshot, fs, { progress })
}

async function importDumpAtLaunch(launch: LaunchImport, given: string): Promise<boolean> {
  const { config, log } = launch
  const request: ImportRequest = {
    kind: 'dump',
    file: absolute(given),
    writtenPath: given,
    ignoreMissing: config.ignoreMissingDump,
    ignoreIfExists: config.ignoreDumpIfDbExists,
  }
  if (!mayImport(config.dbPath, request, fileExists(request.file), log)) return false
  await unlessIgnored(request, log, async () => {
    await importDumpFile(launch, request)
    return true
  })
  // The dump was imported by this release, so nothing is older.
  return false
}

/** Returns whether to import: the decision table for both kinds. @throws LaunchError */
function mayImport(dbPath: string, request: ImportRequest, isThere: boolean, log: Log): boolean {
  const { kind, file, writtenPath: given, ignoreMissing, ignoreIfExists } = request
  const exists = databaseExists(dbPath)
  if (exists && !ignoreIfExists) {
    const words = `database already exists at ${JSON.stringify(resolve(dbPath))}`
    throw new LaunchError(`${words}, try to delete it or rename it`, 1)
  }
  if (!isThere && !ignoreMissing) {
    const shown = kind === 'dump' ? JSON.stringify(given) : given
    throw new LaunchError(`${kind} doesn't exist at ${shown}`, 1)
  }
  if (exists) log.info(`a database exists: the ${kind} is not imported`, { file })
  else if (!isThere) log.warn(`the ${kind} does not exist: starting without it`, { file })
  return !exists && isThere
}

/**
 * Treats an invalid file like a missing one; a disk error is never treated so. Returns whether data
 * was imported; `work` may return that it was not.
 */
async function unlessIgnored(
  { kind, file, ignoreMissing }: ImportRequest,
  log: Log,
  work: () => Promise<boolean>,
): Promise<boolean> {
  try {
    return await work()
  } catch (error) {
    if (!isInvalid(error)) throw error
    const words = `the ${kind} ${JSON.stringify(file)} is invalid: ${error.message}`
    if (!ignoreMissing) throw new LaunchError(words, 1, { cause: error })
    log.warn(`${words}; starting without it`)
    return false
  }
}

const isInvalid = (error: unknown): error is ArchiveError | DumpError | StorageError => {
  if (error instanceof ArchiveError || error instanceof DumpError) return true
  const codes = ['corrupt', 'version', 'missing', 'short_file']
  return error instanceof StorageError && codes.includes(error.code)
}

async function importSnapshotFrom(
  { config, log, isWatched, write }: LaunchImport,
  { file }: ImportRequest,
  fill: Fill,
): Promise<void> {
  log.info('importing a snapshot', { file })
  const bar = importBar({ isWatched, write, log, now: () => performance.now() })
  const startedAt = performance.now()
  try {
    const step = 'unpacking the snapshot'
    const { version, createdAt } = await importSnapshot(
      {
        path: config.dbPath,
        version: RELEASE.version,
        progress: (done, total) => bar.at({ step, done, total }),
      },
      fill,
    )
    bar.clear()
    const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(1))
    log.info('the snapshot is imported', { version, createdAt, seconds })
  } finally {
    bar.clear()
  }
}

async function importDumpFile(launch: LaunchImport, { file }: ImportRequest): Promise<void> {
  const { config, log, indexWorker, isWatched, write } = launch
  const bar = importBar({ isWatched, write, log, now: () => performance.now() })
  try {
    await importDump({
      path: config.dbPath,
      version: RELEASE.version,
      dump: { folder: dirname(file), name: basename(file) },
      indexWorker,
      indexingMemoryMax: config.maxIndexingMemory,
      indexingThreads: config.maxIndexingThreads ?? indexingThreads(),
      say: (message) => {
        bar.clear()
        log.info(message)
      },
      progress: bar.at,
      report: (message, error) => log.error(message, { cause: String(error) }),
    })
  } finally {
    bar.clear()
  }
}

const absolute = (path: string): string => (isAbsolute(path) ? path : join(process.cwd(), path))
