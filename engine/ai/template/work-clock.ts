// Measures how long this thread has worked, without the time in which other threads had the
// processor.
//
// Node reports the time of one thread from release 23.9 on. Before, the wall clock is read at every
// step, and an interval between two steps counts up to a limit: a step takes microseconds, a longer
// interval mostly means that the thread waited. Steps that really take longer are bounded by the
// limit on output, and by the time after which the thread is terminated.
import { STEP_MS_MAX } from './limits.ts'

/** Microseconds. */
type CpuUsage = { readonly user: number; readonly system: number }

export type ClockSources = {
  /** Milliseconds. */
  readonly wall: () => number
  /** Time of this thread, or null if this Node does not report it. */
  readonly cpu: (() => CpuUsage) | null
}

const { threadCpuUsage } = process as { readonly threadCpuUsage?: () => CpuUsage }

const OF_THIS_THREAD: ClockSources = {
  wall: () => performance.now(),
  cpu: threadCpuUsage === undefined ? null : () => threadCpuUsage.call(process),
}

export class WorkClock {
  readonly #sources: ClockSources
  readonly #cpuAtStart: number
  #lastAt: number
  #steppedMs = 0

  constructor(sources: ClockSources = OF_THIS_THREAD) {
    this.#sources = sources
    this.#cpuAtStart = cpuMs(sources)
    this.#lastAt = sources.wall()
  }

  /** Returns the milliseconds so far; must be called at every step. */
  workedMs(): number {
    if (this.#sources.cpu !== null) return cpuMs(this.#sources) - this.#cpuAtStart
    const now = this.#sources.wall()
    this.#steppedMs += Math.min(now - this.#lastAt, STEP_MS_MAX)
    this.#lastAt = now
    return this.#steppedMs
  }
}

function cpuMs({ cpu }: ClockSources): number {
  if (cpu === null) return 0
  const { user, system } = cpu()
  return (user + system) / 1000
}
