// The engine put together: opens a database folder and everything that works on it.
//
// The main thread has the logs, the catalog and the queue; it reads no segment and analyses no
// text. Searches go to the search threads, batches and merges to the index threads.
import { TemplateThread, templatesInPlace } from './ai/template/index.ts'
import type { Engine } from './api.ts'
import type { Send } from './backup/export/index.ts'
import {
  type Archiver,
  runArchiveJob,
  ThreadArchiver,
  unfinishedName,
} from './backup/snapshot/index.ts'
import { type EngineTools, LocalEngine } from './local-engine.ts'
import { microClock, StorageError } from './model/index.ts'
import { type Searching, SearchPool } from './read/search/index.ts'
import {
  isDatabaseEntry,
  type Manifest,
  openManifest,
  SEGMENTS,
  sweep,
  TASK_LOG,
  TASKS,
} from './store/catalog/index.ts'
import {
  drawMark,
  type FileSystem,
  logFiles,
  RealFileSystem,
  RotatingLog,
} from './store/storage/index.ts'
import {
  type DumpOptions,
  emptyStaging,
  enqueueUpgrade,
  noteOldSegments,
  type SnapshotOptions,
  snapshotFileName,
  sweepDump,
  type TaskKindModule,
  taskKinds,
} from './task-kinds/index.ts'
import type { WorkerFiles } from './threads/index.ts'
import { Bodies } from './write/bodies/index.ts'
import { type Indexing, IndexPool } from './write/indexer/index.ts'
import { type BatchProgressStep, type TaskKinds, TaskQueue } from './write/tasks/index.ts'

export type { EngineTools } from './local-engine.ts'

export type { WorkerFiles }

export type EngineOptions = {
  /** The database folder; made if it is missing. */
  readonly path: string
  /** Of this release, `major.minor.patch`. */
  readonly version: string
  /** Whether a database of an older release may be opened; it is of this one afterwards. */
  readonly upgrade: boolean
  /** The files that threads run; null: everything happens in place, for tests and tools. */
  readonly workers: WorkerFiles | null
  readonly searchThreads: number
  /** Searches that may wait. */
  readonly searchQueueMax: number
  /** Searches that count as running, not waiting. */
  readonly searchesAtOnce: number
  /** A search is given up when it has waited and run for so long. */
  readonly searchDropAfterMs: number
  /** What indexing may use, in bytes. */
  readonly indexingMemoryMax: number
  /** Threads that build the segments of a batch; one when absent. */
  readonly indexingThreads?: number
  /** Tasks of a batch: infinite for no limit, 0: none is run. */
  readonly batchTasksMax: number
  /** Bodies of a batch, in bytes. */
  readonly batchBytesMax: number
  readonly report: (message: string, error: unknown) => void
  /** Gets notices for the operator that are not failures. */
  readonly note?: (message: string) => void
  /** Runs no task but an upgrade; for tools. */
  readonly onlyUpgrade?: boolean
  /** Told how far an upgrade is. */
  readonly onProgress?: (steps: readonly BatchProgressStep[]) => void
  /** Calls other servers; absent: none is called. */
  readonly send?: Send
  /** Bytes of a chunk of an export where the request names none. */
  readonly exportBytes?: number
  /** Where snapshots go; absent: none is made. */
  readonly snapshots?: SnapshotOptions
  /** Absent: no dumps are made. */
  readonly dumps?: DumpOptions
  /** Told of batches that have ended, with the uids of their tasks. */
  readonly onBatch?: (batchUid: number, tasks: Iterable<number>) => void
  /**
   * For tests: the file system in place of the real one, and how long an index has to rest to be
   * merged.
   */
  readonly fileSystem?: FileSystem
  readonly restMs?: number
  /** For tests: the kinds of tasks there are, in place of `taskKinds`. */
  readonly kinds?: TaskKinds<TaskKindModule>
  /** At so many tasks the oldest finished ones are deleted; infinite: never. */
  readonly taskCountMax?: number
  /** Bytes of tasks from which on writes are refused. */
  readonly queueBytesMax?: number
  /** How long a task log that refused a record is left alone; 10 s when absent. */
  readonly retryPauseMs?: number
}

const MIB = 1024 * 1024
/** Decompressed blocks of stored documents that a search thread keeps. */
const BLOCK_BYTES_MAX = 8 * MIB

