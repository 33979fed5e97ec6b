// Values of metrics at one moment, before they are formatted.
import type { MetricName } from './metrics.table.ts'
import type { RequestTimes } from './request-tally.ts'

export type Sample = {
  readonly labels: { readonly [label: string]: string }
  readonly value: number
}

export type Samples = ReadonlyMap<MetricName, readonly Sample[]>

/** Returns the text of all metrics; histograms come from `times`. */
export type Writer = (
  samples: readonly (readonly [MetricName, readonly Sample[]])[],
  times: readonly RequestTimes[],
) => Promise<string>
