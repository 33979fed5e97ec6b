// Measures prepared work for some time: a warm-up, then samples of several runs each, long enough
// for the clock. Times are never asserted.
import type { Work } from './benchmark.ts'
import { type Summary, summarize } from './statistics.ts'

export type Measured = {
  /** Nanoseconds per operation. */
  readonly time: Summary
  /** The result of a run: two measurements with different results did different work. */
  readonly result: number
}

export type MeasureOptions = {
  /** Duration of sampling without the warm-up. At least `SAMPLES_MIN` samples are taken. */
  readonly seconds: number
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
}

export const SAMPLES_MIN = 3
const SAMPLES_MAX = 5_000
/** A sample lasts at least this long: a thousand times the clock's step. */
const SAMPLE_MS_MIN = 1
/** Ends a sample even if the clock does not show the time of its runs. */
const SAMPLE_RUNS_MAX = 100_000
const WARM_UP_SHARE = 0.3
const WARM_UP_RUNS_MIN = 2

/** @throws if a run returns another result than the first one */
export async function measure(work: Work, { seconds, now }: MeasureOptions): Promise<Measured> {
  const result = { value: Number.NaN }
  const firstMs = await timed(work, 1, result, now)
  let fastestMs = firstMs
  let runs = 1
  const warmEnd = now() + seconds * 1000 * WARM_UP_SHARE
  while (runs < WARM_UP_RUNS_MIN || (now() < warmEnd && firstMs < seconds * 1000)) {
    fastestMs = Math.min(fastestMs, await timed(work, 1, result, now))
    runs++
  }
  const wanted = Math.ceil(SAMPLE_MS_MIN / Math.max(fastestMs, 1e-6))
  const batch = Math.min(SAMPLE_RUNS_MAX, Math.max(1, wanted))
  const samples: number[] = []
  const end = now() + seconds * 1000
  while (samples.length < SAMPLES_MIN || (now() < end && samples.length < SAMPLES_MAX)) {
    const ms = await timed(work, batch, result, now)
    samples.push((ms * 1e6) / (batch * work.operations))
  }
  return { time: summarize(samples), result: result.value }
}

/** Returns milliseconds of `runs` runs. */
async function timed(
  work: Work,
  runs: number,
  result: { value: number },
  now: () => number,
): Promise<number> {
  const before = now()
  for (let i = 0; i < runs; i++) {
    // Awaiting a plain number would cost more than some of the runs.
    const given = work.run()
    const value = typeof given === 'number' ? given : await given
    if (Number.isNaN(result.value)) result.value = value
    else if (value !== result.value) {
      throw new Error(`A run gave ${value} where the first one gave ${result.value}.`)
    }
  }
  return now() - before
}
