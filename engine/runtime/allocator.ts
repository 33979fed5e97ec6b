// The C library's allocator (glibc). It holds the memory outside of V8's heaps: typed arrays,
// compilers, sockets. Untuned, it keeps the memory of a bulk import: it raises the size from which
// it maps memory separately to that of the largest buffer ever freed, and returns no memory that
// lies below memory in use. After a bulk of 25,000 documents and some minutes of searches and small
// writes it held 240 MB, of which 90 were in use.
//
// It also has an area of memory of its own for nearly each thread, and each of them keeps free
// memory that the others cannot use. No more threads allocate at a time than there are processors.
//
// Therefore the threshold and the number of areas are fixed, and free memory is returned on
// request. Both functions are called through koffi. With another C library nothing happens.
import { availableParallelism } from 'node:os'
import { type Koffi, koffi } from '../natives/index.ts'

/** `mallopt(3)`: numbers of its parameters. */
const M_TRIM_THRESHOLD = -1
const M_MMAP_THRESHOLD = -3
const M_ARENA_MAX = -8
/** Buffers of this size or more are mapped separately and returned to the system when freed. */
const MAPPED_BYTES_MIN = 1 << 20
/** Areas of memory from which further threads get theirs. */
const ARENAS_MIN = 2
/** If the operator has set one of these variables, the thresholds are left alone. */
const SETTINGS = ['MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_', 'GLIBC_TUNABLES']
/** The same for the number of areas. */
const ARENA_SETTINGS = ['MALLOC_ARENA_MAX', 'GLIBC_TUNABLES']

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
 * Fixes parameters of the allocator for the process, unless its environment sets them. Returns
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
    const set = library.func('int mallopt(int, int)')
    const isLeft = (name: string): boolean => environment[name] === undefined
    if (SETTINGS.every(isLeft)) {
      set(M_MMAP_THRESHOLD, MAPPED_BYTES_MIN)
      set(M_TRIM_THRESHOLD, MAPPED_BYTES_MIN)
    }
    if (ARENA_SETTINGS.every(isLeft)) {
      set(M_ARENA_MAX, Math.max(ARENAS_MIN, availableParallelism()))
    }
    return { trim: (done) => trim.async(0, () => done()) }
  } catch (error) {
    // No such library: memory use is higher, nothing else.
    if (!(error instanceof Error)) throw error
    return null
  }
}
