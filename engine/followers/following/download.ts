// Downloads files of a snapshot from the object store into the database folder. Each is written to
// a temporary file, compared with its checksum and synced before it gets its name, so that a name
// always denotes a complete file.
import { createHash } from 'node:crypto'
import {
  type Bucket,
  fileOfSnapshot,
  Lanes,
  objectOfSnapshot,
  objectsOf,
  type StorePlace,
} from '../../backup/objstore/index.ts'
import type { SnapshotFile, SnapshotPiece } from '../../backup/snapshot/index.ts'
import { type FileSystem, fileBytes, temporaryName } from '../../store/storage/index.ts'
import { LANES_MAX } from './limits.ts'

export type Source = { readonly bucket: Bucket; readonly place: StorePlace }

/** A file of the snapshot, and its destination. */
export type Wanted = {
  readonly file: SnapshotFile
  readonly path: string
  /** A file here that may have the same content; may be absent. */
  readonly like?: string
}

/**
 * Fetches files, several at a time; an existing file is compared and kept. Bytes are durable when
 * it resolves, names are not: the caller syncs the folders. `progress` receives bytes.
 * @throws EngineFault, ArchiveError, StorageError, Canceled
 */
export async function fetchFiles(
  source: Source,
  fs: FileSystem,
  wanted: readonly Wanted[],
  progress: (bytes: number) => void = () => undefined,
): Promise<void> {
  let done = 0
  const halt = new AbortController()
  const bucket = source.bucket.until(AbortSignal.any([source.bucket.signal, halt.signal]))
  const lanes = new Lanes(LANES_MAX)
  try {
    for (const one of wanted) {
      await lanes.add(async () => {
        await fetchFile({ ...source, bucket }, fs, one)
        done += one.file.bytes
        progress(done)
      })
    }
    await lanes.finish()
  } catch (error) {
    halt.abort()
    await lanes.settle()
    throw error
  }
}

/** Fetches one file. @throws as `fetchFiles` */
export async function fetchFile(
  { bucket, place }: Source,
  fs: FileSystem,
  { file, path, like }: Wanted,
): Promise<void> {
  if (await isThere(fs, path, file)) return
  const aside = temporaryName(path)
  for (const old of [aside, path]) if (fs.exists(old)) await fs.removeAsync(old)
  if (like !== undefined && (await isThere(fs, like, file)) && fs.link(like, path)) return
  const target = await fs.openAsync(aside, 'create')
  try {
    let at = 0
    for await (const chunk of fileOfSnapshot(bucket, place, file)) {
      await target.writeAsync(at, chunk)
      at += chunk.length
    }
    await target.syncAsync()
  } finally {
    target.close()
  }
  await fs.renameAsync(aside, path)
}

/** Returns whether an earlier attempt has left the complete file. */
async function isThere(fs: FileSystem, path: string, file: SnapshotFile): Promise<boolean> {
  if (!fs.exists(path) || fs.size(path) !== file.bytes) return false
  const hash = createHash('sha256')
  for await (const piece of fileBytes(fs, path)) hash.update(piece)
  return hash.digest('hex') === file.sha256
}

/** A log that was fetched before: its path, and its pieces. */
export type FetchedLog = { readonly path: string; readonly pieces: readonly SnapshotPiece[] }

/**
 * Fetches a log in pieces to `path`. The leading pieces that it shares with `before` are copied
 * from there. Returns the number of bytes fetched.
 * @throws EngineFault, ArchiveError, StorageError, Canceled
 */
export async function fetchLog(
  { bucket, place }: Source,
  fs: FileSystem,
  { file, path }: Wanted,
  before: FetchedLog | null,
): Promise<number> {
  const objects = objectsOf(place, file)
  let common = 0
  while (common < objects.length && before?.pieces[common]?.sha256 === objects[common]!.sha256) {
    common++
  }
  const from = common < objects.length ? objects[common]!.from : file.bytes
  const target = await fs.openAsync(path, 'create')
  try {
    let at = 0
    if (from > 0) {
      for await (const chunk of firstBytes(fs, before!.path, from)) {
        await target.writeAsync(at, chunk)
        at += chunk.length
      }
    }
    for (const object of objects.slice(common)) {
      for await (const chunk of objectOfSnapshot(bucket, file.path, object)) {
        await target.writeAsync(at, chunk)
        at += chunk.length
      }
    }
    await target.syncAsync()
  } finally {
    target.close()
  }
  return file.bytes - from
}

async function* firstBytes(
  fs: FileSystem,
  path: string,
  bytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let left = bytes
  for await (const chunk of fileBytes(fs, path)) {
    if (left === 0) return
    const piece = chunk.subarray(0, left)
    left -= piece.length
    yield piece
  }
}

/** Returns all bytes of a file of the snapshot, compared with its checksum. */
export async function fetchBytes(
  { bucket, place }: Source,
  file: SnapshotFile,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of fileOfSnapshot(bucket, place, file)) chunks.push(chunk)
  return Buffer.concat(chunks)
}
