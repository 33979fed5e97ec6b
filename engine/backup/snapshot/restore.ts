// Turns an archive into a database folder again. Page: SNAPSHOT.md

import { directoryOf, type FileSystem } from '../../store/storage/index.ts'
import { ArchiveError, readArchive } from '../archive/index.ts'
import { decodeHead, HEAD, type SnapshotFile, type SnapshotHead } from './head-v1.ts'
import { HEAD_BYTES_MAX, SNAPSHOT_LIMITS, SYNC_BYTES } from './limits.ts'

export type RestoreHooks = {
  /** Called with the bytes of files so far, and the total. */
  readonly progress: (done: number, total: number) => void
}

/**
 * Unpacks into the folder of `fs`, durably; existing files are not touched. Any difference from the
 * head ends it: then the caller removes the written files.
 * @throws ArchiveError, StorageError, and errors of `source`
 */
export async function restoreArchive(
  source: AsyncIterable<Uint8Array>,
  fs: FileSystem,
  { progress }: RestoreHooks,
): Promise<SnapshotHead> {
  let head: SnapshotHead | null = null
  let next = 0
  let done = 0
  let total = 0
  const folders = new Set<string>()
  for await (const { path, kind, bytes, content } of readArchive(source, SNAPSHOT_LIMITS)) {
    if (head === null) {
      if (path !== HEAD) throw new ArchiveError('damaged', `it does not begin with \`${HEAD}\``)
      head = decodeHead(await whole(content, bytes))
      total = head.files.reduce((sum, file) => sum + file.bytes, 0)
      continue
    }
    const expected = head.files[next++]
    if (kind !== 'file' || path !== expected?.path || bytes !== expected.bytes) {
      throw new ArchiveError('damaged', `\`${path}\` is not what its head announces`)
    }
    makeFolders(fs, directoryOf(path), folders)
    done = await writeFile(fs, path, content, done, (now) => progress(now, total))
  }
  if (head === null || next !== head.files.length) {
    throw new ArchiveError('damaged', 'it holds fewer files than its head announces')
  }
  await syncFolders(fs, folders)
  return head
}

/** Restores from separate files, for example in a bucket; `open` returns the bytes of one. */
export async function restoreFiles(
  { files }: SnapshotHead,
  open: (file: SnapshotFile) => AsyncIterable<Uint8Array>,
  fs: FileSystem,
  { progress }: RestoreHooks,
): Promise<void> {
  const total = files.reduce((sum, file) => sum + file.bytes, 0)
  const folders = new Set<string>()
  let done = 0
  for (const file of files) {
    makeFolders(fs, directoryOf(file.path), folders)
    done = await writeFile(fs, file.path, open(file), done, (now) => progress(now, total))
  }
  await syncFolders(fs, folders)
}

function makeFolders(fs: FileSystem, folder: string, made: Set<string>): void {
  if (folder === '' || made.has(folder)) return
  makeFolders(fs, directoryOf(folder), made)
  fs.makeDirectory(folder)
  made.add(folder)
}

async function syncFolders(fs: FileSystem, folders: ReadonlySet<string>): Promise<void> {
  for (const folder of folders) await fs.syncDirectoryAsync(folder)
  await fs.syncDirectoryAsync('')
}

async function writeFile(
  fs: FileSystem,
  path: string,
  content: AsyncIterable<Uint8Array>,
  before: number,
  progress: (done: number) => void,
): Promise<number> {
  const file = await fs.openAsync(path, 'create')
  try {
    let at = 0
    let reported = 0
    for await (const chunk of content) {
      await file.writeAsync(at, chunk)
      at += chunk.length
      if (at - reported < SYNC_BYTES) continue
      reported = at
      progress(before + at)
    }
    await file.syncAsync()
    progress(before + at)
    return before + at
  } finally {
    file.close()
  }
}

async function whole(content: AsyncIterable<Uint8Array>, bytes: number): Promise<Uint8Array> {
  if (bytes > HEAD_BYTES_MAX) throw new ArchiveError('too_large', 'its head is too long')
  const out = new Uint8Array(bytes)
  let at = 0
  for await (const chunk of content) {
    out.set(chunk, at)
    at += chunk.length
  }
  return out
}
