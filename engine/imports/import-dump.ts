// Creates a database from a dump before it can be used: unpacks the archive into a folder of the
// database, then imports values, indexes with their documents, and tasks. `imports.ts` handles the
// states in which other processes see an import, and cleans up after a failed one.
import { unpackArchive } from '../backup/archive/index.ts'
import { DumpError, type DumpReader, openDump } from '../backup/dumps/index.ts'
import { EngineFault } from '../model/index.ts'
import {
  IMPORT_FOLDER,
  type Manifest,
  openManifest,
  TASK_LOG,
  TASKS,
} from '../store/catalog/index.ts'
import { RotatingLog } from '../store/logs/index.ts'
import { drawLogSalt, type FileSystem, fileBytes, RealFileSystem } from '../store/storage/index.ts'
import { taskKinds } from '../task-kinds/index.ts'
import type { TaskKind } from '../task-kinds/kind/index.ts'
import type { WorkerFiles } from '../threads/index.ts'
import { Bodies } from '../write/bodies/index.ts'
import { chunkBytesOf, type Indexing, IndexPool } from '../write/indexer/index.ts'
import type { TaskKinds } from '../write/task-data/index.ts'
import { TaskLogWriter } from '../write/tasks/index.ts'
import { importIndex } from './import-index.ts'
import { importTasks } from './import-tasks.ts'
import { importValues } from './import-values.ts'
import { type ImportProgress, importInto } from './imports.ts'

export type ImportOptions = {
  /** The database folder; created if it is missing. */
  readonly path: string
  /** The version of this release, `major.minor.patch`. */
  readonly version: string
  /** The folder of the dump, and its name in it. */
  readonly dump: { readonly folder: string; readonly name: string }
  /** The script of index threads, or null to run all work inline, for tests. */
  readonly indexWorker: WorkerFiles['index'] | null
  /** Memory limit of indexing, in bytes. */
  readonly indexingMemoryMax: number
  /** Number of threads that share it. */
  readonly indexingThreads: number
  /** Writes one line into the log about the step that begins. */
  readonly say: (message: string) => void
  readonly progress: (progress: ImportProgress) => void
  readonly report: (message: string, error: unknown) => void
  /** For tests: replaces the folder of the dump. */
  readonly dumpFileSystem?: FileSystem
  /** For tests: replaces `taskKinds`. */
  readonly kinds?: TaskKinds<TaskKind>
}

/**
 * Creates the database from a dump. After a failure no part of it remains.
 * @throws DumpError, ArchiveError for faults of the dump; StorageError
 */
export const importDump = (options: ImportOptions): Promise<void> =>
  importInto(options.path, (fs) => fillFromDump(fs, options))

/** Fills the empty folder of `fs`. After a failure the caller removes the files. */
export async function fillFromDump(fs: FileSystem, options: ImportOptions): Promise<void> {
  const manifest = await openManifest(fs, { version: options.version, upgrade: false, drawLogSalt })
  try {
    await fill(options, fs, manifest)
  } catch (error) {
    await manifest.close()
    if (!(error instanceof EngineFault)) throw error
    throw new DumpError(error.message, { cause: error })
  }
  await manifest.close(true)
  await fs.removeTreeAsync(IMPORT_FOLDER)
}

async function fill(options: ImportOptions, fs: FileSystem, manifest: Manifest): Promise<void> {
  const { say, progress, kinds = taskKinds } = options
  const reader = await unpacked(options, fs)
  say(titleOf(reader))
  const indexing = await openIndexing(options, fs, manifest)
  const log = await RotatingLog.open(fs, {
    folder: TASKS,
    name: TASK_LOG,
    kind: 'TASK',
    drawLogSalt,
  })
  try {
    await manifest.beginWriting()
    const tasks = new TaskLogWriter(log, kinds)
    const bodies = new Bodies(fs, indexing, () => tasks.inlineBytesMax)
    await importValues(reader, manifest)
    const indexes = reader.indexes()
    for (const [done, index] of indexes.entries()) {
      say(`Importing index \`${index.uid}\`.`)
      progress({ step: `index ${index.uid}`, done, total: indexes.length })
      const parts = { fs, manifest, bodies, indexing, files: reader.files }
      const chunkBytesMax = chunkBytesOf(options.indexingMemoryMax)
      await importIndex({ ...parts, chunkBytesMax, progress, say }, index)
    }
    say('All documents successfully imported.')
    await importTasks({ kinds, reader, writer: tasks, bodies, fs, progress })
  } finally {
    await indexing.close()
    await log.close()
  }
}

/** Unpacks the dump's files into a folder of the database. */
async function unpacked(
  { dump, progress, dumpFileSystem, kinds = taskKinds }: ImportOptions,
  fs: FileSystem,
): Promise<DumpReader> {
  const source = dumpFileSystem ?? new RealFileSystem(dump.folder)
  const total = source.size(dump.name)
  let done = 0
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of fileBytes(source, dump.name)) {
      done += chunk.length
      progress({ step: 'unpacking', done, total })
      yield chunk
    }
  }
  const entries = await unpackArchive(counted(), fs, IMPORT_FOLDER)
  const sizes = new Map(entries.map(({ path, bytes }) => [path, bytes]))
  return openDump({ fs, folder: IMPORT_FOLDER, sizes }, kinds)
}

function titleOf({ version, release, date }: DumpReader): string {
  const made = release === null ? '' : ` of version ${release}`
  const at = date === null ? '' : `, from ${new Date(Math.floor(date / 1000)).toISOString()}`
  return `Importing a dump in format ${version}${made}${at}.`
}

async function openIndexing(
  { path, indexWorker, indexingThreads, indexingMemoryMax, report }: ImportOptions,
  fs: FileSystem,
  manifest: Manifest,
): Promise<Indexing> {
  const nextSegment = manifest.takeSegment()
  if (indexWorker === null) {
    const { IndexInPlace } = await import('../without-threads.ts')
    return new IndexInPlace(fs, nextSegment)
  }
  const pool = new IndexPool({
    file: indexWorker,
    root: path,
    nextSegment,
    heapMegabytes: null,
    buildingThreads: indexingThreads,
    memoryBytesMax: indexingMemoryMax,
    report,
  })
  pool.start()
  return pool
}