/** Opens the database and goes on with its tasks. @throws StorageError */
export async function openEngine(options: EngineOptions): Promise<Engine & EngineTools> {
  const { path, version, upgrade, report } = options
  const fs = options.fileSystem ?? RealFileSystem.create(path)
  const manifest = await openManifest(fs, { version, upgrade, drawMark })
  try {
    restrictAccess(fs, options)
    expectTaskLog(fs, manifest)
    await noteOldSegments(fs, manifest, { version, upgrade })
  } catch (error) {
    manifest.letGo()
    throw error
  }
  try {
    const log = await RotatingLog.open(fs, {
      folder: TASKS,
      name: TASK_LOG,
      kind: 'TASK',
      drawMark,
    })
    await manifest.beginWriting()
    const { indexing, searching } = await openThreads(options, fs, manifest)
    const now = microClock()
    let inlineMax = (): number => 0
    const bodies = new Bodies(fs, indexing, () => inlineMax())
    const { taskCountMax, queueBytesMax, kinds = taskKinds } = options
    const queue = await TaskQueue.open({
      kinds,
      log,
      bodies,
      now,
      report,
      ...(taskCountMax === undefined ? {} : { taskCountMax }),
      ...(queueBytesMax === undefined ? {} : { queueBytesMax }),
    })
    inlineMax = () => queue.inlineBytesMax
    bodies.startFrom(queue.lastBodyFile + 1)
    const outcomes = [...manifest.state.outcomes]
    await queue.lifecycle.recover(outcomes.map(([, record]) => record))
    for (const [batch] of outcomes) manifest.forget(batch)
    await removeLeftOvers(fs, manifest, report)
    await removeUnfinishedSnapshot(fs, options)
    await sweepDump(fs, options.dumps)
    await queue.sweepBodies()
    await enqueueUpgrade(queue, manifest, version)
    const archiver = archiverOf(options, fs)
    const { workers } = options
    const templates = workers === null ? templatesInPlace : new TemplateThread(workers.template)
    return new LocalEngine({
      options,
      kinds,
      fs,
      manifest,
      log,
      queue,
      bodies,
      indexing,
      searching,
      archiver,
      now,
      templates,
    })
  } catch (error) {
    await manifest.close()
    throw error
  }
}

/** Files of earlier releases, or of a generous umask, are closed to others. @throws StorageError */
function restrictAccess(fs: FileSystem, { note, path }: EngineOptions): void {
  const { changed, refused } = fs.restrictAccess(isDatabaseEntry)
  const count = (files: number): string => (files === 1 ? '1 entry' : `${files} entries`)
  if (changed > 0) {
    note?.(`The access rights of ${count(changed)} in ${path} were set: the owner has them.`)
  }
  if (refused > 0) {
    note?.(`The access rights of ${count(refused)} in ${path} could not be set.`)
  }
}

/** A database that anything was done to has a task log; a new one would forget all tasks. */
function expectTaskLog(fs: FileSystem, { state }: Manifest): void {
  if (state.sequence === 0 || logFiles(fs, TASKS, TASK_LOG).length > 0) return
  const words = `the task log is missing: \`${TASKS}\` holds no \`${TASK_LOG}-000001.log\` or later`
  throw new StorageError('missing', TASKS, words)
}

async function openThreads(
  options: EngineOptions,
  fs: FileSystem,
  manifest: Manifest,
): Promise<{ indexing: Indexing; searching: Searching }> {
  const { workers, path, report, searchThreads } = options
  const nextSegment = manifest.takeSegment()
  if (workers === null) {
    const { IndexInPlace, SearchInPlace } = await import('./without-threads.ts')
    return { indexing: new IndexInPlace(fs, nextSegment), searching: new SearchInPlace(fs) }
  }
  const searching = new SearchPool({
    file: workers.search,
    first: workers.firstSearch ?? null,
    root: path,
    threads: searchThreads,
    waitingMax: options.searchQueueMax,
    runningMax: options.searchesAtOnce,
    dropAfterMs: options.searchDropAfterMs,
    blockBytesMax: BLOCK_BYTES_MAX,
    report,
  })
  searching.start()
  const indexing = new IndexPool({
    file: workers.index,
    root: path,
    nextSegment,
    buildingThreads: options.indexingThreads ?? 1,
    heapMegabytes: null,
    report,
  })
  indexing.start()
  return { indexing, searching }
}

/** Packs in a thread, or where there are none, in place. */
function archiverOf({ workers, path, snapshots }: EngineOptions, fs: FileSystem): Archiver {
  if (workers !== null) return new ThreadArchiver(workers.archive, path)
  const outside = snapshots?.outside ?? RealFileSystem.create
  return { run: (job, hooks) => runArchiveJob({ fs, outside }, job, hooks) }
}

/**
 * Removes segment files that no index names: of batches that never committed, of segments merged
 * away; and what is left of a snapshot that was being made.
 */
async function removeLeftOvers(
  fs: FileSystem,
  manifest: Manifest,
  report: EngineOptions['report'],
): Promise<void> {
  for (const name of sweep(manifest.state, fs.list(SEGMENTS))) {
    try {
      await fs.removeAsync(`${SEGMENTS}/${name}`)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      report(`The file ${name} is not used any more and could not be removed.`, error)
    }
  }
}

async function removeUnfinishedSnapshot(
  fs: FileSystem,
  { snapshots, report }: EngineOptions,
): Promise<void> {
  try {
    await emptyStaging(fs)
    if (snapshots === undefined) return
    const folder = snapshots.outside?.(snapshots.folder) ?? new RealFileSystem(snapshots.folder)
    const name = unfinishedName(snapshotFileName(snapshots.name))
    if (folder.exists(name)) await folder.removeAsync(name)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    report('What is left of a snapshot could not be removed.', error)
  }
}
