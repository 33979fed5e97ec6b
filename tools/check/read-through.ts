// Reading a file from end to end before it is mapped: what the disk cannot read is an error here,
// where touching it in a mapping would end the process.
import type { FileSystem } from '../../engine/index.ts'
import type { Step } from './result.ts'

const CHUNK_BYTES = 1 << 20

/** @throws StorageError `io` when a part cannot be read */
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
