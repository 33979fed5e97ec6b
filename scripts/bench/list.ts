// All benchmarks, in the order in which they run, and the choice of some by name.
import type { Benchmark } from './benchmark.ts'
import { COLUMNS_BENCHMARKS } from './columns.bench.ts'
import { DOCUMENTS_BENCHMARKS } from './documents.bench.ts'
import { FST_BENCHMARKS } from './fst.bench.ts'
import { IDSET_BENCHMARKS } from './idset.bench.ts'
import { JSON_BENCHMARKS } from './json.bench.ts'
import { LOGS_BENCHMARKS } from './logs.bench.ts'
import { PIPELINE_BENCHMARKS } from './pipeline.bench.ts'
import { POSTINGS_BENCHMARKS } from './postings.bench.ts'
import { TEXT_BENCHMARKS } from './text.bench.ts'
import { VECTORS_BENCHMARKS } from './vectors.bench.ts'

export const BENCHMARKS: readonly Benchmark[] = [
  ...FST_BENCHMARKS,
  ...IDSET_BENCHMARKS,
  ...POSTINGS_BENCHMARKS,
  ...TEXT_BENCHMARKS,
  ...JSON_BENCHMARKS,
  ...DOCUMENTS_BENCHMARKS,
  ...COLUMNS_BENCHMARKS,
  ...VECTORS_BENCHMARKS,
  ...LOGS_BENCHMARKS,
  ...PIPELINE_BENCHMARKS,
]

/**
 * Returns the benchmarks whose names equal or begin with one of `names`: `fst` chooses `fst/build`.
 * An empty list chooses all. `unknown` lists names that choose nothing.
 */
export function choose(
  benchmarks: readonly Benchmark[],
  names: readonly string[],
): { readonly chosen: readonly Benchmark[]; readonly unknown: readonly string[] } {
  const fits = (wanted: string, { name }: Benchmark): boolean =>
    name === wanted || name.startsWith(wanted.endsWith('/') ? wanted : `${wanted}/`)
  const chosen = benchmarks.filter((benchmark) => {
    return names.length === 0 || names.some((name) => fits(name, benchmark))
  })
  const unknown = names.filter((name) => !benchmarks.some((benchmark) => fits(name, benchmark)))
  return { chosen, unknown }
}
