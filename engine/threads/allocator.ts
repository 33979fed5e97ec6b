// The C library's allocator (glibc), which holds what V8 does not: the memory of typed arrays, of
// compilers, of sockets. Left alone it keeps what a bulk once took: it raises the size from which
// it asks the system for a mapping to that of the largest buffer that was ever given back, and
// returns nothing that lies below memory in use. After a bulk of 25,000 documents and some minutes
// of searches and small writes it held 240 MB, of which 90 were in use.
//
// So the size stays where it is, and what is free is given back on request. Both are functions of
// the C library alone, which are called through koffi. Where the C library is another one, nothing
// happens.

import { createRequire } from 'node:module'

/** `mallopt(3)`: numbers of its parameters. */
const M_TRIM_THRESHOLD = -1
const M_MMAP_THRESHOLD = -3
/** Buffers of this size and more come from the system and go back to it. */
const MAPPED_BYTES_MIN = 1 << 20
/** An operator who has set one of these has decided. */
const SETTINGS = ['MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_', 'GLIBC_TUNABLES']

/** Variables of the process. */
export type Environment = { readonly [name: string]: string | undefined }

export type Allocator = {
  /**
   * Gives whole free pages back to the system, in a thread of libuv's pool: 10 to 25 ms for 200 MB,
   * during which a part of it is locked at a time.
   */
  readonly trim: (done: () => void) => void
}

type NativeFunction = {
  (...values: readonly number[]): number
  readonly async: (value: number, done: (error: unknown) => void) => void
}
type Koffi = {
  readonly load: (library: string) => { readonly func: (prototype: string) => NativeFunction }
}

/**
 * Fixes the thresholds of the allocator for the process, unless its environment says them; null
 * where there is no such allocator. Takes 4 ms, most of it for loading koffi. Call it once.
 */
export function tuneAllocator(
  environment: Environment,
  load: () => Koffi = loadKoffi,
): Allocator | null {
  if (process.platform !== 'linux') return null
  try {
    const library = load().load('libc.so.6')
    const trim = library.func('int malloc_trim(size_t)')
    if (SETTINGS.every((name) => environment[name] === undefined)) {
      const set = library.func('int mallopt(int, int)')
      set(M_MMAP_THRESHOLD, MAPPED_BYTES_MIN)
      set(M_TRIM_THRESHOLD, MAPPED_BYTES_MIN)
    }
    return { trim: (done) => trim.async(0, () => done()) }
  } catch (error) {
    // No such library, or koffi has no binary for this machine: memory costs more, nothing else.
    if (!(error instanceof Error)) throw error
    return null
  }
}

/** The binary itself where it is found: its wrapper takes three times as long to load. */
function loadKoffi(): Koffi {
  const require = createRequire(import.meta.url)
  const { arch } = process
  try {
    return require(`@koromix/koffi-linux-${arch}/linux_${arch}/koffi.node`) as Koffi
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return require('koffi') as Koffi
  }
}
