// Measures how long this machine kept a process from running. On a loaded machine all processes of
// a test pause at times; time limits of a server then prove nothing.
import { existsSync, readFileSync } from 'node:fs'

const LOOK_MS = 50
/** Shorter pauses are usual. */
const STALL_MS = 200

export class Stalls {
  #totalMs = 0
  #seenAt = performance.now()
  readonly #timer: NodeJS.Timeout

  constructor() {
    this.#timer = setInterval(() => this.#check(), LOOK_MS)
    this.#timer.unref()
  }

  #check(): void {
    const now = performance.now()
    const late = now - this.#seenAt - LOOK_MS
    this.#seenAt = now
    if (late >= STALL_MS) this.#totalMs += late
  }

  /** Milliseconds since the beginning for which this process did not run. */
  get totalMs(): number {
    this.#check()
    return this.#totalMs
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

const PRESSURE = '/proc/pressure/cpu'

/**
 * Returns the milliseconds since the start of the machine in which a process waited for a
 * processor, or 0 if the system does not report them.
 */
export function processorWaitMs(): number {
  if (!existsSync(PRESSURE)) return 0
  const micros = /^some .*total=(\d+)/m.exec(readFileSync(PRESSURE, 'utf8'))?.[1]
  return Number(micros ?? 0) / 1000
}
