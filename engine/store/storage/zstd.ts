// Compression of stored documents. Each thread keeps one context per direction; creating one costs
// more than using it. Without the native package the same code runs as WebAssembly: it accepts and
// writes the same bytes, and is slower. Node's own zstd, from 22.15 on, is not faster because it
// creates a context for each call, and it accepts damage after the end of a frame.
import type * as Zstd from 'zstd-napi/binding.js'
import { MiB } from '../../../format/bytes/index.ts'
import { assert, CorruptionError } from '../../../format/errors.ts'
import { loadNative, prebuilt } from '../../natives/index.ts'
import { type Codec, WasmCodec } from './zstd-wasm.ts'

/** Largest scratch buffer kept between calls; larger ones are created for one call. */
const SCRATCH_BYTES_MAX = MiB

let codec: Codec | null = null

const codecOfThread = (): Codec => {
  codec ??= nativeCodec() ?? new WasmCodec()
  return codec
}

/** Returns null if zstd-napi cannot be loaded. */
export function nativeCodec(): Codec | null {
  // Only the binding, without the streams of the package's main module.
  const binding = loadNative<typeof Zstd>('zstd-napi', [
    ...prebuilt('zstd-napi', false),
    (require) => require('zstd-napi/binding.js'),
  ])
  return binding === null ? null : new NativeCodec(binding)
}

class NativeCodec implements Codec {
  readonly #binding: typeof Zstd
  #compressor: Zstd.CCtx | null = null
  #decompressor: Zstd.DCtx | null = null
  #scratch = new Uint8Array(0)

  constructor(binding: typeof Zstd) {
    this.#binding = binding
  }

  compress(bytes: Uint8Array, level: number): Uint8Array {
    const bound = this.#binding.compressBound(bytes.length)
    let target = this.#scratch
    if (target.length < bound) {
      target = new Uint8Array(bound)
      if (bound <= SCRATCH_BYTES_MAX) this.#scratch = target
    }
    this.#compressor ??= new this.#binding.CCtx()
    const length = this.#compressor.compress(target, bytes, level)
    return target.slice(0, length)
  }

  decompress(target: Uint8Array, bytes: Uint8Array): number {
    this.#decompressor ??= new this.#binding.DCtx()
    return this.#decompressor.decompress(target, bytes)
  }
}

/** Returns one zstd frame. `level` is 1 to 19; the same bytes and level give the same frame. */
export function compress(bytes: Uint8Array, level: number): Uint8Array {
  assert(level >= 1 && level <= 19, 'a level is 1 to 19')
  return codecOfThread().compress(bytes, level)
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
  decompressBy(codecOfThread(), bytes, target)
}

/** Does the work of `decompressInto` with this codec. @throws CorruptionError */
export function decompressBy(by: Codec, bytes: Uint8Array, target: Uint8Array): void {
  const got = run(by, target, bytes)
  if (got !== target.length) {
    throw new CorruptionError('bad_length', { section: 'zstd', offset: 0 }, target.length, got)
  }
}

function run(by: Codec, target: Uint8Array, bytes: Uint8Array): number {
  try {
    return by.decompress(target, bytes)
  } catch (error) {
    // Codecs throw plain errors with their own messages; all of them mean damaged bytes.
    const words = error instanceof Error ? error.message : String(error)
    throw new CorruptionError('bad_value', { section: 'zstd', offset: 0 }, 'a frame', words)
  }
}
