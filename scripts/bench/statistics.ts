// Statistics of many measurements. Quantiles instead of means: on a machine with other work the
// slow samples measure that work.

export type Summary = {
  readonly samples: number
  readonly min: number
  readonly p50: number
  /** Interquartile range as a share of the median: the reliability of a result. */
  readonly spread: number
}

/** `values` may be in any order; at least one is required. */
export function summarize(values: readonly number[]): Summary {
  const sorted = Float64Array.from(values).sort()
  const quantile = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))]!
  const p50 = quantile(0.5)
  const spread = p50 > 0 ? (quantile(0.75) - quantile(0.25)) / p50 : 0
  return { samples: sorted.length, min: quantile(0), p50, spread }
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
