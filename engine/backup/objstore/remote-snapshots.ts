// The snapshots in a bucket: their names, files and bytes.
import { createHash } from 'node:crypto'
import type { FileSystem } from '../../store/storage/index.ts'
import { ArchiveError } from '../archive/index.ts'
import {
  type RestoreHooks,
  restoreArchive,
  restoreFiles,
  type SnapshotFile,
  type SnapshotHead,
} from '../snapshot/index.ts'
import type { Bucket } from './bucket.ts'
import { heads, UnreadableHeads } from './heads.ts'
import { archiveKey, objectsOf, type StoredObject, type StorePlace } from './keys.ts'
import { isValidHead, readWriter } from './writer-store.ts'

/**
 * Yields the bytes of a file of a snapshot and computes its checksums; the file is verified only
 * after the last byte. @throws EngineFault, ArchiveError
 */
export async function* fileOfSnapshot(
  bucket: Bucket,
  place: StorePlace,
  file: SnapshotFile,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const object of objectsOf(place, file)) yield* objectOfSnapshot(bucket, file.path, object)
}

/** The same for one object of a file. @throws EngineFault, ArchiveError */
export async function* objectOfSnapshot(
  bucket: Bucket,
  path: string,
  object: StoredObject,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of bucket.get(object.key)) {
    bytes += chunk.length
    if (bytes > object.bytes) break
    hash.update(chunk)
    yield chunk
  }
  if (bytes !== object.bytes || hash.digest('hex') !== object.sha256) {
    throw new ArchiveError('damaged', `\`${path}\` is not what was uploaded`)
  }
}

/** The source of a restore: a snapshot by name, or the archive. */
export type RemoteSnapshot =
  | { readonly kind: 'files'; readonly name: string; readonly head: SnapshotHead }
  | { readonly kind: 'archive'; readonly bytes: number }

/**
 * Finds the snapshot of that name, or for `null` the newest one that can be read, or the archive if
 * there are no snapshots of that kind. `say` receives what was skipped. Returns null if nothing is
 * found. @throws EngineFault, ArchiveError
 */
export async function findSnapshot(
  bucket: Bucket,
  place: StorePlace,
  name: string | null,
  say: (message: string) => void = () => undefined,
): Promise<RemoteSnapshot | null> {
  const all = await heads.all(bucket, place)
  if (name !== null) {
    const wanted = all.find((ref) => ref.name === name)
    if (wanted === undefined) return null
    return { kind: 'files', name, head: await heads.read(bucket, place, wanted) }
  }
  const unreadable = new UnreadableHeads(say)
  const record = await readWriter(bucket, place, unreadable)
  const valid = record === null ? all : all.filter((ref) => isValidHead(record, ref))
  const newest = await heads.newest(bucket, place, valid, unreadable)
  if (newest !== null) return { kind: 'files', name: newest.name, head: newest.head }
  const bytes = await bucket.size(archiveKey(place))
  if (bytes !== null) return { kind: 'archive', bytes }
  if (unreadable.count > 0) throw new ArchiveError('damaged', 'none of its snapshots can be read')
  return null
}

/** Fills an empty folder, durably. @throws EngineFault, ArchiveError, StorageError */
export async function restoreSnapshot(
  bucket: Bucket,
  place: StorePlace,
  snapshot: RemoteSnapshot,
  fs: FileSystem,
  hooks: RestoreHooks,
): Promise<SnapshotHead> {
  if (snapshot.kind === 'archive') {
    return restoreArchive(bucket.get(archiveKey(place)), fs, hooks)
  }
  const { head } = snapshot
  await restoreFiles(head, (file) => fileOfSnapshot(bucket, place, file), fs, hooks)
  return head
}
