// Random numbers: seeded ones for tests and fakes, and the unpredictable salt of logs.
import { randomInt } from 'node:crypto'

export type Random = {
  /** Returns a whole number from 0 to `bound` − 1. */
  readonly below: (bound: number) => number
}

/** Draws the salt of a new log: see format/log/LOG.md, "Where a log ends". */
export const drawLogSalt = (): number => randomInt(1, 0x100000000)

/** Returns a small seeded generator (splitmix32, after Steele, Lea and Flood, 2014). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0
    let z = state
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad)
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97)
    return (z ^ (z >>> 15)) >>> 0
  }
  return { below: (bound) => next() % bound }
}
