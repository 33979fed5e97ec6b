// Metrics of a ranking against judged documents, as trec_eval and BEIR compute them. Formulas and
// sources: docs/measuring-relevance.md

/** Document → grade. A document that is absent, or has the grade 0, is not relevant. */
export type Grades = ReadonlyMap<string, number>

/** `linear`: the grade itself; `exponential`: 2^grade − 1. */
export type Gain = 'linear' | 'exponential'

export type Cutoffs = {
  /** Hits that count for nDCG and MRR. */
  readonly k: number
  /** Hits that count for recall. */
  readonly depth: number
}

/** Each from 0 to 1. */
export type Metrics = { readonly ndcg: number; readonly recall: number; readonly mrr: number }

/** `hits`: ids, best first, each once. At least one of the grades must be above 0. */
export function metricsOf(
  hits: readonly string[],
  grades: Grades,
  { k, depth }: Cutoffs,
  gain: Gain,
): Metrics {
  const isRelevant = (id: string): boolean => (grades.get(id) ?? 0) > 0
  const best = [...grades.values()].sort((a, b) => b - a).slice(0, k)
  const found = hits.slice(0, k).map((id) => grades.get(id) ?? 0)
  const relevant = [...grades.values()].filter((grade) => grade > 0).length
  const first = hits.slice(0, k).findIndex(isRelevant)
  return {
    ndcg: discounted(found, gain) / discounted(best, gain),
    recall: hits.slice(0, depth).filter(isRelevant).length / relevant,
    mrr: first < 0 ? 0 : 1 / (first + 1),
  }
}

/** Returns the mean of each metric. `all` is not empty. */
export function meanOf(all: readonly Metrics[]): Metrics {
  const mean = (name: keyof Metrics): number =>
    all.reduce((sum, metrics) => sum + metrics[name], 0) / all.length
  return { ndcg: mean('ndcg'), recall: mean('recall'), mrr: mean('mrr') }
}

/** Sums the gains; the one at rank r, from 1, is divided by log2(r + 1). */
const discounted = (grades: readonly number[], gain: Gain): number =>
  grades.reduce(
    (sum, grade, i) => sum + (gain === 'linear' ? grade : 2 ** grade - 1) / Math.log2(i + 2),
    0,
  )
