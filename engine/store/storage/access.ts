// Permissions of the files and folders we create. Files hold secrets (keys, headers of webhooks,
// documents), so only the owner has access under any umask. The database folder can widen this: if
// it excludes others but gives its group access (0750, say), the group gets the same access to its
// content, for example for a user who makes backups.
import fs from 'node:fs'
import { join } from 'node:path'
import { isSystemError } from '../../model/index.ts'
import { guarded } from './errno.ts'

/** Permission bits of files and folders. */
export type Access = { readonly file: number; readonly folder: number }

/**
 * Result of restricting access at a start. `refused`: entries whose permissions the system did not
 * let us change, or that have none.
 */
export type AccessChange = { readonly changed: number; readonly refused: number }

const OWNER: Access = { file: 0o600, folder: 0o700 }
const PERMISSIONS = 0o777
const GROUP = 0o070
const GROUP_FILE = 0o060
const OTHERS = 0o007
const OWNER_WRITES = 0o200
const ONLY_READ = 0o444

/** Returns the permissions of entries in a folder with this mode. */
export function accessBelow(mode: number): Access {
  if ((mode & OTHERS) !== 0) return OWNER
  return { file: OWNER.file | (mode & GROUP_FILE), folder: OWNER.folder | (mode & GROUP) }
}

/**
 * Returns the permissions of entries in a folder; the owner's alone if the folder is missing.
 * @throws StorageError
 */
export function accessIn(root: string): Access {
  return guarded('', 'look at', () => {
    const found = fs.statSync(root, { throwIfNoEntry: false })
    return found === undefined ? OWNER : accessBelow(found.mode)
  })
}

/** Returns true if the group has access, which a umask may have removed from a new file. */
export const letsGroupIn = ({ folder }: Access): boolean => (folder & GROUP) !== 0

/** Returns the permissions of a file that must not be changed any more. */
export const readOnly = ({ file }: Access): number => file & ONLY_READ

/**
 * Gives the folder, and its entries that are ours with all their content, the permissions they
 * would be created with now. Links and their targets are not changed.
 * @throws StorageError
 */
export function restrictAccess(root: string, isOurs: (name: string) => boolean): AccessChange {
  const change = { changed: 0, refused: 0 }
  const access = accessIn(root)
  const set = (path: string, mode: number, wanted: number): void => {
    if ((mode & PERMISSIONS) === wanted) return
    try {
      fs.chmodSync(path, wanted)
      change.changed++
    } catch (error) {
      // The file has another owner, or the disk has no permissions or is read-only.
      if (!isSystemError(error)) throw error
      change.refused++
    }
  }
  const walk = (folder: string): void => {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      if (folder === root && !isOurs(entry.name)) continue
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        set(path, fs.lstatSync(path).mode, access.folder)
        walk(path)
      } else if (entry.isFile()) {
        const { mode } = fs.lstatSync(path)
        set(path, mode, (mode & OWNER_WRITES) === 0 ? readOnly(access) : access.file)
      }
    }
  }
  guarded('', 'list', () => {
    set(root, fs.statSync(root).mode, access.folder)
    walk(root)
  })
  return change
}
