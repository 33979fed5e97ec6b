// Snapshots that share their files: only files that the bucket lacks are uploaded. One object per
// snapshot, written last, lists its files. Page: ../snapshot/SNAPSHOT.md

import { compareText } from '../../../format/bytes/index.ts'
import { EngineFault } from '../../model/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import {
  encodeHead,
  type PackedFile,
  type SnapshotFile,
  type SnapshotHead,
} from '../snapshot/index.ts'
import type { Bucket } from './bucket.ts'
import { type FoundHead, heads } from './heads.ts'
import {
  filesPrefix,
  type HeadKind,
  headKey,
  isFileKey,
  objectsOf,
  type StoredObject,
  type StorePlace,
} from './keys.ts'
import { DELETED_OBJECTS_MAX, SMALL_REQUESTS_MAX } from './limits.ts'
import { bodyOf, type StoreBody } from './transport.ts'
import type { StoreTurns } from './turns.ts'
import { eachOf, Lanes, type PartSink, Slots, sliceOf, uploadInParts } from './uploads.ts'

export type Incremental = {
  readonly bucket: Bucket
  readonly place: StorePlace
  readonly fs: FileSystem
  /** Larger files are uploaded in parts of this size. */
  readonly partBytes: number
  readonly lanesMax: number
  /** Called with the bytes in the bucket, and those of all files. */
  readonly progress: (done: number, total: number) => void
  readonly kind: HeadKind
  readonly turns: StoreTurns
}

export type Uploaded = {
  readonly name: string
  /** Bytes sent, including the head. */
  readonly bytes: number
  readonly files: number
}

/**
 * Uploads the missing files, then the head. `files` are those of `head`, in the same order; each
 * has its checksum. @throws EngineFault, Canceled, StorageError
 */
export async function uploadIncrement(
  options: Incremental,
  name: string,
  head: SnapshotHead,
  files: readonly PackedFile[],
): Promise<Uploaded> {
  const { bucket, place, lanesMax, progress, turns } = options
  turns.known ??= await filesInStore(bucket, place, turns)
  const { known } = turns
  const total = head.files.reduce((sum, { bytes }) => sum + bytes, 0)
  let done = 0
  let sent = 0
  let count = 0
  const sending = new Set<string>()
  const halt = new AbortController()
  const lane = bucket.until(AbortSignal.any([bucket.signal, halt.signal]))
  const lanes = new Lanes(lanesMax)
  const slots = new Slots(lanesMax)
  try {
    for (const { object, file } of objectsIn(place, head, files)) {
      const { key, bytes } = object
      if (known.get(key) === bytes) {
        done += bytes
        continue
      }
      if (sending.has(key)) continue
      sending.add(key)
      count++
      await lanes.add(async () => {
        await uploadObject({ ...options, bucket: lane }, object, file, slots)
        known.set(key, bytes)
        turns.deleted.delete(key)
        done += bytes
        sent += bytes
        progress(done, total)
      })
    }
    await lanes.finish()
  } catch (error) {
    halt.abort()
    await lanes.settle()
    throw error
  }
  const encoded = encodeHead(head)
  turns.writes(name, options.kind)
  await bucket.put(headKey(place, name, options.kind), bodyOf(encoded))
  progress(total, total)
  return { name, bytes: sent + encoded.length, files: count }
}

function* objectsIn(
  place: StorePlace,
  head: SnapshotHead,
  files: readonly PackedFile[],
): Generator<{ readonly object: StoredObject; readonly file: PackedFile }> {
  for (const [i, file] of files.entries()) {
    for (const object of objectsOf(place, head.files[i]!)) yield { object, file }
  }
}

async function uploadObject(
  { bucket, fs, partBytes, lanesMax }: Incremental,
  { key, from, bytes }: StoredObject,
  { source }: PackedFile,
  slots: Slots,
): Promise<void> {
  const slice = (at: number, length: number): StoreBody =>
    typeof source === 'string'
      ? sliceOf(fs, source, from + at, length)
      : bodyOf(source.subarray(from + at, from + at + length))
  if (bytes <= partBytes) return slots.run(() => bucket.put(key, slice(0, bytes)))
  const produce = async ({ add }: PartSink): Promise<void> => {
    for (let at = 0, number = 1; at < bytes; at += partBytes, number++) {
      await add(number, slice(at, Math.min(partBytes, bytes - at)), () => Promise.resolve())
    }
  }
  return uploadInParts(bucket, key, lanesMax, produce, slots)
}

