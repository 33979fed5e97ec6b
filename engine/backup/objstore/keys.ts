// The names of objects. Page: ../snapshot/SNAPSHOT.md
import { assert } from '../../../format/errors.ts'
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

export const headKey = (place: StorePlace, name: string, kind: HeadKind): string =>
  `${headsPrefix(place, kind)}${name}.json`

export const leasesPrefix = (place: StorePlace): string => under(place, `${place.name}/followers/`)

/** Key of the writer record. */
export const writerKey = (place: StorePlace): string => under(place, `${place.name}/writer.json`)

/** Key of the object that shows whether the store obeys conditions. */
export const probeKey = (place: StorePlace, random: string): string =>
  under(place, `${place.name}/probe-${random}`)

const FOLLOWER = /^[\w-]{1,100}$/

/** Returns the follower in the key of a lease, or null for other keys. */
export function followerInKey(place: StorePlace, key: string): string | null {
  const prefix = leasesPrefix(place)
  if (!key.startsWith(prefix) || !key.endsWith('.json')) return null
  const name = key.slice(prefix.length, -'.json'.length)
  return FOLLOWER.test(name) ? name : null
}

/** Key of the lease of a follower. */
export const leaseKey = (place: StorePlace, follower: string): string =>
  `${leasesPrefix(place)}${follower}.json`

/** The place of a state in the order of its store. Clocks play no part in it. */
export type Position = {
  /** Every process that writes to a place has a term of its own, larger than all before it. */
  readonly term: number
  /** Counts the states of the term from 1. */
  readonly number: number
}

export const TERM_MAX = 9_999_999
const NUMBER_MAX = 999_999_999_999

/**
 * `90000007-000000000012-1a2b3c4d`: a 9 and the term, the number, and a random mark of the process.
 * Names sort by position. Releases before terms wrote the time in place of term and number,
 * `20260102-030405006000-1a2b3c4d`: those names sort before all others, by their clocks.
 */
export function snapshotName({ term, number }: Position, mark: number): string {
  assert(term >= 1 && term <= TERM_MAX && number <= NUMBER_MAX, 'terms and numbers have room')
  const words = [`9${String(term).padStart(7, '0')}`, String(number).padStart(12, '0')]
  return `${words.join('-')}-${mark.toString(16).padStart(8, '0')}`
}

const NAME = /^(\d{8})-(\d{12})-[0-9a-f]{8,16}$/

export const isSnapshotName = (text: string): boolean => NAME.test(text)

/** Returns the position in a name; names with a clock have that of no term, 0. */
export function positionOf(name: string): Position {
  const [, term = '', number = ''] = NAME.exec(name) ?? []
  if (!term.startsWith('9')) return { term: 0, number: 0 }
  return { term: Number(term.slice(1)), number: Number(number) }
}

const FILE = /^[0-9a-f]{64}-[\w.-]{1,64}$/

/** Returns whether a key is one that a file of a snapshot, or a piece of one, may have. */
export const isFileKey = (place: StorePlace, key: string): boolean =>
  key.startsWith(filesPrefix(place)) && FILE.test(key.slice(filesPrefix(place).length))

/** Returns the name in the key of a head of that kind, or null for other keys. */
export function nameInKey(place: StorePlace, key: string, kind: HeadKind): string | null {
  const prefix = headsPrefix(place, kind)
  if (!key.startsWith(prefix) || !key.endsWith('.json')) return null
  const name = key.slice(prefix.length, -'.json'.length)
  return isSnapshotName(name) ? name : null
}

/** Encodes as signatures require: everything but letters, digits and `-_.~`. */
export const encodedSegment = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )
