// Filling an empty folder with a database from elsewhere: all of it, or nothing. What dumps and
// snapshots have in common.

import { StorageError } from '../model/index.ts'
import { beginImport, endImport, isImporting, LOCK, removeImport } from '../store/catalog/index.ts'
import { type FileSystem, RealFileSystem } from '../store/storage/index.ts'

export type ImportProgress = {
  /** What is being done, for people. */
  readonly step: string
  readonly done: number
  readonly total: number
}

/** Whether there is a folder with anything in it. What cannot be read counts as empty. */
export function databaseExists(path: string): boolean {
  try {
    const fs = new RealFileSystem(path)
    return fs.isFolder('') && fs.list('').length > 0
  } catch (error) {
    if (error instanceof StorageError) return false
    throw error
  }
}

/** Whether there is a file, or a folder, of that path. */
export const fileExists = (path: string): boolean => new RealFileSystem(path).exists('')

/**
 * Removes what an import that was killed has left in the database folder; whether there was
 * anything. Before anything else is done there. @throws StorageError
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
 * Runs `fill` on the database folder, made if it is missing; `fill` takes the lock and gives it
 * back. When it fails nothing is left, the folder itself included where it was not there before.
 * @throws whatever `fill` throws, StorageError
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
