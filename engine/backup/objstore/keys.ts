// The names of objects. Page: ../snapshot/SNAPSHOT.md
import type { SnapshotFile, SnapshotPiece } from '../snapshot/index.ts'

export type StorePlace = {
  /** Path in the bucket, with slashes; may be empty. */
  readonly prefix: string
  /** The name of the database folder. */
  readonly name: string
}

const under = ({ prefix }: StorePlace, path: string): string => {
  const trimmed = prefix.split('/').filter((part) => part !== '')
  return [...trimmed, path].join('/')
}

/** Key of the snapshot as a single object. */
export const archiveKey = (place: StorePlace): string => under(place, `${place.name}.snapshot`)

export const filesPrefix = (place: StorePlace): string => under(place, `${place.name}/files/`)

/** An object that holds a file of a snapshot, or a piece of one. */
export type StoredObject = SnapshotPiece & {
  readonly key: string
  /** Its offset in the file. */
  readonly from: number
}

/** The name depends on the content: equal bytes have one name, different bytes another. */
const fileKey = (place: StorePlace, path: string, sha256: string): string =>
  `${filesPrefix(place)}${sha256}-${path.slice(path.lastIndexOf('/') + 1)}`

/** Returns the objects of a file of a snapshot, front to back. The file must have checksums. */
export function objectsOf(place: StorePlace, file: SnapshotFile): readonly StoredObject[] {
  const { path, bytes, sha256, pieces } = file
  const parts = pieces ?? [{ bytes, sha256: sha256 ?? '' }]
  let from = 0
  return parts.map((piece) => {
    const object = { ...piece, key: fileKey(place, path, piece.sha256), from }
    from += piece.bytes
    return object
  })
}

/**
 * The purpose of a head: a requested snapshot, or the state of the database that is published every
 * few seconds. Each kind has its own retention rule.
 */
export type HeadKind = 'snapshots' | 'published'

export const headsPrefix = (place: StorePlace, kind: HeadKind): string =>
  under(place, `${place.name}/${kind}/`)

/** Names sort by time. */
export const headKey = (place: StorePlace, name: string, kind: HeadKind): string =>
  `${headsPrefix(place, kind)}${name}.json`

export const leasesPrefix = (place: StorePlace): string => under(place, `${place.name}/followers/`)

/** Key of the lease of a follower. */
export const leaseKey = (place: StorePlace, follower: string): string =>
  `${leasesPrefix(place)}${follower}.json`

/** `20260102-030405006000-1a2b3c4d`: the time in microseconds, and a random number. */
export function snapshotName(createdAt: string, mark: number): string {
  const [date = '', time = ''] = createdAt.replace('Z', '').split('T')
  const [clock = '', fraction = ''] = time.split('.')
  const digits = `${clock.replaceAll(':', '')}${fraction.slice(0, 6).padEnd(6, '0')}`
  return `${date.replaceAll('-', '')}-${digits}-${mark.toString(16).padStart(8, '0')}`
}

const NAME = /^\d{8}-\d{12}-[0-9a-f]{8,16}$/

export const isSnapshotName = (text: string): boolean => NAME.test(text)

/** Returns the name in the key of a head of that kind, or null for other keys. */
export function nameInKey(place: StorePlace, key: string, kind: HeadKind): string | null {
  const prefix = headsPrefix(place, kind)
  if (!key.startsWith(prefix) || !key.endsWith('.json')) return null
  const name = key.slice(prefix.length, -'.json'.length)
  return isSnapshotName(name) ? name : null
}
