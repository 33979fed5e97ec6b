// Reads a file completely before it is mapped: an unreadable part is an error here, but would end
// the process in a mapping.
import type { FileSystem } from '../../engine/index.ts'
import type { Step } from './result.ts'

const CHUNK_BYTES = 1 << 20

/** @throws StorageError `io` if a part cannot be read */
export function readThrough(fs: FileSystem, path: string, step: Step): void {
  const file = fs.open(path, 'read')
  try {
    const chunk = new Uint8Array(CHUNK_BYTES)
    for (let at = 0; ; ) {
      const got = file.read(at, chunk)
      if (got === 0) return
      at += got
      step(at)
    }
  } finally {
    file.close()
  }
}
