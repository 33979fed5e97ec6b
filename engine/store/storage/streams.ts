// Files that are too large for memory: read and written piece by piece, without blocking.
import { StorageError } from '../../model/index.ts'
import { directoryOf, type FileSystem } from './file-system.ts'
import { temporaryName } from './files.ts'
import { STREAM_CHUNK_BYTES } from './limits.ts'

/** Yields the bytes of a file, front to back. The reader owns each chunk. @throws StorageError */
export async function* fileBytes(
  fs: FileSystem,
  path: string,
  chunkBytes = STREAM_CHUNK_BYTES,
): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await fs.openAsync(path, 'read')
  try {
    const size = file.size()
    for (let at = 0; at < size; ) {
      const chunk = new Uint8Array(Math.min(chunkBytes, size - at))
      const got = await file.readAsync(at, chunk)
      if (got !== chunk.length) throw new StorageError('short_file', path, `\`${path}\` ends early`)
      at += got
      yield chunk
    }
  } finally {
    file.close()
  }
}

/**
 * Replaces a file durably, like `replaceFile`, by chunks that arrive one after another: a crash
 * leaves the whole new file or the old one. `aside` is its temporary name. Returns its length in
 * bytes. If `chunks` or the disk fail, the temporary file is removed.
 */
export async function replaceByStream(
  fs: FileSystem,
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  aside = temporaryName(path),
): Promise<number> {
  if (fs.exists(aside)) await fs.removeAsync(aside)
  const file = await fs.openAsync(aside, 'create')
  let bytes = 0
  let isComplete = false
  try {
    for await (const chunk of chunks) {
      await file.writeAsync(bytes, chunk)
      bytes += chunk.length
    }
    await file.syncAsync()
    isComplete = true
  } finally {
    file.close()
    if (!isComplete) await fs.removeAsync(aside)
  }
  await fs.renameAsync(aside, path)
  await fs.syncDirectoryAsync(directoryOf(path))
  return bytes
}
