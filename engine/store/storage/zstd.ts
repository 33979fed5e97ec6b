// Compression of stored documents. The only importer of zstd-napi; it loads only the binding,
// without the streams of the package's main module. Each thread keeps one context per direction;
// creating one costs more than using it.

import { createRequire } from 'node:module'
import type * as Zstd from 'zstd-napi/binding.js'
import { MiB } from '../../../format/bytes/index.ts'
import { assert, CorruptionError } from '../../../format/errors.ts'

/** Largest scratch buffer kept between calls; larger ones are created for one call. */
const SCRATCH_BYTES_MAX = MiB

let binding: typeof Zstd | null = null
let compressor: Zstd.CCtx | null = null
let decompressor: Zstd.DCtx | null = null
let scratch = new Uint8Array(0)

const zstd = (): typeof Zstd =>
  (binding ??= createRequire(import.meta.url)('zstd-napi/binding.js') as typeof Zstd)

/** Returns one zstd frame. `level` is 1 to 19; the same bytes and level give the same frame. */
export function compress(bytes: Uint8Array, level: number): Uint8Array {
  assert(level >= 1 && level <= 19, 'a level is 1 to 19')
  const bound = zstd().compressBound(bytes.length)
  let target = scratch
  if (target.length < bound) {
    target = new Uint8Array(bound)
    if (bound <= SCRATCH_BYTES_MAX) scratch = target
  }
  compressor ??= new (zstd().CCtx)()
  const length = compressor.compress(target, bytes, level)
  return target.slice(0, length)
}

/**
 * Decompresses a frame to exactly `length` bytes, into `target` if there is one. The length in the
 * frame is ignored, so the caller bounds the memory. @throws CorruptionError
 */
export function decompress(
  bytes: Uint8Array,
  length: number,
  target: Uint8Array = new Uint8Array(length),
): Uint8Array {
  assert(Number.isSafeInteger(length) && length >= 0, 'a length is a safe integer')
  assert(target.length === length, 'the target has the length of the block')
  decompressInto(bytes, target)
  return target
}

/** Decompresses into the caller's memory, which must be filled exactly. @throws CorruptionError */
export function decompressInto(bytes: Uint8Array, target: Uint8Array): void {
  decompressor ??= new (zstd().DCtx)()
  const got = run(decompressor, target, bytes)
  if (got !== target.length) {
    throw new CorruptionError('bad_length', { section: 'zstd', offset: 0 }, target.length, got)
  }
}

function run(context: Zstd.DCtx, target: Uint8Array, bytes: Uint8Array): number {
  try {
    return context.decompress(target, bytes)
  } catch (error) {
    // The binding throws plain errors with zstd's messages; all of them mean damaged bytes.
    const words = error instanceof Error ? error.message : String(error)
    throw new CorruptionError('bad_value', { section: 'zstd', offset: 0 }, 'a frame', words)
  }
}
