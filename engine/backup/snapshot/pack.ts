// Turns a consistent cut into an archive: entries into packed blocks. Runs in a separate thread.
import { gzipSync } from 'node:zlib'
import { StorageError } from '../../model/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import { type NewEntry, packArchive } from '../archive/index.ts'
import { BLOCK_BYTES } from './limits.ts'

/** A file of the archive. */
export type PackedFile = {
  readonly path: string
  readonly bytes: number
  /** Gzip level, 0 to 9; 0 stores. */
  readonly level: number
  /** Bytes in memory, or a path in the database folder: the first `bytes` of that file. */
  readonly source: Uint8Array | string
}

const TAR_BLOCK = 512

/**
 * Yields the archive's bytes, packed with gzip in members of about a MiB. The consumer can stop
 * between blocks. @throws StorageError
 */
export async function* packedBlocks(
  fs: FileSystem,
  files: readonly PackedFile[],
  modifiedAt: Date,
): AsyncGenerator<Uint8Array, void, undefined> {
  const entries = files.map(
    ({ path, bytes, source }): NewEntry => ({
      kind: 'file',
      path,
      bytes,
      content: typeof source === 'string' ? bytesOfFile(fs, source, bytes) : source,
    }),
  )
  const levels = levelsOf(files)
  const gather = new Uint8Array(BLOCK_BYTES)
  let gathered = 0
  let at = 0
  let run = levels.next().value
  for await (const chunk of packArchive(entries, { gzipLevel: null, modifiedAt })) {
    for (let from = 0; from < chunk.length; ) {
      const room = Math.min(BLOCK_BYTES - gathered, run.end - at)
      const piece = chunk.subarray(from, from + room)
      gather.set(piece, gathered)
      gathered += piece.length
      from += piece.length
      at += piece.length
      const isRunOver = at === run.end
      if (gathered === BLOCK_BYTES || isRunOver) {
        yield gzipSync(gather.subarray(0, gathered), { level: run.level })
        gathered = 0
      }
      if (isRunOver) run = levels.next().value
    }
  }
  if (gathered > 0) yield gzipSync(gather.subarray(0, gathered), { level: run.level })
}

type Run = { readonly end: number; readonly level: number }

/** Yields ranges of the tar by their level; the bytes behind the files are zeros. */
function* levelsOf(files: readonly PackedFile[]): Generator<Run, Run, undefined> {
  let end = 0
  for (let i = 0; i < files.length; i++) {
    const { bytes, level } = files[i]!
    end += TAR_BLOCK + Math.ceil(bytes / TAR_BLOCK) * TAR_BLOCK
    if (files[i + 1]?.level !== level) yield { end, level }
  }
  for (;;) yield { end: Number.POSITIVE_INFINITY, level: 1 }
}

/** Yields `bytes` of a file, from its start or an offset. Each read blocks the thread. */
export async function* bytesOfFile(
  fs: FileSystem,
  path: string,
  bytes: number,
  from = 0,
): AsyncGenerator<Uint8Array, void, undefined> {
  const file = fs.open(path, 'read')
  try {
    for (let at = 0; at < bytes; ) {
      const piece = new Uint8Array(Math.min(BLOCK_BYTES, bytes - at))
      if (file.read(from + at, piece) !== piece.length) {
        throw new StorageError('short_file', path, `\`${path}\` ends early`)
      }
      at += piece.length
      yield piece
    }
  } finally {
    file.close()
  }
}
