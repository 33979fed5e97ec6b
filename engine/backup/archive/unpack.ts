// Unpacks an archive into a folder, completely or not at all.
import { directoryOf, type FileSystem } from '../../store/storage/index.ts'
import { ARCHIVE_LIMITS, type ArchiveLimits } from './limits.ts'
import { readArchive } from './read.ts'

/** A file of an archive; folders are only created. */
export type UnpackedEntry = { readonly path: string; readonly bytes: number }

export type UnpackOptions = {
  readonly limits?: ArchiveLimits
  /** Whether files and names must be on disk when it resolves; false if absent. */
  readonly durable?: boolean
  /** Called with the bytes of files that were written since its last call. */
  readonly progress?: (bytes: number) => void
}

/**
 * Unpacks into `folder`, which must not exist and is removed again on failure. Returns the files.
 * @throws ArchiveError, StorageError, and errors of `source`
 */
export async function unpackArchive(
  source: AsyncIterable<Uint8Array>,
  fs: FileSystem,
  folder: string,
  { limits = ARCHIVE_LIMITS, durable = false, progress = () => undefined }: UnpackOptions = {},
): Promise<readonly UnpackedEntry[]> {
  const files: UnpackedEntry[] = []
  const folders = new Set<string>()
  const make = (path: string): void => {
    if (path === '' || folders.has(path)) return
    make(directoryOf(path))
    fs.makeDirectory(`${folder}/${path}`)
    folders.add(path)
  }
  try {
    fs.makeDirectory(folder)
    for await (const entry of readArchive(source, limits)) {
      const { path, kind, bytes, content } = entry
      make(kind === 'folder' ? path : directoryOf(path))
      if (kind === 'folder') continue
      await write(fs, `${folder}/${path}`, content, { durable, progress })
      files.push({ path, bytes })
    }
    if (!durable) return files
    for (const path of folders) await fs.syncDirectoryAsync(`${folder}/${path}`)
    await fs.syncDirectoryAsync(folder)
    await fs.syncDirectoryAsync(directoryOf(folder))
    return files
  } catch (error) {
    await fs.removeTreeAsync(folder)
    throw error
  }
}

async function write(
  fs: FileSystem,
  path: string,
  content: AsyncIterable<Uint8Array>,
  { durable, progress }: { durable: boolean; progress: (bytes: number) => void },
): Promise<void> {
  const file = await fs.openAsync(path, 'create')
  try {
    let at = 0
    for await (const chunk of content) {
      await file.writeAsync(at, chunk)
      at += chunk.length
      progress(chunk.length)
    }
    if (durable) await file.syncAsync()
  } finally {
    file.close()
  }
}
