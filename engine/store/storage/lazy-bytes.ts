// The bytes of a file that cannot be mapped: they are read when they are first used, in chunks. The
// memory of chunks that were never read is not used: the system provides it on the first write.
//
// Compared with a mapping: each thread has a copy of what it has used, which the system cannot take
// back when memory is short, and an open descriptor for each file. Owners close files to bound this
// (`SegmentCache.dropLoaded`).
import fs from 'node:fs'
import { assert } from '../../../format/errors.ts'
import type { LazyBytes } from '../../../format/frame/index.ts'
import { StorageError } from '../../model/index.ts'
import { guarded } from './errno.ts'
import { LAZY_CHUNK_BYTES } from './limits.ts'

/** Closes the descriptors of files whose bytes were collected. */
const descriptors = new FinalizationRegistry<number>((fd) => fs.closeSync(fd))

/**
 * Returns the bytes of the open file `fd`, which is `length` bytes long and stays open until it is
 * closed or the bytes are collected. `path` is its name in errors.
 */
export function lazyBytes(fd: number, path: string, length: number): LazyBytes {
  const bytes = new Uint8Array(length)
  const token = {}
  descriptors.register(bytes.buffer, fd, token)
  let isOpen = true
  const isLoaded = new Uint8Array(Math.ceil(length / LAZY_CHUNK_BYTES))
  let loaded = 0
  const load = (from: number, to: number): void => {
    const end = Math.ceil(to / LAZY_CHUNK_BYTES)
    for (let chunk = Math.floor(from / LAZY_CHUNK_BYTES); chunk < end; chunk++) {
      if (isLoaded[chunk] === 1) continue
      let last = chunk + 1
      while (last < end && isLoaded[last] === 0) last++
      const at = chunk * LAZY_CHUNK_BYTES
      const until = Math.min(length, last * LAZY_CHUNK_BYTES)
      assert(isOpen, 'a file is not used after it was closed')
      readInto(bytes, fd, path, at, until)
      isLoaded.fill(1, chunk, last)
      loaded += until - at
    }
  }
  const close = (): void => {
    if (!isOpen) return
    isOpen = false
    descriptors.unregister(token)
    fs.closeSync(fd)
  }
  return { bytes, load, loadedBytes: () => loaded, close }
}

/** Reads the bytes [from, to) of the file to the same place of `bytes`, which is as long. */
export function readInto(
  bytes: Uint8Array,
  fd: number,
  path: string,
  from: number,
  to: number,
): void {
  for (let at = from; at < to; ) {
    const got = guarded(path, 'read', () => fs.readSync(fd, bytes, at, to - at, at))
    if (got === 0) {
      const finding = `\`${path}\` ends at ${at} instead of ${bytes.length}`
      throw new StorageError('short_file', path, `${finding}: it was changed from outside`)
    }
    at += got
  }
}
