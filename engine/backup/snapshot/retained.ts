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

/**
 * Gives the finished file `path` its second name, which sorts behind all others: if the clock was
 * set back, the time in it continues from the newest one. Without hard links no older ones are
 * kept.
 */
export function retain(fs: FileSystem, path: string, name: string, { stamp }: Retention): void {
  const last = stampsOf(fs, name).at(-1) ?? ''
  const next = stamp > last ? stamp : stampOf(microsOf(last) + 1)
  fs.link(path, nameOf(name, next))
}

/**
 * Removes the oldest ones. Files that cannot be removed are tried again after the next snapshot.
 */
export function removeOldest(fs: FileSystem, name: string, { most }: Retention): void {
  const stamps = stampsOf(fs, name)
  for (const stamp of stamps.slice(0, Math.max(0, stamps.length - most))) {
    try {
      fs.remove(nameOf(name, stamp))
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
    }
  }
}

/** Returns the times in the names of kept snapshots, the oldest first. */
function stampsOf(fs: FileSystem, name: string): readonly string[] {
  const prefix = `${stemOf(name)}-`
  const kept = fs.list('').filter((file) => file.startsWith(prefix) && file.endsWith(ENDING))
  const stamps = kept.map((file) => file.slice(prefix.length, -ENDING.length))
  return stamps.filter((stamp) => STAMP.test(stamp)).sort()
}

const nameOf = (name: string, stamp: string): string => `${stemOf(name)}-${stamp}${ENDING}`

const stemOf = (name: string): string => name.slice(0, -ENDING.length)

/** The reverse of `stampOf`. */
function microsOf(stamp: string): number {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)\.(\d{3})(\d{3})Z$/.exec(stamp) ?? []
  const [year, month, day, hour, minute, second, millis, micros] = parts.slice(1).map(Number)
  return Date.UTC(year!, month! - 1, day, hour, minute, second, millis) * 1000 + micros!
}
