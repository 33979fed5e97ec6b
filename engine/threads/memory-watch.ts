// Looks at the memory of the process, and does what keeps it small: bounds the growth of heaps, and
// has the allocator give back what is free.

import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { MiB } from '../../format/bytes/index.ts'
import { type Environment, tuneAllocator } from './allocator.ts'
import { heapGrowth } from './heap-growth.ts'
import { youngHeapBound } from './young-heap.ts'

const LOOK_MS = 250
/**
 * No flag of V8 changes before: the compiled form of a program is made three seconds after its
 * thread has started, and fits the flags it was made under.
 */
const FLAGS_PAUSE_MS = 6000
/** Nothing is loaded for the allocator before: the first requests come first. */
const ALLOCATOR_PAUSE_MS = 1000
/** Growth that is worth a look for free memory: heaps go up and down by about as much. */
const TRIM_GROWTH_BYTES = 16 * MiB
/** Looks between two trims, ten seconds: a trim takes 10 to 25 ms of a processor. */
const TRIM_LOOKS_MIN = 40

/**
 * Looks at the memory of the process four times a second: 40 µs each. Call it once, on the main
 * thread. Where the system does not tell, nothing happens. `environment`: that of the process.
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
  const look = (): void => {
    const bytes = ownBytes()
    if (bytes === null) return
    if (mayChangeFlags) {
      bound(bytes)
      boundYoung()
    }
    trimWhenGrown?.(bytes)
  }
  setInterval(look, LOOK_MS).unref()
}

/**
 * Calls `trim` when the process has grown since it was smallest after the last trim, one at a time
 * and with a pause in between. The result is told the size of the process at each look.
 */
export function trimming(trim: (done: () => void) => void): (bytes: number) => void {
  /** The smallest size since the last trim; null: there was no look yet. */
  let smallest: number | null = null
  let isTrimming = false
  /** Since the last trim began. */
  let looks = TRIM_LOOKS_MIN
  return (bytes) => {
    looks++
    if (isTrimming) return
    smallest = Math.min(smallest ?? bytes, bytes)
    if (bytes < smallest + TRIM_GROWTH_BYTES || looks < TRIM_LOOKS_MIN) return
    isTrimming = true
    looks = 0
    trim(() => {
      isTrimming = false
      smallest = null
    })
  }
}

/** Resident memory without mapped files (proc_pid_status(5)); null: the system does not tell. */
function ownBytes(): number | null {
  if (process.platform !== 'linux') return null
  try {
    const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(
      readFileSync('/proc/self/status', 'latin1'),
    )?.[1]
    return kibibytes === undefined ? null : Number(kibibytes) * 1024
  } catch (error) {
    // No /proc, or no descriptor left: nothing is changed.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    return null
  }
}
