// Opens a database folder and connects the parts of the engine that work on it.
//
// The main thread holds the logs, the catalog and the queue; it reads no segment and analyses no
// text. Searches run on the search threads, batches and merges on the index threads.
import { modelsInPlace, modelThread } from '../ai/models/index.ts'
import { ProviderPool } from '../ai/providers/index.ts'
import { type Templates, TemplateThread, templatesInPlace } from '../ai/template/index.ts'
import { type Engine, type EngineOptions, SEARCH_CACHE_BYTES_MAX } from '../api/index.ts'
import {
  type Archiver,
  runArchiveJob,
  ThreadArchiver,
  unfinishedName,
} from '../backup/snapshot/index.ts'
import { followingOf } from '../followers/following/index.ts'
import { openPublishing, type Publishing, PublishingRunner } from '../followers/publishing/index.ts'
import { StorageError } from '../model/index.ts'
import { lackedVectorNotes } from '../read/jobs/index.ts'
import { cacheLimits, type Searching, SearchPool } from '../read/pool/index.ts'
import { type RunnerParts, TaskRunner } from '../runner/index.ts'
import {
  CURRENT,
  InstanceIdentity,
  isDatabaseEntry,
  type Manifest,
  openManifest,
  SEGMENTS,
  sweep,
  TASK_LOG,
  TASKS,
} from '../store/catalog/index.ts'
import { logFiles, RotatingLog } from '../store/logs/index.ts'
import { drawLogSalt, type FileSystem, RealFileSystem } from '../store/storage/index.ts'
import {
  emptyStaging,
  enqueueUpgrade,
  noteOldSegments,
  snapshotFileName,
  sweepDump,
} from '../task-kinds/database/index.ts'
import { taskKinds } from '../task-kinds/index.ts'
import { awaitedLater, microClock } from '../time/index.ts'
import { Bodies } from '../write/bodies/index.ts'
import { type Indexing, IndexPool } from '../write/indexer/index.ts'
import { TaskQueue } from '../write/tasks/index.ts'
import { type EngineParts, type EngineTools, LocalEngine, type MakeRunner } from './local-engine.ts'

type OpenParts = RunnerParts & Pick<EngineParts, 'options' | 'identity'>

/** Opens the database and continues its tasks. @throws StorageError */
export async function openEngine(options: EngineOptions): Promise<Engine & EngineTools> {
  const { path, version, report, kinds = taskKinds } = options
  const fs = options.fileSystem ?? RealFileSystem.create(path)
  const manifest = await openWritable(fs, options)
  try {
    const { isAsClosed } = manifest
    const taskLog = { folder: TASKS, name: TASK_LOG, kind: 'TASK', drawLogSalt, isAsClosed }
    const log = await RotatingLog.open(fs, taskLog)
    // The disk works while threads start and the log of tasks is read.
    const mayWrite = awaitedLater(manifest.beginWriting())
    const { indexing, searching } = await openThreads(options, fs, manifest)
    const identity = await InstanceIdentity.open(fs)
    const now = microClock()
    let inlineMax = (): number => 0
    const bodies = new Bodies(fs, indexing, () => inlineMax())
    const publishing = await openPublishing(options, { fs, identity, bodies })
    const queue = await TaskQueue.open({
      kinds,
      log,
      bodies: publishing.unpublished ?? bodies,
      unpublished: publishing.unpublished,
      now,
      report,
      ...queueLimits(options),
    })
    // Nothing is appended before.
    await mayWrite
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
    const parts: OpenParts = {
      options,
      kinds,
      fs,
      identity,
      manifest,
      log,
      queue,
      bodies,
      indexing,
      searching,
      archiver: archiverOf(options, fs),
      now,
      templates: openTemplates(options),
      providers: openProviders(options),
    }
    const engine = new LocalEngine(parts, runnerOf(parts, publishing))
    await engine.start()
    return engine
  } catch (error) {
    await manifest.close()
    throw error
  }
}

/** Opens the manifest of a database that this process may write to. @throws StorageError */
async function openWritable(fs: FileSystem, options: EngineOptions): Promise<Manifest> {
  const { version, upgrade } = options
  const manifest = await openManifest(fs, { version, upgrade, drawLogSalt })
  try {
    refuseFollower(manifest)
    restrictAccess(fs, options)
    expectTaskLog(fs, manifest)
    await noteOldSegments(fs, manifest, { version, upgrade })
  } catch (error) {
    manifest.release()
    throw error
  }
  return manifest
}

/** Returns a factory of the task runner; it also publishes each commit if `publish` is set. */
const runnerOf =
  (parts: OpenParts, { names, unpublished }: Publishing): MakeRunner =>
  (administration, announce, visibility) => {
    const isAwaited = (): boolean => visibility.isAwaited
    const runner = new TaskRunner(parts, administration, announce, isAwaited)
    const { publish, version } = parts.options
    if (publish === undefined || names === null) return runner
    return new PublishingRunner(runner, { ...parts, options: publish, version, names, unpublished })
  }

