// Turns a database that followed another one into one that accepts writes. It has all that the
// other one had acknowledged when it was last published, including waiting tasks.
//
// Order: the task log and a name for it are durable · an edit removes the note of the followed
// database · the folder of task logs is removed. If the process is killed in between, it starts
// again from the first step.
import { readPublisher, writePublisher } from '../../backup/objstore/index.ts'
import { StorageError } from '../../model/index.ts'
import {
  FOLLOWING,
  InstanceIdentity,
  markRestored,
  openManifest,
  type State,
  segmentPath,
  TASK_LOG,
  TASKS,
} from '../../store/catalog/index.ts'
import { logFiles } from '../../store/logs/index.ts'
import {
  drawLogSalt,
  type FileSystem,
  fileBytes,
  replaceByStream,
} from '../../store/storage/index.ts'
import { type Following, followingChange, followingOf, NO_SNAPSHOT } from './record.ts'
import { folderOf } from './task-folder.ts'

/**
 * Returns what the database followed, or null if it accepts writes already. `version`: of this
 * release.
 * @throws StorageError `locked`, `version`, `missing` if a file is missing
 */
export async function promoteFollower(fs: FileSystem, version: string): Promise<Following | null> {
  const manifest = await openManifest(fs, { version, upgrade: false, drawLogSalt })
  try {
    const following = followingOf(manifest.state)
    if (following === null) {
      await fs.removeTreeAsync(FOLLOWING)
      return null
    }
    if (following.snapshot === NO_SNAPSHOT) {
      const advice = 'start it with `--follow` until it has one'
      const words = `it has not taken over a state of ${following.source} yet: ${advice}`
      throw new StorageError('missing', FOLLOWING, words)
    }
    expectAll(manifest.state, following)
    for (const { segments } of manifest.state.indexes.values()) {
      for (const { segment, layer, bytes, location } of segments.values()) {
        if (location.kind === 'file') expectFile(fs, segmentPath(segment, layer), bytes)
      }
    }
    await takeTaskLog(fs, folderOf(following.generation))
    await becomeOther(fs, following)
    await manifest.commit([followingChange(null)])
    await fs.removeTreeAsync(FOLLOWING)
    return following
  } finally {
    await manifest.close()
  }
}

/** An index that is not downloaded yet would be empty. @throws StorageError */
function expectAll({ indexes }: State, { missing = [] }: Following): void {
  const uids = missing.flatMap((number) => indexes.get(number)?.uid ?? [])
  if (uids.length === 0) return
  const words = `the index \`${uids[0]}\` was not downloaded yet`
  const others = uids.length === 1 ? '' : `, as ${uids.length - 1} more`
  const advice = 'start it with `--follow` until `svc_follower_missing_indexes` is 0'
  throw new StorageError('missing', FOLLOWING, `${words}${others}: ${advice}`)
}

/**
 * From now on this folder may publish in place of the instance that it followed. It is not a member
 * of that instance's network.
 */
async function becomeOther(fs: FileSystem, { instance }: Following): Promise<void> {
  const { id, origin } = await InstanceIdentity.open(fs)
  await markRestored(fs, origin === 'copied' ? undefined : id)
  if (instance === undefined) return
  await writePublisher(fs, { ...readPublisher(fs), replaces: instance })
}

function expectFile(fs: FileSystem, path: string, bytes: number): void {
  if (fs.exists(path) && fs.size(path) === bytes) return
  throw new StorageError('missing', path, `\`${path}\` is missing, or not as long as it was`)
}

/** Makes the log of the followed database the active one. */
async function takeTaskLog(fs: FileSystem, folder: string): Promise<void> {
  const log = logFiles(fs, folder, TASK_LOG).at(-1)
  if (log === undefined) {
    throw new StorageError('missing', folder, `\`${folder}\` holds no task log`)
  }
  const path = `${TASKS}${log.path.slice(folder.length)}`
  for (const other of logFiles(fs, TASKS, TASK_LOG)) {
    if (other.path !== path) await fs.removeAsync(other.path)
  }
  await replaceByStream(fs, path, fileBytes(fs, log.path))
}
