// Fills an empty folder with a database from elsewhere, completely or not at all: the common part
// of imports of dumps and snapshots.

import { StorageError } from '../model/index.ts'
import { beginImport, endImport, isImporting, LOCK, removeImport } from '../store/catalog/index.ts'
import { type FileSystem, RealFileSystem } from '../store/storage/index.ts'

export type ImportProgress = {
  /** The current step, for people. */
  readonly step: string
  readonly done: number
  readonly total: number
}

/** Returns whether the folder exists and has entries. An unreadable folder counts as empty. */
export function databaseExists(path: string): boolean {
  try {
    const fs = new RealFileSystem(path)
    return fs.isFolder('') && fs.list('').length > 0
  } catch (error) {
    if (error instanceof StorageError) return false
    throw error
  }
}

/** Returns whether a file or folder of that path exists. */
export const fileExists = (path: string): boolean => new RealFileSystem(path).exists('')

/**
 * Removes the files that a killed import has left in the database folder; returns whether there
 * were any. Must run before any other work there. @throws StorageError
 */
export async function removeUnfinishedImport(path: string): Promise<boolean> {
  const fs = new RealFileSystem(path)
  if (!isImporting(fs)) return false
  using _lock = fs.lock(LOCK)
  await removeImport(fs)
  if (fs.exists(LOCK)) await fs.removeAsync(LOCK)
  return true
}

/**
 * Runs `fill` on the database folder, created if it is missing; `fill` takes the lock and releases
 * it. After a failure nothing is left, including the folder itself if it did not exist before.
 * @throws errors of `fill`, StorageError
 */
export async function importInto(
  path: string,
  fill: (fs: FileSystem) => Promise<void>,
): Promise<void> {
  const existed = new RealFileSystem(path).isFolder('')
  const fs = RealFileSystem.create(path)
  try {
    await beginImport(fs)
    await fill(fs)
    await endImport(fs)
  } catch (error) {
    await removeImport(fs)
    if (fs.exists(LOCK)) await fs.removeAsync(LOCK)
    if (!existed) RealFileSystem.remove(path)
    throw error
  }
}
