// Samples the memory of the process and keeps it small: bounds the growth of heaps and makes the
// allocator return free memory.

import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { MiB } from '../../format/bytes/index.ts'
import { type Environment, tuneAllocator } from './allocator.ts'
import { heapGrowth } from './heap-growth.ts'
import { youngHeapBound } from './young-heap.ts'

const SAMPLE_MS = 250
/**
 * Milliseconds before any flag of V8 changes: the compiled form of a program is created three
 * seconds after its thread has started, and is valid only for the flags at that time.
 */
const FLAGS_PAUSE_MS = 6000
/** Milliseconds before the allocator's library is loaded: the first requests have precedence. */
const ALLOCATOR_PAUSE_MS = 1000
/** Growth of the process that justifies a trim: heaps vary by about as much. */
const TRIM_GROWTH_BYTES = 16 * MiB
/** Samples between two trims, ten seconds: a trim takes 10 to 25 ms of a processor. */
const TRIM_SAMPLES_MIN = 40

/**
 * Samples the memory of the process four times a second, 40 µs each. Call it once, on the main
 * thread. Does nothing if the system does not report memory. `environment`: of the process.
 */
export function watchMemory(environment: Environment): void {
  if (ownBytes() === null) return
  const bound = heapGrowth((percent) => setFlagsFromString(`--heap-growing-percent=${percent}`))
  const boundYoung = youngHeapBound()
  let mayChangeFlags = false
  setTimeout(() => {
    mayChangeFlags = true
  }, FLAGS_PAUSE_MS).unref()
  let trimWhenGrown: ((bytes: number) => void) | null = null
  setTimeout(() => {
    const allocator = tuneAllocator(environment)
    if (allocator !== null) trimWhenGrown = trimming(allocator.trim)
  }, ALLOCATOR_PAUSE_MS).unref()
  const sample = (): void => {
    const bytes = ownBytes()
    if (bytes === null) return
    if (mayChangeFlags) {
      bound(bytes)
      boundYoung()
    }
    trimWhenGrown?.(bytes)
  }
  setInterval(sample, SAMPLE_MS).unref()
}

/**
 * Calls `trim` when the process has grown since its smallest size after the last trim, one at a
 * time and with a pause in between. The returned function receives the size of each sample.
 */
export function trimming(trim: (done: () => void) => void): (bytes: number) => void {
  /** The smallest size since the last trim; null before the first sample. */
  let smallest: number | null = null
  let isTrimming = false
  /** Samples since the last trim began. */
  let samples = TRIM_SAMPLES_MIN
  return (bytes) => {
    samples++
    if (isTrimming) return
    smallest = Math.min(smallest ?? bytes, bytes)
    if (bytes < smallest + TRIM_GROWTH_BYTES || samples < TRIM_SAMPLES_MIN) return
    isTrimming = true
    samples = 0
    trim(() => {
      isTrimming = false
      smallest = null
    })
  }
}

/**
 * Resident memory without mapped files (proc_pid_status(5)), or null if the system does not report
 * it.
 */
function ownBytes(): number | null {
  if (process.platform !== 'linux') return null
  try {
    const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(
      readFileSync('/proc/self/status', 'latin1'),
    )?.[1]
    return kibibytes === undefined ? null : Number(kibibytes) * 1024
  } catch (error) {
    // No /proc, or no free descriptor: nothing is changed.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    return null
  }
}
