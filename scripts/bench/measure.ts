// Runs prepared work for some time and takes its times: warm-up first, then samples of several runs
// each, long enough for the clock. Nothing is asserted about times.
import type { Work } from './benchmark.ts'
import { type Summary, summarize } from './statistics.ts'

export type Measured = {
  /** Nanoseconds an operation. */
  readonly time: Summary
  /** Milliseconds of the very first run, nothing compiled and no cache filled. */
  readonly firstMs: number
  /** What a run returned: two measurements with different results did different work. */
  readonly result: number
}

export type MeasureOptions = {
  /** How long samples are taken, warm-up not counted. At least `SAMPLES_MIN` are taken. */
  readonly seconds: number
  /** Milliseconds that only go forward. */
  readonly now: () => number
}

export const SAMPLES_MIN = 3
const SAMPLES_MAX = 5_000
/** A sample lasts at least this long: a thousand times the clock's step. */
const SAMPLE_MS_MIN = 1
/** So that a sample ends even of work that the clock cannot see. */
const SAMPLE_RUNS_MAX = 100_000
const WARM_UP_SHARE = 0.3
const WARM_UP_RUNS_MIN = 2

/** @throws when a run returns something else than the first one. */
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
  return { time: summarize(samples), firstMs, result: result.value }
}

/** Milliseconds of `runs` runs. */
async function timed(
  work: Work,
  runs: number,
  result: { value: number },
  now: () => number,
): Promise<number> {
  const before = now()
  for (let i = 0; i < runs; i++) {
    // Awaiting what is no promise would cost more than some of the runs.
    const given = work.run()
    const value = typeof given === 'number' ? given : await given
    if (Number.isNaN(result.value)) result.value = value
    else if (value !== result.value) {
      throw new Error(`A run gave ${value} where the first one gave ${result.value}.`)
    }
  }
  return now() - before
}
