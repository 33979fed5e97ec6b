// An engine that serves the snapshots which another engine publishes into an object store: the same
// ports over the same parts, with a follower instead of the runner of tasks. Requests of clients
// never change it.
import { openProviders, openSearching, openTemplates, restrictAccess } from './engine.ts'
import {
  FollowedLog,
  Follower,
  type FollowOptions,
  followingOf,
  noIndexing,
  readOnlyBodies,
  writeRefusal,
} from './follow/index.ts'
import { type EngineParts, type EngineTools, LocalEngine } from './local-engine.ts'
import { type EngineFault, microClock, StorageError } from './model/index.ts'
import type { Engine, EngineOptions } from './ports/index.ts'
import {
  CURRENT,
  InstanceIdentity,
  type Manifest,
  openManifest,
  TASK_LOG,
} from './store/catalog/index.ts'
import { drawLogSalt, logFiles, RealFileSystem } from './store/storage/index.ts'
import { LiveViews, taskKinds } from './task-kinds/index.ts'
import { TaskQueue } from './write/tasks/index.ts'

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
    const engine = new LocalEngine(parts, () => follower)
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
