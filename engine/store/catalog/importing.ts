// The file IMPORTING: this folder is being filled from a dump or a snapshot and is no database
// yet. It is there, durably, before anything else is written, and goes last. Found at start, it
// says that an import was killed: whatever lies beside it is removed.
import { type FileSystem, replaceFile, temporaryName } from '../storage/index.ts'
import { CURRENT, IMPORTING, LOCK } from './names.ts'

/** Durable when it resolves. @throws StorageError */
export const beginImport = (fs: FileSystem): Promise<void> =>
  replaceFile(fs, IMPORTING, new TextEncoder().encode('This folder is no database yet.\n'))

/** All that was imported is durable: from now on it is a database. @throws StorageError */
export async function endImport(fs: FileSystem): Promise<void> {
  await fs.syncDirectoryAsync('')
  await fs.removeAsync(IMPORTING)
  await fs.syncDirectoryAsync('')
}

/**
 * Whether an import began here and has not ended. One that was killed while it wrote IMPORTING has
 * left the unfinished file, and nothing else.
 */
export const isImporting = (fs: FileSystem): boolean =>
  fs.exists(IMPORTING) || (fs.exists(temporaryName(IMPORTING)) && !fs.exists(CURRENT))

/** Removes all of an import that has not ended, IMPORTING last. @throws StorageError */
export async function removeImport(fs: FileSystem): Promise<void> {
  for (const name of fs.list('')) {
    if (name !== IMPORTING && name !== LOCK) await fs.removeTreeAsync(name)
  }
  await fs.syncDirectoryAsync('')
  if (fs.exists(IMPORTING)) await fs.removeAsync(IMPORTING)
  await fs.syncDirectoryAsync('')
}
