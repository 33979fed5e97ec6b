// Statistics of many measurements. Quantiles instead of means: on a machine with other work the
// slow samples measure that work.

export type Summary = {
  readonly samples: number
  readonly min: number
  readonly p25: number
  readonly p50: number
  readonly p75: number
  readonly p95: number
  /** Interquartile range as a share of the median: the reliability of a result. */
  readonly spread: number
}

/** Returns the quantile of ascending `sorted`, interpolated between neighbours. `share`: 0 to 1. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN
  const place = share * (sorted.length - 1)
  const below = Math.floor(place)
  const low = sorted[below]!
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!
  return low + (high - low) * (place - below)
}

/** `values` may be in any order; at least one is required. */
export function summarize(values: readonly number[]): Summary {
  const sorted = Float64Array.from(values).sort()
  const [p25, p50, p75, p95] = [0.25, 0.5, 0.75, 0.95].map((share) => quantile(sorted, share))
  return {
    samples: sorted.length,
    min: sorted[0] ?? Number.NaN,
    p25: p25!,
    p50: p50!,
    p75: p75!,
    p95: p95!,
    spread: p50! > 0 ? (p75! - p25!) / p50! : 0,
  }
}

export type Verdict = 'faster' | 'slower' | 'same'

/** A smaller difference between two runs of a process is noise, however steady each was. */
export const NOISE_MIN = 0.04

type Compared = Pick<Summary, 'p50' | 'min' | 'spread'>

/**
 * Compares two times. `ratio` is now divided by then, so 0.5 means twice as fast. A difference
 * counts only if the medians differ by more than the spread of either, and the fastest samples,
 * which other work on the machine disturbs least, differ in the same direction.
 */
export function compare(
  then: Compared,
  now: Compared,
): { readonly ratio: number; readonly verdict: Verdict } {
  const ratio = now.p50 / then.p50
  const fastest = now.min / then.min
  const noise = 1 + Math.max(NOISE_MIN, then.spread, now.spread)
  if (ratio > noise && fastest > 1 + NOISE_MIN) return { ratio, verdict: 'slower' }
  if (ratio < 1 / noise && fastest < 1 / (1 + NOISE_MIN)) return { ratio, verdict: 'faster' }
  return { ratio, verdict: 'same' }
}
