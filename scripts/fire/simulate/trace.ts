// The events of a simulation, in order: a hash over all of them, and the last lines for a report.
import { createHash } from 'node:crypto'

const SHOWN = 60

export class Trace {
  readonly #hash = createHash('sha256')
  readonly #last: string[] = []
  /** Receives every line, for a replay that is watched. */
  readonly #watch: ((line: string) => void) | null
  lines = 0

  constructor(watch: ((line: string) => void) | null = null) {
    this.#watch = watch
  }

  add(ms: number, who: string, what: string): void {
    const line = `${(ms / 1000).toFixed(3).padStart(9)} ${who.padEnd(7)} ${what}`
    this.#hash.update(`${line}\n`)
    this.#last.push(line)
    if (this.#last.length > SHOWN) this.#last.shift()
    this.lines++
    this.#watch?.(line)
  }

  /** The last lines, the oldest first. */
  get last(): readonly string[] {
    return this.#last
  }

  /** The hash over all lines so far. */
  digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16)
  }
}
