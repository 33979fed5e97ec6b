// Mapped files. The only importer of mmap-io; it works in worker threads. Without it, files are
// read piece by piece into memory of the process: see ./lazy-bytes.ts.
//
// The package's own wrapper loads an installer to find its binary, which takes longer than the
// whole remaining start. So the binary is loaded directly.
import fs from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { assert } from '../../../format/errors.ts'
import type { LazyBytes } from '../../../format/frame/index.ts'
import { StorageError } from '../../model/index.ts'
import { loadNative, prebuilt } from '../../natives/index.ts'
import { guarded, storageError } from './errno.ts'
import { lazyBytes, readInto } from './lazy-bytes.ts'
import { MAP_BYTES_MAX } from './limits.ts'

type Binding = {
  readonly PROT_READ: number
  readonly MAP_SHARED: number
  readonly map: (
    bytes: number,
    protection: number,
    flags: number,
    fd: number,
    offset: number,
    advice: number,
  ) => Uint8Array
  readonly MADV_DONTNEED: number
  readonly advise: (mapped: Uint8Array, advice: number) => void
}

/** Buffers that are mappings of files. */
const mappings = new WeakSet<ArrayBufferLike>()

/** Returns null if files cannot be mapped. */
export function binding(): Binding | null {
  const { versions, platform, arch } = process
  const folder = `build/binding/Release/node-v${versions.modules}-${platform}-${arch}`
  return loadNative<Binding>('mmap-io', [
    ...prebuilt('mmap-io', true),
    // Of a user's installation, and of a checkout.
    (require) => require(`@riaskov/mmap-io/${folder}/mmap_io.node`),
    (require) => require(`mmap-io/${folder}/mmap_io.node`),
  ])
}

/**
 * Maps the file at `file`, which must be exactly `bytes` long; `path` is its name in errors. The
 * mapping outlives the descriptor and ends when the garbage collector has collected the last view
 * of it. V8 counts it as external memory, so mapping large files starts major collections.
 */
export function mapFile(file: string, path: string, bytes: number): Uint8Array {
  const mapped = mapIfPossible(file, path, bytes)
  if (mapped instanceof Uint8Array) return mapped
  const { fd } = mapped
  try {
    const all = new Uint8Array(bytes)
    readInto(all, fd, path, 0, bytes)
    return all
  } finally {
    fs.closeSync(fd)
  }
}

/** Does the same for a frame, but loads only the used bytes if files cannot be mapped. */
export function mapFrame(file: string, path: string, bytes: number): Uint8Array | LazyBytes {
  const mapped = mapIfPossible(file, path, bytes)
  return mapped instanceof Uint8Array ? mapped : lazyBytes(mapped.fd, path, bytes)
}

/** Returns an open descriptor if files cannot be mapped. */
function mapIfPossible(
  file: string,
  path: string,
  bytes: number,
): Uint8Array | { readonly fd: number } {
  assert(Number.isSafeInteger(bytes) && bytes >= 0, 'a length is a safe integer')
  if (bytes > MAP_BYTES_MAX) {
    throw new StorageError('too_large', path, `cannot map \`${path}\`: ${bytes} bytes are too many`)
  }
  const fd = guarded(path, 'open', () => fs.openSync(file, 'r'))
  let isInUse = false
  try {
    const found = guarded(path, 'look at', () => fs.fstatSync(fd).size)
    if (found !== bytes) {
      const finding = `\`${path}\` has ${found} bytes instead of ${bytes}`
      throw new StorageError('short_file', path, `${finding}: it was changed from outside`)
    }
    // The system refuses to map zero bytes.
    if (bytes === 0) return new Uint8Array(0)
    const native = binding()
    if (native === null) {
      isInUse = true
      return { fd }
    }
    const { map, PROT_READ, MAP_SHARED } = native
    const mapped = mapOrThrow(path, () => map(bytes, PROT_READ, MAP_SHARED, fd, 0, 0))
    mappings.add(mapped.buffer)
    return new Uint8Array(mapped.buffer, mapped.byteOffset, mapped.byteLength)
  } finally {
    if (!isInUse) fs.closeSync(fd)
  }
}

function mapOrThrow(path: string, map: () => Uint8Array): Uint8Array {
  try {
    return map()
  } catch (error) {
    // The binding throws plain errors whose message ends with the errno.
    throw storageError(error, path, 'map')
  }
}

/**
 * Removes the pages of a mapped file from this mapping, in microseconds; a read would load them
 * again. Memory that is not a mapping does not change.
 */
export function releasePages(memory: ArrayBufferLike): void {
  const native = binding()
  if (native === null || !mappings.has(memory)) return
  const { advise, MADV_DONTNEED } = native
  advise(new Uint8Array(memory), MADV_DONTNEED)
}

let collect: (() => void) | null = null

/**
 * Runs a full garbage collection of this thread, so that unreferenced mappings are unmapped and the
 * disk space of removed files is freed (within the next turns of the event loop). Its time grows
 * with the heap: for threads that have just dropped segments, not for every search.
 */
export function collectGarbage(): void {
  if (collect === null) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  collect()
}