/** Returns the bytes of the files in the bucket, by key. @throws EngineFault, Canceled */
async function filesInStore(
  bucket: Bucket,
  place: StorePlace,
  turns: StoreTurns,
): Promise<Map<string, number>> {
  const listed = await bucket.list(filesPrefix(place))
  const known = listed.filter(({ key }) => isFileKey(place, key) && !turns.deleted.has(key))
  return new Map(known.map(({ key, bytes }) => [key, bytes]))
}

export type Retention = {
  readonly kind: HeadKind
  /** Number of snapshots of that kind to keep. */
  readonly count: number
  /** Names of the snapshots that followers serve or fetch; these are kept. */
  readonly leased: ReadonlySet<string>
  readonly turns: StoreTurns
}

/**
 * Keeps the newest snapshots of a kind, and those that followers serve or may just have read. The
 * heads of the others are deleted first, then the files that no head of any kind names, a limited
 * number per call. At every moment the files of each existing head exist. Heads that cannot be read
 * stay and do not count; while there are any, only files of deleted heads are deleted, and none
 * while one of them may be a head all the same. Returns the names of deleted snapshots. No upload
 * may run meanwhile. @throws EngineFault, Canceled
 */
export async function retain(
  bucket: Bucket,
  place: StorePlace,
  { kind, count, leased, turns }: Retention,
): Promise<readonly string[]> {
  const { unreadable } = turns
  const { found, isComplete } = await readAllHeads(bucket, place, turns)
  const names = found.filter((one) => one.kind === kind).map(({ name }) => name)
  const older = names.sort(compareText).slice(0, Math.max(0, names.length - count))
  const isNeeded = (name: string): boolean =>
    leased.has(name) || (kind === 'published' && turns.isRecent({ kind, name }))
  const gone = new Set(older.filter((name) => !isNeeded(name)))
  await eachOf(gone, SMALL_REQUESTS_MAX, (name) => bucket.delete(headKey(place, name, kind)))
  turns.disowns([...gone])
  if (!isComplete || unreadable.hasDoubts) return [...gone]
  const isGone = (one: FoundHead): boolean => one.kind === kind && gone.has(one.name)
  const needed = keysOf(
    place,
    found.filter((one) => !isGone(one)),
  )
  const released = unreadable.count === 0 ? null : keysOf(place, found.filter(isGone))
  const unneeded = (await bucket.list(filesPrefix(place)))
    .map(({ key }) => key)
    .filter((key) => isFileKey(place, key) && !needed.has(key) && released?.has(key) !== false)
    .slice(0, DELETED_OBJECTS_MAX)
  turns.removed(unneeded)
  await eachOf(unneeded, SMALL_REQUESTS_MAX, (key) => bucket.delete(key))
  return [...gone]
}

/**
 * Returns all readable heads: those that the store lists, and those that this process wrote.
 * `isComplete`: the store refused none of them.
 */
async function readAllHeads(
  bucket: Bucket,
  place: StorePlace,
  { own, unreadable }: StoreTurns,
): Promise<{ readonly found: readonly FoundHead[]; readonly isComplete: boolean }> {
  const listed = await heads.all(bucket, place)
  const isListed = new Set(listed.map(({ kind, name }) => `${kind}/${name}`))
  const refs = [...listed, ...own.filter(({ kind, name }) => !isListed.has(`${kind}/${name}`))]
  unreadable.keepOnly(refs)
  const found: FoundHead[] = []
  let isComplete = true
  await eachOf(refs, SMALL_REQUESTS_MAX, async (ref) => {
    try {
      const head = await unreadable.skipping(ref, () => heads.read(bucket, place, ref))
      if (head !== null) found.push({ ...ref, head })
    } catch (error) {
      if (!(error instanceof EngineFault)) throw error
      isComplete = false
    }
  })
  return { found, isComplete }
}

function keysOf(place: StorePlace, found: readonly FoundHead[]): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const { head } of found) {
    for (const file of head.files) for (const { key } of objectsOf(place, file)) keys.add(key)
  }
  return keys
}

/** Returns the head with the checksums of its files, in their order. */
export const hashedHead = (head: SnapshotHead, digests: readonly string[]): SnapshotHead => ({
  ...head,
  files: head.files.map((file, i): SnapshotFile => ({ ...file, sha256: digests[i]! })),
})
