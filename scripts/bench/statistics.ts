// What many measurements of one thing say together. Quantiles rather than means: on a machine with
// other work the slow samples measure that work.

export type Summary = {
  readonly samples: number
  readonly min: number
  readonly p25: number
  readonly p50: number
  readonly p75: number
  readonly p95: number
  /** Interquartile range as a share of the median: how far a result can be trusted. */
  readonly spread: number
}

/**
 * Of ascending `sorted`, between its neighbours where it falls between them. `share` from 0 to 1.
 */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN
  const place = share * (sorted.length - 1)
  const below = Math.floor(place)
  const low = sorted[below]!
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!
  return low + (high - low) * (place - below)
}

/** The order of `values` does not matter; there is at least one. */
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

/** Below this a difference between two runs of a process means nothing, however steady each was. */
export const NOISE_MIN = 0.04

type Compared = Pick<Summary, 'p50' | 'min' | 'spread'>

/**
 * What became of a time: `ratio` is now by then, so that 0.5 is twice as fast. It counts only when
 * the medians differ by more than the spread of either, and the fastest samples, which other work
 * on the machine disturbs least, differ the same way.
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
