// The snapshots in a bucket: their names, files and bytes.
import { createHash } from 'node:crypto'
import { compareText } from '../../../format/bytes/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import { ArchiveError } from '../archive/index.ts'
import {
  decodeHead,
  HEAD_BYTES_MAX,
  type RestoreHooks,
  restoreArchive,
  restoreFiles,
  type SnapshotFile,
  type SnapshotHead,
} from '../snapshot/index.ts'
import type { Bucket } from './bucket.ts'
import {
  archiveKey,
  type HeadKind,
  headKey,
  headsPrefix,
  nameInKey,
  objectsOf,
  type StoredObject,
  type StorePlace,
} from './keys.ts'

const KINDS: readonly HeadKind[] = ['snapshots', 'published']

/** A head, by name and kind. */
export type HeadRef = { readonly name: string; readonly kind: HeadKind }

export const heads = {
  /** Returns the names of one kind, the oldest first. @throws EngineFault */
  async names(
    bucket: Bucket,
    place: StorePlace,
    kind: HeadKind = 'snapshots',
  ): Promise<readonly string[]> {
    const listed = await bucket.list(headsPrefix(place, kind))
    const names = listed.flatMap(({ key }) => nameInKey(place, key, kind) ?? [])
    return names.sort()
  },

  /** Returns all heads of both kinds, the oldest first. @throws EngineFault */
  async all(bucket: Bucket, place: StorePlace): Promise<readonly HeadRef[]> {
    const found: HeadRef[] = []
    for (const kind of KINDS) {
      for (const name of await heads.names(bucket, place, kind)) found.push({ name, kind })
    }
    return found.sort((a, b) => compareText(a.name, b.name))
  },

  /** @throws EngineFault, ArchiveError */
  async read(bucket: Bucket, place: StorePlace, ref: HeadRef): Promise<SnapshotHead> {
    const key = headKey(place, ref.name, ref.kind)
    const head = decodeHead(await smallObject(bucket, key, HEAD_BYTES_MAX))
    const bare = head.files.find(({ sha256, pieces }) => (sha256 ?? pieces ?? null) === null)
    if (bare === undefined) return head
    throw new ArchiveError('damaged', `its head has no checksum of \`${bare.path}\``)
  },
}

/** Returns all bytes of a short object. @throws EngineFault, ArchiveError if it is long */
export async function smallObject(
  bucket: Bucket,
  key: string,
  bytesMax: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of bucket.get(key)) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new ArchiveError('too_large', `\`${key}\` is too long`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

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
 * Finds the snapshot of that name, or for `null` the newest one, or the archive if there are no
 * snapshots of that kind. Returns null if nothing is found. @throws EngineFault, ArchiveError
 */
export async function findSnapshot(
  bucket: Bucket,
  place: StorePlace,
  name: string | null,
): Promise<RemoteSnapshot | null> {
  const all = await heads.all(bucket, place)
  const wanted = name === null ? all.at(-1) : all.find((ref) => ref.name === name)
  if (wanted !== undefined) {
    return { kind: 'files', name: wanted.name, head: await heads.read(bucket, place, wanted) }
  }
  if (name !== null) return null
  const bytes = await bucket.size(archiveKey(place))
  return bytes === null ? null : { kind: 'archive', bytes }
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
