// Samples the memory of the process and keeps it small: bounds the growth of heaps and makes the
// allocator return free memory.
import { readFileSync } from 'node:fs'
import { MiB } from '../../format/bytes/index.ts'
import { type Allocator, type Environment, tuneAllocator } from './allocator.ts'
import { documentsOfLargestIndex, heapGrowth } from './heap-growth.ts'
import { isTuned, setFlag } from './tuning.ts'
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
/** Samples between two trims, ten seconds: a trim visits all free memory. */
const TRIM_SAMPLES_MIN = 40

/** Of the process; null until the allocator's library is loaded. */
let processTrimming: Trimming | null = null

/**
 * Asks the allocator to return free pages now: for threads that have just released much memory.
 * Does nothing if memory is not watched.
 */
export const returnFreeMemory = (): void => processTrimming?.request()

/** The memory that is watched. */
export type Watched = {
  /** Returns its size, or null if the system does not report it. */
  readonly bytes: () => number | null
  readonly boundHeaps: ReturnType<typeof heapGrowth>
  readonly boundYoung: () => void
  readonly tune: (environment: Environment) => Allocator | null
}

const ofProcess = (): Watched => ({
  bytes: ownBytes,
  boundHeaps: heapGrowth((percent) => setFlag(`--heap-growing-percent=${percent}`)),
  boundYoung: youngHeapBound(),
  tune: tuneAllocator,
})

/**
 * Samples the memory of the process four times a second. Call it once, on the main thread. Does
 * nothing if the system does not report memory. `environment`: of the process.
 */
export function watchMemory(environment: Environment, watched: Watched = ofProcess()): void {
  const { bytes: read, boundHeaps, boundYoung, tune } = watched
  if (!isTuned || read() === null) return
  let mayChangeFlags = false
  setTimeout(() => {
    mayChangeFlags = true
  }, FLAGS_PAUSE_MS).unref()
  setTimeout(() => {
    const allocator = tune(environment)
    if (allocator !== null) processTrimming = trimming(allocator.trim)
  }, ALLOCATOR_PAUSE_MS).unref()
  const sample = (): void => {
    const bytes = read()
    if (bytes === null) return
    if (mayChangeFlags) {
      boundHeaps({ bytes, documents: documentsOfLargestIndex() })
      boundYoung()
    }
    processTrimming?.sample(bytes)
  }
  setInterval(sample, SAMPLE_MS).unref()
}

export type Trimming = {
  /** Receives the size of each sample. */
  readonly sample: (bytes: number) => void
  /** Trims now, or as soon as the running trim has ended. */
  readonly request: () => void
}

/**
 * Calls `trim` on request, and when the process has grown since its smallest size after the last
 * trim: one at a time, and without a request with a pause in between.
 */
export function trimming(trim: (done: () => void) => void): Trimming {
  /** The smallest size since the last trim; null before the first sample. */
  let smallest: number | null = null
  let isTrimming = false
  let isRequested = false
  /** Samples since the last trim began. */
  let samples = TRIM_SAMPLES_MIN
  const begin = (): void => {
    isTrimming = true
    samples = 0
    trim(() => {
      isTrimming = false
      smallest = null
      if (!isRequested) return
      isRequested = false
      begin()
    })
  }
  const sample = (bytes: number): void => {
    samples++
    if (isTrimming) return
    smallest = Math.min(smallest ?? bytes, bytes)
    if (bytes < smallest + TRIM_GROWTH_BYTES || samples < TRIM_SAMPLES_MIN) return
    begin()
  }
  const request = (): void => {
    if (isTrimming) isRequested = true
    else begin()
  }
  return { sample, request }
}

/**
 * Resident memory without mapped files (proc_pid_status(5)), or null if the system does not report
 * it.
 */
export function ownBytes(): number | null {
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
