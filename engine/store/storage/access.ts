// Who may read and write what we make. Files hold secrets (keys, headers of webhooks, documents),
// so they are the owner's alone under any umask. The folder they lie in can widen that: where it
// shuts out all others and lets its group in (0750, say), its group may read what is in it too, for
// example a user who makes backups.
import fs from 'node:fs'
import { join } from 'node:path'
import { guarded, isSystemError } from './errno.ts'

/** Permission bits of files and folders. */
export type Access = { readonly file: number; readonly folder: number }

/** What a start has changed; `refused`: the system did not let us, or has no such rights. */
export type AccessChange = { readonly changed: number; readonly refused: number }

const OWNER: Access = { file: 0o600, folder: 0o700 }
const PERMISSIONS = 0o777
const GROUP = 0o070
const GROUP_FILE = 0o060
const OTHERS = 0o007
const OWNER_WRITES = 0o200
const ONLY_READ = 0o444

/** The rights below a folder with these. */
export function accessBelow(mode: number): Access {
  if ((mode & OTHERS) !== 0) return OWNER
  return { file: OWNER.file | (mode & GROUP_FILE), folder: OWNER.folder | (mode & GROUP) }
}

/** The rights below a folder; the owner's alone while it is missing. @throws StorageError */
export function accessIn(root: string): Access {
  return guarded('', 'look at', () => {
    const found = fs.statSync(root, { throwIfNoEntry: false })
    return found === undefined ? OWNER : accessBelow(found.mode)
  })
}

/** Whether the group has rights, which a umask may have taken away from a new file. */
export const letsGroupIn = ({ folder }: Access): boolean => (folder & GROUP) !== 0

/** The rights of a file that nobody may change any more. */
export const readOnly = ({ file }: Access): number => file & ONLY_READ

/**
 * Gives the folder, and those of its entries that are ours with all that is in them, the rights
 * that they would be made with now. Links are left alone, and so is what they lead to.
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
      // Somebody else's file, or a disk without rights or that cannot be written to.
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