const queueLimits = ({ taskCountMax, queueBytesMax }: EngineOptions) => ({
  ...(taskCountMax === undefined ? {} : { taskCountMax }),
  ...(queueBytesMax === undefined ? {} : { queueBytesMax }),
})

/** Refuses a database that follows another one: only its source writes it. @throws StorageError */
export function refuseFollower({ state }: Manifest): void {
  const following = followingOf(state)
  if (following === null) return
  const advice = 'start it with `--follow`, or make it writable with `svc-tools db promote`'
  const words = `this database follows ${following.source}: ${advice}`
  throw new StorageError('exists', CURRENT, words)
}

/** Renders templates in a thread, or in this one if there are no workers. */
export const openTemplates = ({ workers }: EngineOptions): Templates =>
  workers === null ? templatesInPlace : new TemplateThread(workers.template)

/** Opens the pool of embedding providers; null if no embedder may be called. */
export function openProviders({ embedding, workers }: EngineOptions): ProviderPool | null {
  if (embedding === undefined) return null
  const { cacheEntriesMax, modelsHome, ...environment } = embedding
  const open = workers === null ? modelsInPlace : modelThread.bind(null, workers.models)
  const models = modelsHome === null ? null : open(modelsHome)
  return new ProviderPool({ ...environment, models }, cacheEntriesMax)
}

/**
 * Removes the access rights of other users from files of earlier releases, or files created under a
 * lax umask. @throws StorageError
 */
export function restrictAccess(fs: FileSystem, { note, path }: EngineOptions): void {
  const { changed, refused } = fs.restrictAccess(isDatabaseEntry)
  const count = (files: number): string => (files === 1 ? '1 entry' : `${files} entries`)
  if (changed > 0) {
    note?.(`The access rights of ${count(changed)} in ${path} were restricted to the owner.`)
  }
  if (refused > 0) {
    note?.(`The access rights of ${count(refused)} in ${path} could not be set.`)
  }
}

/** Refuses a database in use whose task log is missing: a new log would forget all tasks. */
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
  const { workers, path, report } = options
  const nextSegment = manifest.takeSegment()
  if (workers === null) {
    const { IndexInPlace } = await import('../without-threads.ts')
    const searching = await openSearching(options, fs, () => false)
    return { indexing: new IndexInPlace(fs, nextSegment), searching }
  }
  const indexing = new IndexPool({
    file: workers.index,
    root: path,
    nextSegment,
    buildingThreads: options.indexingThreads ?? 1,
    memoryBytesMax: options.indexingMemoryMax,
    heapMegabytes: null,
    report,
  })
  const searching = await openSearching(options, fs, () => indexing.isBusy)
  indexing.start()
  return { indexing, searching }
}

/** Starts the search threads, or a search in this thread if there are no workers. */
export async function openSearching(
  options: EngineOptions,
  fs: FileSystem,
  isIndexing: () => boolean,
): Promise<Searching> {
  const { workers, path, note, report, searchThreads } = options
  const lackedVectors = lackedVectorNotes(note ?? (() => undefined))
  if (workers === null) {
    const { SearchInPlace } = await import('../without-threads.ts')
    return new SearchInPlace(fs, lackedVectors, options.wallMs)
  }
  const searching = new SearchPool({
    file: workers.search,
    first: workers.firstSearch ?? null,
    root: path,
    threads: searchThreads,
    keepsReserve: options.keepsSearchReserve ?? false,
    waitingMax: options.searchQueueMax,
    runningMax: options.searchesAtOnce,
    dropAfterMs: options.searchDropAfterMs,
    caches: cacheLimits(options.searchCacheBytesMax ?? SEARCH_CACHE_BYTES_MAX, searchThreads),
    warmUpMs: options.warmUpMs ?? 0,
    isIndexing,
    lackedVectors,
    report,
  })
  searching.start()
  return searching
}

/** Packs archives in a worker thread, or in this thread if there are no workers. */
function archiverOf({ workers, path, snapshots }: EngineOptions, fs: FileSystem): Archiver {
  if (workers !== null) return new ThreadArchiver(workers.archive, path)
  const outside = snapshots?.outside ?? RealFileSystem.create
  return { run: (job, hooks) => runArchiveJob({ fs, outside }, job, hooks) }
}

/**
 * Removes segment files that no index names: files of batches that were never committed and of
 * segments that were merged away.
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
      report(`The file ${name} is no longer used and could not be removed.`, error)
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
    report('The files of an unfinished snapshot could not be removed.', error)
  }
}
