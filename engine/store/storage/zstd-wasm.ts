// The zstd codec as WebAssembly, for machines without zstd-napi: the module of the package
// @bokuweb/zstd-wasm, whose own loader is asynchronous and creates a context for each call. The
// release of the package is fixed, because its module exports functions under letters.
import { MiB } from '../../../format/bytes/index.ts'
import { instantiate } from '../../../format/kernel/index.ts'
import { zstdModule } from './zstd-module.ts'

export interface Codec {
  /** Returns one frame, in memory of its own. */
  compress(bytes: Uint8Array, level: number): Uint8Array
  /** Returns the number of bytes written to `target`. Throws plain errors: damaged bytes. */
  decompress(target: Uint8Array, bytes: Uint8Array): number
}

/** Addresses and lengths are unsigned, but WebAssembly returns them as signed numbers. */
type Functions = {
  readonly f: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  /** Initialises the module. */
  g(): void
  /** ZSTD_isError */
  h(result: number): number
  /** ZSTD_compressBound */
  i(length: number): number
  /** ZSTD_createCCtx */
  j(): number
  /** ZSTD_compress_usingDict: context, target, room, source, length, dictionary, length, level */
  l(...values: readonly number[]): number
  /** ZSTD_createDCtx */
  n(): number
  /** ZSTD_decompress_usingDict: context, target, room, source, length, dictionary, length */
  q(...values: readonly number[]): number
  /** malloc */
  s(bytes: number): number
  /** free */
  t(address: number): void
}

const PAGE_BYTES = 65536
/** A module whose memory has grown beyond this is replaced: such memory never shrinks. */
const MEMORY_BYTES_MAX = 64 * MiB

export class WasmCodec implements Codec {
  #zstd: Functions | null = null
  #compressor = 0
  #decompressor = 0

  compress(bytes: Uint8Array, level: number): Uint8Array {
    const zstd = this.#functions()
    const bound = zstd.i(bytes.length) >>> 0
    return this.#withMemory(bytes, bound, (source, target) => {
      const context = this.#compressor
      const length = zstd.l(context, target, bound, source, bytes.length, 0, 0, level) >>> 0
      if (zstd.h(length) !== 0) throw errorOf(length)
      return new Uint8Array(zstd.f.buffer).slice(target, target + length)
    })
  }

  decompress(into: Uint8Array, bytes: Uint8Array): number {
    const zstd = this.#functions()
    return this.#withMemory(bytes, into.length, (source, target) => {
      const context = this.#decompressor
      const length = zstd.q(context, target, into.length, source, bytes.length, 0, 0) >>> 0
      if (zstd.h(length) !== 0) throw errorOf(length)
      into.set(new Uint8Array(zstd.f.buffer, target, length))
      return length
    })
  }

  #functions(): Functions {
    if (this.#zstd !== null) return this.#zstd
    const zstd: Functions = instantiate(zstdModule(), {
      a: {
        a: unexpected,
        b: unexpected,
        c: unexpected,
        d: unexpected,
        e: (bytes: number) => grow(zstd, bytes >>> 0),
      },
    }) as Functions
    zstd.g()
    this.#compressor = zstd.j()
    this.#decompressor = zstd.n()
    this.#zstd = zstd
    return zstd
  }

  /** Copies `bytes` to the module's memory, with room for a result beside them. */
  #withMemory<T>(bytes: Uint8Array, room: number, work: (source: number, target: number) => T): T {
    const zstd = this.#functions()
    const source = zstd.s(bytes.length + room) >>> 0
    if (source === 0) throw new RangeError('there is no memory for the block')
    try {
      new Uint8Array(zstd.f.buffer).set(bytes, source)
      return work(source, source + bytes.length)
    } finally {
      zstd.t(source)
      if (zstd.f.buffer.byteLength > MEMORY_BYTES_MAX) this.#zstd = null
    }
  }
}

/** Returns 1 if the memory has at least `bytes` bytes now. */
function grow(zstd: Functions, bytes: number): number {
  try {
    zstd.f.grow(Math.ceil((bytes - zstd.f.buffer.byteLength) / PAGE_BYTES))
    return 1
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return 0
  }
}

const unexpected = (): never => {
  throw new Error('zstd called a function of the system')
}

/** Results that are errors are negative numbers of the kinds of errors. */
const errorOf = (result: number): Error => new Error(`zstd reports error ${-(result | 0)}`)
