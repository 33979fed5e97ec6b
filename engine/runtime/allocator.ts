// The C library's allocator (glibc). It holds the memory outside of V8's heaps: typed arrays,
// compilers, sockets. Untuned, it keeps the memory of a bulk import: it raises the size from which
// it maps memory separately to that of the largest buffer ever freed, and returns no memory that
// lies below memory in use. After a bulk of 25,000 documents and some minutes of searches and small
// writes it held 240 MB, of which 90 were in use.
//
// Therefore the threshold is fixed, and free memory is returned on request. Both functions are
// called through koffi. With another C library nothing happens.
import { type Koffi, koffi } from '../natives/index.ts'

/** `mallopt(3)`: numbers of its parameters. */
const M_TRIM_THRESHOLD = -1
const M_MMAP_THRESHOLD = -3
/** Buffers of this size or more are mapped separately and returned to the system when freed. */
const MAPPED_BYTES_MIN = 1 << 20
/** If the operator has set one of these variables, the thresholds are left alone. */
const SETTINGS = ['MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_', 'GLIBC_TUNABLES']

/** Environment variables of the process. */
export type Environment = { readonly [name: string]: string | undefined }

export type Allocator = {
  /**
   * Returns whole free pages to the system, on a thread of libuv's pool: 10 to 25 ms for 200 MB,
   * during which parts of the allocator are locked one after another.
   */
  readonly trim: (done: () => void) => void
}

/**
 * Fixes the thresholds of the allocator for the process, unless its environment sets them. Returns
 * null if the allocator is not glibc. Loads koffi. Call it once.
 */
export function tuneAllocator(
  environment: Environment,
  load: () => Pick<Koffi, 'load'> | null = koffi,
): Allocator | null {
  if (process.platform !== 'linux') return null
  try {
    const library = load()?.load('libc.so.6') ?? null
    if (library === null) return null
    const trim = library.func('int malloc_trim(size_t)')
    if (SETTINGS.every((name) => environment[name] === undefined)) {
      const set = library.func('int mallopt(int, int)')
      set(M_MMAP_THRESHOLD, MAPPED_BYTES_MIN)
      set(M_TRIM_THRESHOLD, MAPPED_BYTES_MIN)
    }
    return { trim: (done) => trim.async(0, () => done()) }
  } catch (error) {
    // No such library: memory use is higher, nothing else.
    if (!(error instanceof Error)) throw error
    return null
  }
}
