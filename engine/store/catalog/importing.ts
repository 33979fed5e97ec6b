// The file IMPORTING: this folder is being filled from a dump or a snapshot and is not a database
// yet. It is durable before anything else is written, and is removed last. A start that finds it
// knows that an import was killed and removes everything beside it.
import { encoder } from '../../../format/bytes/index.ts'
import { type FileSystem, replaceFile, temporaryName } from '../storage/index.ts'
import { CURRENT, IMPORTING, LOCK } from './names.ts'

/** Writes IMPORTING durably. @throws StorageError */
export const beginImport = (fs: FileSystem): Promise<void> =>
  replaceFile(fs, IMPORTING, encoder.encode('This folder is no database yet.\n'))

/**
 * Makes all that was imported durable and removes IMPORTING: the folder is a database from then on.
 * @throws StorageError
 */
export async function endImport(fs: FileSystem): Promise<void> {
  await fs.syncDirectoryAsync('')
  await fs.removeAsync(IMPORTING)
  await fs.syncDirectoryAsync('')
}

/**
 * Returns true if an import began here and has not ended. An import that was killed while it wrote
 * IMPORTING has left the unfinished file and nothing else.
 */
export const isImporting = (fs: FileSystem): boolean =>
  fs.exists(IMPORTING) || (fs.exists(temporaryName(IMPORTING)) && !fs.exists(CURRENT))

/** Removes all files of an import that has not ended, IMPORTING last. @throws StorageError */
export async function removeImport(fs: FileSystem): Promise<void> {
  for (const name of fs.list('')) {
    if (name !== IMPORTING && name !== LOCK) await fs.removeTreeAsync(name)
  }
  await fs.syncDirectoryAsync('')
  if (fs.exists(IMPORTING)) await fs.removeAsync(IMPORTING)
  await fs.syncDirectoryAsync('')
}
