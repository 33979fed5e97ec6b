// An engine that only searches: it creates, changes and removes no file, and runs no task. Its
// database may lie in a folder that cannot be written to. Several readers may have it open, but no
// writer beside them, because a writer removes files that it no longer needs.
import { openProviders, openSearching, openTemplates, refuseFollower } from './engine.ts'
import { FollowedLog, noIndexing, readOnlyBodies } from './follow/index.ts'
import { type EngineParts, type EngineTools, LocalEngine } from './local-engine.ts'
import { EngineFault, microClock, StorageError } from './model/index.ts'
import type { Engine, EngineOptions } from './ports/index.ts'
import {
  InstanceIdentity,
  type Manifest,
  openManifestForReading,
  TASK_LOG,
  TASKS,
} from './store/catalog/index.ts'
import { type FileSystem, logFiles, RealFileSystem, soundBytes } from './store/storage/index.ts'
import { LiveViews, noteOldSegments, type Runner, taskKinds } from './task-kinds/index.ts'
import type { Bodies } from './write/bodies/index.ts'
import { TaskQueue } from './write/tasks/index.ts'

const refusal = (): EngineFault =>
  new EngineFault('read_only_database', 'This database is opened for searching only.')

/** Opens an existing database of this release. @throws StorageError */
export async function openReader(given: EngineOptions): Promise<Engine & EngineTools> {
  const options = { ...given, isReader: true }
  const { path, version, kinds = taskKinds } = options
  const fs = options.fileSystem ?? new RealFileSystem(path)
  const manifest = openManifestForReading(fs, version, refusal)
  try {
    refuseFollower(manifest)
    await noteOldSegments(fs, manifest, { version, upgrade: false })
    const indexing = noIndexing(refusal)
    const bodies = readOnlyBodies(fs, indexing, refusal)
    const queue = await openQueue(fs, manifest, bodies, { ...options, kinds })
    const searching = await openSearching(options, fs, () => false)
    const live = new LiveViews({ fs, manifest, searching, indexing, options })
    const parts: EngineParts = {
      options,
      kinds,
      fs,
      identity: InstanceIdentity.read(fs),
      manifest,
      log: { activeLog: manifest.log },
      queue,
      bodies,
      indexing,
      searching,
      archiver: { run: () => Promise.reject(refusal()) },
      now: microClock(),
      templates: openTemplates(options),
      providers: openProviders(options),
    }
    const engine = new LocalEngine(parts, () => readerOf(live))
    await engine.start()
    return engine
  } catch (error) {
    await manifest.close()
    throw error
  }
}

/** Opens the tasks, which are shown and never run. */
async function openQueue(
  fs: FileSystem,
  { state }: Manifest,
  bodies: Bodies,
  { kinds, report }: EngineOptions & Required<Pick<EngineOptions, 'kinds'>>,
): Promise<TaskQueue> {
  const log = logFiles(fs, TASKS, TASK_LOG).at(-1)
  if (log === undefined) throw new StorageError('missing', TASKS, 'the task log is missing')
  // After a crash the end of the file may be torn.
  const bytes = soundBytes(fs, log.path, 'TASK')
  const queue = await TaskQueue.open({
    kinds,
    log: await FollowedLog.open(fs, log.path, refusal, bytes),
    bodies,
    now: microClock(),
    report,
    refusal,
  })
  await queue.lifecycle.recover([...state.outcomes.values()])
  return queue
}

const readerOf = (live: LiveViews): Runner => ({
  views: live.views,
  start: () => live.publish(),
  idle: () => Promise.resolve(),
  settle: () => Promise.resolve(),
  stop: () => Promise.resolve(),
  cleaned: () => live.cleaned(),
  follows: null,
})
