// Random numbers: seeded ones for tests and fakes, and the one thing on disk that nobody may guess.
import { randomInt } from 'node:crypto'

export type Random = {
  /** A whole number from 0 to `bound` − 1. */
  readonly below: (bound: number) => number
}

/** The salt of a new log: see format/log/LOG.md, "Where a log ends". */
export const drawLogSalt = (): number => randomInt(1, 0x100000000)

/** A small seeded generator (splitmix32, after Steele, Lea and Flood, 2014). */
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
