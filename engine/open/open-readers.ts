// Engines whose databases no request of a client changes: the same ports over the same parts,
// without a runner of tasks. A follower serves the snapshots that another engine publishes into an
// object store. A reader serves a folder as it is: it creates, changes and removes no file, so that
// the folder may be read-only. Several readers may have a database open, but no writer beside them,
// because a writer removes files that it no longer needs.

import type { Engine, EngineOptions } from '../api/index.ts'
import {
  FollowedLog,
  Follower,
  type FollowOptions,
  followingOf,
  noIndexing,
  readOnlyBodies,
  writeRefusal,
} from '../followers/following/index.ts'
import { EngineFault, StorageError } from '../model/index.ts'
import { LiveViews, type Runner } from '../runner/index.ts'
import {
  CURRENT,
  InstanceIdentity,
  type Manifest,
  openManifest,
  openManifestForReading,
  TASK_LOG,
  TASKS,
} from '../store/catalog/index.ts'
import { logFiles, soundBytes } from '../store/logs/index.ts'
import { drawLogSalt, type FileSystem, RealFileSystem } from '../store/storage/index.ts'
import { noteOldSegments } from '../task-kinds/database/index.ts'
import { taskKinds } from '../task-kinds/index.ts'
import { microClock } from '../time/index.ts'
import type { Bodies } from '../write/bodies/index.ts'
import { TaskQueue } from '../write/tasks/index.ts'
import { type EngineParts, type EngineTools, LocalEngine } from './local-engine.ts'
import {
  openProviders,
  openSearching,
  openTemplates,
  refuseFollower,
  restrictAccess,
} from './open-engine.ts'

export type FollowerOptions = EngineOptions & { readonly follow: FollowOptions }

/**
 * Opens a database that follows another one, or creates one in an empty folder. Resolves when the
 * first snapshot is served. @throws StorageError
 */
export async function openFollower(options: FollowerOptions): Promise<Engine & EngineTools> {
  const { path, version, follow, kinds = taskKinds, report } = options
  const fs = options.fileSystem ?? RealFileSystem.create(path)
  const isNew = !fs.exists(CURRENT)
  const manifest = await openManifest(fs, { version, upgrade: false, drawLogSalt })
  try {
    if (!isNew) refuseOther(manifest)
    restrictAccess(fs, options)
    const refusal = (): EngineFault => writeRefusal(follow.source, followingOf(manifest.state))
    const commit = manifest.reserve(refusal)
    const indexing = noIndexing(refusal)
    const searching = await openSearching(options, fs, () => false)
    const identity = await InstanceIdentity.open(fs)
    const now = microClock()
    const bodies = readOnlyBodies(fs, indexing, refusal)
    const live = new LiveViews({ fs, manifest, searching, indexing, options })
    const follower = new Follower({
      options: follow,
      fs,
      manifest,
      commit,
      live,
      openQueue: async (folder, state) => {
        const log = logFiles(fs, folder, TASK_LOG).at(-1)
        if (log === undefined) {
          throw new StorageError('missing', folder, `\`${folder}\` holds no task log`)
        }
        const queue = await TaskQueue.open({
          kinds,
          log: await FollowedLog.open(fs, log.path, refusal),
          bodies,
          now,
          report,
          refusal,
        })
        await queue.lifecycle.recover([...state.outcomes.values()])
        return queue
      },
    })
    await follower.open()
    const parts: EngineParts = {
      options,
      kinds,
      fs,
      identity,
      manifest,
      get log() {
        return { activeLog: manifest.log }
      },
      get queue() {
        return follower.queue
      },
      described: () => follower.described,
      bodies,
      indexing,
      searching,
      archiver: { run: () => Promise.reject(refusal()) },
      now,
      templates: openTemplates(options),
      providers: openProviders(options),
    }
    const engine = new LocalEngine(parts, (_administered, _announce, visibility) => {
      follower.onNewState = () => visibility.changed()
      return follower
    })
    await engine.start()
    return engine
  } catch (error) {
    await manifest.close()
    throw error
  }
}

/** Refuses a database that does not follow another one. @throws StorageError */
function refuseOther({ state }: Manifest): void {
  if (followingOf(state) !== null || state.sequence === 0) return
  const words = 'it holds another database; choose an empty folder'
  throw new StorageError('exists', CURRENT, `this folder cannot follow: ${words}`)
}

const readerRefusal = (): EngineFault =>
  new EngineFault('read_only_database', 'This database is opened for searching only.')

/** Opens an existing database of this release. @throws StorageError */
export async function openReader(given: EngineOptions): Promise<Engine & EngineTools> {
  const options = { ...given, isReader: true }
  const { path, version, kinds = taskKinds } = options
  const fs = options.fileSystem ?? new RealFileSystem(path)
  const manifest = openManifestForReading(fs, version, readerRefusal)
  try {
    refuseFollower(manifest)
    await noteOldSegments(fs, manifest, { version, upgrade: false })
    const indexing = noIndexing(readerRefusal)
    const bodies = readOnlyBodies(fs, indexing, readerRefusal)
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
      archiver: { run: () => Promise.reject(readerRefusal()) },
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
  const bytes = soundBytes(fs, log.path, 'TASK').length
  const queue = await TaskQueue.open({
    kinds,
    log: await FollowedLog.open(fs, log.path, readerRefusal, bytes),
    bodies,
    now: microClock(),
    report,
    refusal: readerRefusal,
  })
  await queue.lifecycle.recover([...state.outcomes.values()])
  return queue
}

const readerOf = (live: LiveViews): Runner => ({
  views: live.views,
  start: () => live.publish(),
  idle: () => Promise.resolve(),
  allMerged: () => Promise.resolve(),
  stop: () => Promise.resolve(),
  cleaned: () => live.cleaned(),
  follows: null,
})
