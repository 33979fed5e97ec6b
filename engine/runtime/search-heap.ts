// The ceiling of a search thread's heap.
import { getHeapStatistics } from 'node:v8'
import { MiB } from '../../format/bytes/index.ts'

/**
 * Ceiling in MiB if the process may have more. V8 lets a heap that may have 2 GiB grow fourfold
 * before it collects, and one with this ceiling 1.8-fold. While documents change, two search
 * threads hold 80 MB less with it, for the same CPU a search.
 */
const OLD_MEGABYTES_MAX = 1536
const MEBIBYTE = MiB

export const searchHeapMegabytes = (): number =>
  Math.min(OLD_MEGABYTES_MAX, Math.floor(getHeapStatistics().heap_size_limit / MEBIBYTE))
