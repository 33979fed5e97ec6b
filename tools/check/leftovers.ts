// Finds files that nothing in the database refers to. They are not a problem: the next start
// removes those of the engine.
import type { FileSystem } from '../../engine/index.ts'
import {
  BODIES,
  CLOSED,
  CURRENT,
  DUMP_FOLDER,
  FOLDERS,
  FOLLOWING,
  IDENTITY,
  LOCK,
  PUBLISHER,
  SEGMENTS,
  STAGING,
  TASKS,
  UNPUBLISHED,
  VERSION,
} from '../../engine/inspect.ts'
import type { Leftover } from './result.ts'

const SINGLE = [CLOSED, CURRENT, FOLLOWING, IDENTITY, LOCK, PUBLISHER, UNPUBLISHED, VERSION]

/** Folders of unfinished work; the next start empties them. */
const OURS = [STAGING, DUMP_FOLDER]

/**
 * Returns all files of the database folder except those in `named`, which are paths. @throws
 * StorageError
 */
export function findLeftovers(fs: FileSystem, named: ReadonlySet<string>): readonly Leftover[] {
  const known = new Set([...named, ...FOLDERS, ...OURS, ...SINGLE])
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
