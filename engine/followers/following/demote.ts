// Turns a database that accepted writes into one that follows another one, which has taken its
// place. It is served as it is until the first state has been taken over; then nothing of it is
// left, but for files of equal content.
//
// Order: a copy of the task log is durable in the folder of a follower · an edit notes the followed
// database. If the process is killed in between, it starts again from the first step.
import { StorageError } from '../../model/index.ts'
import { FOLLOWING, openManifest, TASK_LOG, TASKS } from '../../store/catalog/index.ts'
import { logFiles, soundBytes } from '../../store/logs/index.ts'
import { drawLogSalt, type FileSystem, replaceFile } from '../../store/storage/index.ts'
import type { FollowOptions } from './options.ts'
import { followingChange, followingOf, NO_SNAPSHOT } from './record.ts'
import { folderOf } from './task-folder.ts'

/** The database must have been closed. @throws StorageError */
export async function demoteToFollower(
  fs: FileSystem,
  { source, name, version }: Pick<FollowOptions, 'source' | 'name' | 'version'>,
): Promise<void> {
  const manifest = await openManifest(fs, { version, upgrade: false, drawLogSalt })
  try {
    if (followingOf(manifest.state) !== null) return
    const generation = 1
    const folder = folderOf(generation)
    const log = logFiles(fs, TASKS, TASK_LOG).at(-1)
    if (log === undefined) {
      throw new StorageError('missing', TASKS, `\`${TASKS}\` holds no task log`)
    }
    await fs.removeTreeAsync(FOLLOWING)
    fs.makeDirectory(FOLLOWING)
    fs.makeDirectory(folder)
    // Closing a log on a full or failing disk leaves its empty room, in which a follower finds no
    // records.
    const bytes = soundBytes(fs, log.path, 'TASK')
    await replaceFile(fs, `${folder}${log.path.slice(TASKS.length)}`, bytes)
    await fs.syncDirectoryAsync(FOLLOWING)
    await fs.syncDirectoryAsync('')
    // Numbers that were never used here: those of the other database may mean other segments.
    const shift = { index: manifest.takeIndex(), segment: manifest.takeSegment() }
    const publishedAt = ''
    const snapshot = NO_SNAPSHOT
    await manifest.commit([
      followingChange({ source, follower: name, snapshot, publishedAt, generation, shift }),
    ])
  } finally {
    await manifest.close()
  }
}
