// Turns a snapshot into the database before anything is opened: unpacks it, checks it, and only
// then gives it the database's name.
import { ArchiveError } from '../backup/archive/index.ts'
import { restoreArchive, type SnapshotHead } from '../backup/snapshot/index.ts'
import { StorageError } from '../model/index.ts'
import {
  compareVersions,
  LOCK,
  markRestored,
  readDatabase,
  readVersion,
  segmentPath,
  TASK_LOG,
  TASKS,
} from '../store/catalog/index.ts'
import { logFiles } from '../store/logs/index.ts'
import { directoryOf, type FileSystem, fileBytes, RealFileSystem } from '../store/storage/index.ts'
import { importInto } from './imports.ts'

export type SnapshotImport = {
  /** The database folder. */
  readonly path: string
  /** The version of this release. */
  readonly version: string
  readonly progress: (done: number, total: number) => void
}

/** Fills an empty folder; returns the head of the snapshot. */
export type Fill = (fs: FileSystem, progress: SnapshotImport['progress']) => Promise<SnapshotHead>

/** Returns a `Fill` that reads the snapshot from a file. */
export const fromFile =
  (file: string): Fill =>
  (fs, progress) => {
    const folder = new RealFileSystem(directoryOf(file) || (file.startsWith('/') ? '/' : '.'))
    const source = fileBytes(folder, file.slice(file.lastIndexOf('/') + 1))
    return restoreArchive(source, fs, { progress })
  }

/**
 * Creates the database from a snapshot of this release or an older one, which must then be opened
 * as an upgrade.
 * @throws ArchiveError, StorageError; then there is no database
 */
export async function importSnapshot(
  { path, version, progress }: SnapshotImport,
  fill: Fill,
): Promise<SnapshotHead> {
  let head: SnapshotHead | null = null
  await importInto(path, async (fs) => {
    using _lock = fs.lock(LOCK)
    head = await fill(fs, progress)
    check(fs, version)
    await markRestored(fs)
  })
  return head!
}

/** Checks that the unpacked files are a database that this release can open. */
function check(fs: FileSystem, version: string): void {
  const found = readVersion(fs)
  if (compareVersions(found, version) > 0) {
    const words = `it is of version ${found}, newer than this one (${version})`
    throw new ArchiveError('damaged', words)
  }
  const { state } = readDatabase(fs)
  if (logFiles(fs, TASKS, TASK_LOG).length === 0) throw missing('tasks')
  for (const { segments } of state.indexes.values()) {
    for (const { segment, layer, bytes, location } of segments.values()) {
      if (location.kind === 'inline') continue
      const file = segmentPath(segment, layer)
      if (!fs.exists(file) || fs.size(file) !== bytes) throw missing(file)
    }
  }
}

const missing = (file: string): StorageError =>
  new StorageError('corrupt', file, `the snapshot lacks \`${file}\`, or has another one`)
