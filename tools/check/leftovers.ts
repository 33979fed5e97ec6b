// Files that nobody names. They are no problem: the next start removes those that are ours.
import {
  BODIES,
  CLOSED,
  CURRENT,
  DUMP_FOLDER,
  type FileSystem,
  FOLDERS,
  FOLLOWING,
  LOCK,
  SEGMENTS,
  STAGING,
  TASKS,
  VERSION,
} from '../../engine/index.ts'
import type { Leftover } from './result.ts'

/** Folders of work that was under way; the next start empties them. */
const OURS = [STAGING, DUMP_FOLDER]

/** All files of the database folder but those in `named`, which are paths. @throws StorageError */
export function findLeftovers(fs: FileSystem, named: ReadonlySet<string>): readonly Leftover[] {
  const known = new Set([...named, ...FOLDERS, ...OURS, CLOSED, CURRENT, FOLLOWING, LOCK, VERSION])
  const found: Leftover[] = []
  for (const folder of ['', SEGMENTS, TASKS, BODIES, ...OURS]) {
    if (folder !== '' && !fs.exists(folder)) continue
    for (const name of fs.list(folder)) {
      const file = folder === '' ? name : `${folder}/${name}`
      if (!known.has(file)) found.push({ file, bytes: fs.size(file) })
    }
  }
  return found
}
