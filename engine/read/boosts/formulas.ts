// The formulas of boosts (docs/search-semantics.md#boosts).
import type { Boost } from '../../model/index.ts'

/** Returns the factor of a value, without the weight. Negative values count as 0. */
export function functionOf({
  function: named,
  factor = 1,
  pivot = 1,
}: Boost): (value: number) => number {
  switch (named) {
    case 'log':
      return (value) => Math.log(factor + Math.max(0, value))
    case 'saturation':
      return (value) => (value > 0 ? 1 / (1 + pivot / value) : 0)
    default:
      return (value) => Math.min(factor * Math.max(0, value), Number.MAX_VALUE)
  }
}

/**
 * Returns the factor of a distance from the origin, without the weight: 1 up to `offset`, `decay`
 * at `offset + scale`.
 */
export function decayOf({
  shape,
  scale = 1,
  offset = 0,
  decay = 0.5,
}: Boost): (distance: number) => number {
  const beyond = (distance: number): number => Math.max(0, distance - offset)
  if (shape === 'exp') {
    const rate = Math.log(decay) / scale
    return (distance) => Math.exp(rate * beyond(distance))
  }
  if (shape === 'gauss') {
    const rate = Math.log(decay)
    return (distance) => Math.exp(rate * (beyond(distance) / scale) ** 2)
  }
  const zero = scale / (1 - decay)
  return (distance) => Math.max(0, (zero - beyond(distance)) / zero)
}
