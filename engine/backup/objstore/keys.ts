// What objects are called. Page: ../snapshot/SNAPSHOT.md
import type { SnapshotFile } from '../snapshot/index.ts'

export type StorePlace = {
  /** Path in the bucket, with slashes; may be empty. */
  readonly prefix: string
  /** Of the database folder. */
  readonly name: string
}

const under = ({ prefix }: StorePlace, path: string): string => {
  const trimmed = prefix.split('/').filter((part) => part !== '')
  return [...trimmed, path].join('/')
}

/** The snapshot as one object. */
export const archiveKey = (place: StorePlace): string => under(place, `${place.name}.snapshot`)

export const filesPrefix = (place: StorePlace): string => under(place, `${place.name}/files/`)

/** Named by what it holds: the same bytes have one name, other bytes another. */
export const fileKey = (place: StorePlace, { path, sha256 }: SnapshotFile): string =>
  `${filesPrefix(place)}${sha256}-${path.slice(path.lastIndexOf('/') + 1)}`

export const headsPrefix = (place: StorePlace): string => under(place, `${place.name}/snapshots/`)

/** Names sort by time. */
export const headKey = (place: StorePlace, name: string): string =>
  `${headsPrefix(place)}${name}.json`

/** `20260102-030405006000-1a2b3c4d`: the time in microseconds, and a number drawn. */
export function snapshotName(createdAt: string, mark: number): string {
  const [date = '', time = ''] = createdAt.replace('Z', '').split('T')
  const [clock = '', fraction = ''] = time.split('.')
  const digits = `${clock.replaceAll(':', '')}${fraction.slice(0, 6).padEnd(6, '0')}`
  return `${date.replaceAll('-', '')}-${digits}-${mark.toString(16).padStart(8, '0')}`
}

const NAME = /^\d{8}-\d{12}-[0-9a-f]{8,16}$/

export const isSnapshotName = (text: string): boolean => NAME.test(text)

/** The name in the key of a head; null: it is none. */
export function nameInKey(place: StorePlace, key: string): string | null {
  const prefix = headsPrefix(place)
  if (!key.startsWith(prefix) || !key.endsWith('.json')) return null
  const name = key.slice(prefix.length, -'.json'.length)
  return isSnapshotName(name) ? name : null
}
