// The snapshots that are in a bucket: which, what they consist of, and their bytes.
import { createHash } from 'node:crypto'
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
import { archiveKey, fileKey, headKey, headsPrefix, nameInKey, type StorePlace } from './keys.ts'

export const heads = {
  /** The oldest first. @throws EngineFault */
  async names(bucket: Bucket, place: StorePlace): Promise<readonly string[]> {
    const listed = await bucket.list(headsPrefix(place))
    const names = listed.flatMap(({ key }) => nameInKey(place, key) ?? [])
    return names.sort()
  },

  /** @throws EngineFault, ArchiveError */
  async read(bucket: Bucket, place: StorePlace, name: string): Promise<SnapshotHead> {
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of bucket.get(headKey(place, name))) {
      bytes += chunk.length
      if (bytes > HEAD_BYTES_MAX) throw new ArchiveError('too_large', 'its head is too long')
      chunks.push(chunk)
    }
    const head = decodeHead(Buffer.concat(chunks))
    const bare = head.files.find(({ sha256 }) => sha256 === null)
    if (bare === undefined) return head
    throw new ArchiveError('damaged', `its head has no checksum of \`${bare.path}\``)
  },
}

/**
 * The bytes of a file of a snapshot, compared with its checksum as they go by; the end of them is
 * the proof. @throws EngineFault, ArchiveError
 */
export async function* fileOfSnapshot(
  bucket: Bucket,
  place: StorePlace,
  file: SnapshotFile,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of bucket.get(fileKey(place, file))) {
    bytes += chunk.length
    if (bytes > file.bytes) break
    hash.update(chunk)
    yield chunk
  }
  if (bytes !== file.bytes || hash.digest('hex') !== file.sha256) {
    throw new ArchiveError('damaged', `\`${file.path}\` is not what was uploaded`)
  }
}

/** What is to be restored: a snapshot by name, or the archive. */
export type RemoteSnapshot =
  | { readonly kind: 'files'; readonly name: string; readonly head: SnapshotHead }
  | { readonly kind: 'archive'; readonly bytes: number }

/**
 * The snapshot of that name; `null`: the newest one, or where there is none of that kind, the
 * archive. null: there is none. @throws EngineFault, ArchiveError
 */
export async function findSnapshot(
  bucket: Bucket,
  place: StorePlace,
  name: string | null,
): Promise<RemoteSnapshot | null> {
  const names = await heads.names(bucket, place)
  const wanted = name ?? names.at(-1)
  if (wanted !== undefined && names.includes(wanted)) {
    return { kind: 'files', name: wanted, head: await heads.read(bucket, place, wanted) }
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
