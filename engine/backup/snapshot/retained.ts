// Older snapshots that are kept beside the last one: hard links of the same file with the time in
// their names. `data.ms.snapshot` is always the newest, `data.ms-20260302T101112.131415Z.snapshot`
// one of the kept ones.

import { StorageError } from '../../model/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'

export type Retention = {
  /** The time of the snapshot as in its name: `20260302T101112.131415Z`. */
  readonly stamp: string
  /** Number of snapshots to keep, including this one. */
  readonly most: number
}

const ENDING = '.snapshot'
const STAMP = /^\d{8}T\d{6}\.\d{6}Z$/

/** Formats microseconds since 1970 with a constant length, so that names sort by time. */
export function stampOf(micros: number): string {
  const millis = new Date(Math.floor(micros / 1000)).toISOString().slice(0, -1)
  return `${millis.replace(/[-:]/g, '')}${String(micros % 1000).padStart(3, '0')}Z`
}

/** Gives the finished file `path` its second name. Without hard links no older ones are kept. */
export function retain(fs: FileSystem, path: string, name: string, { stamp }: Retention): void {
  const kept = `${stemOf(name)}-${stamp}${ENDING}`
  if (fs.exists(kept)) fs.remove(kept)
  fs.link(path, kept)
}

/**
 * Removes the oldest ones. Files that cannot be removed are tried again after the next snapshot.
 */
export function removeOldest(fs: FileSystem, name: string, { most }: Retention): void {
  const prefix = `${stemOf(name)}-`
  const kept = fs
    .list('')
    .filter((file) => file.startsWith(prefix) && file.endsWith(ENDING))
    .filter((file) => STAMP.test(file.slice(prefix.length, -ENDING.length)))
  for (const file of kept.slice(0, Math.max(0, kept.length - most))) {
    try {
      fs.remove(file)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
    }
  }
}

const stemOf = (name: string): string => name.slice(0, -ENDING.length)
