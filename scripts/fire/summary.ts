// Summarizes many measured values in a line.

/** `median 3 · p99 9 · most 12 ms`; an empty list has a separate text. */
export function summary(values: readonly number[], unit: string): string {
  if (values.length === 0) return 'nothing was measured'
  const parts = [
    `median ${rounded(percentile(values, 0.5))}`,
    `p99 ${rounded(percentile(values, 0.99))}`,
    `most ${rounded(Math.max(...values))}`,
  ]
  return `${parts.join(' · ')} ${unit} (${values.length} measured)`
}

/** Returns the value that this share of all values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0
}

const rounded = (value: number): string => value.toFixed(value < 10 ? 1 : 0)
