// `svc-tools relevance`: sends each query of a judged set to a running server, in one or two
// variants, and scores the rankings.
import { anyObject, list, nullable, object, open, text } from '../../format/schema/index.ts'
import { askInstance, type Instance, LONG_ANSWER_MS } from '../remote/index.ts'
import { openProgress, type Terminal, ToolError } from '../terminal/index.ts'
import type { JudgedQuery, JudgedSet } from './judged.ts'
import { type Cutoffs, type Gain, type Metrics, meanOf, metricsOf } from './metrics.ts'

/** How to search: an index with its settings, and members of the search. */
export type Variant = {
  readonly index: string
  readonly search: { readonly [member: string]: unknown }
}

export type RelevanceOptions = Cutoffs & {
  readonly gain: Gain
  /** One, or two to compare. */
  readonly variants: readonly Variant[]
  /** The attribute of ids, or null for the primary key of each index. */
  readonly idAttribute: string | null
}

export type Scored = Metrics & {
  /** Ids of the first k hits. */
  readonly hits: readonly string[]
}

export type QueryResult = {
  readonly id: string
  readonly q: string
  /** Documents with a grade above 0. */
  readonly relevant: number
  /** One for each variant. */
  readonly scores: readonly Scored[]
  /** The best judged documents that are not among the first k hits of the last variant. */
  readonly missing: readonly string[]
}

export type RelevanceResult = Cutoffs & {
  readonly gain: Gain
  readonly variants: readonly (Variant & Metrics & { readonly withoutHits: number })[]
  readonly queries: readonly QueryResult[]
  /** Queries without a relevant document. */
  readonly omitted: readonly string[]
  /** Ids of queries, by nDCG of the second variant less that of the first; empty without one. */
  readonly won: readonly string[]
  readonly lost: readonly string[]
}

/** Smaller differences are rounding. */
const EQUAL = 1e-9
/** Documents that are named as missing. */
const MISSING_MAX = 3

type Hit = { readonly [member: string]: unknown }
const ANSWER = open(object<{ readonly hits: readonly Hit[] }>({ hits: list(anyObject) }))
type IndexHead = { readonly primaryKey: string | null }
const INDEX = open(object<IndexHead>({ primaryKey: nullable(text) }))

/** @throws ToolError */
export async function measureRelevance(
  instance: Instance,
  { queries, omitted }: JudgedSet,
  options: RelevanceOptions,
  terminal: Terminal,
): Promise<RelevanceResult> {
  const { variants, k, depth, gain } = options
  const keys: string[] = []
  for (const { index } of variants) {
    keys.push(options.idAttribute ?? (await primaryKeyOf(instance, index)))
  }
  const progress = openProgress(terminal, queries.length, 'count')
  const results: QueryResult[] = []
  const withoutHits = variants.map(() => 0)
  try {
    for (const query of queries) {
      const scores: Scored[] = []
      for (const [i, variant] of variants.entries()) {
        const ids = await idsOf(instance, query, variant, keys[i]!, options)
        if (ids.length === 0) withoutHits[i]!++
        const metrics = metricsOf(ids, query.grades, options, gain)
        scores.push({ ...metrics, hits: ids.slice(0, k) })
      }
      results.push(resultOf(query, scores))
      progress.at(results.length, query.q)
    }
  } finally {
    progress.end()
  }
  const ofVariant = (i: number): Metrics => meanOf(results.map(({ scores }) => scores[i]!))
  return {
    k,
    depth,
    gain,
    variants: variants.map((variant, i) => ({
      ...variant,
      ...ofVariant(i),
      withoutHits: withoutHits[i]!,
    })),
    queries: results,
    omitted,
    ...changesOf(results),
  }
}

async function primaryKeyOf(instance: Instance, index: string): Promise<string> {
  const path = `/indexes/${encodeURIComponent(index)}`
  const request = { method: 'GET', path, action: 'indexes.get' } as const
  const { primaryKey } = await askInstance(instance, request, INDEX)
  if (primaryKey !== null) return primaryKey
  throw new ToolError(`the index \`${index}\` has no primary key: are there documents in it?`)
}

/** Returns the ids of the hits, best first. */
async function idsOf(
  instance: Instance,
  query: JudgedQuery,
  { index, search }: Variant,
  key: string,
  { k, depth }: Cutoffs,
): Promise<readonly string[]> {
  const limit = Math.max(k, depth)
  const body = {
    ...search,
    ...query.search,
    q: query.q,
    limit,
    // Ranks count from the first hit.
    offset: undefined,
    page: undefined,
    hitsPerPage: undefined,
    attributesToRetrieve: [key],
  }
  const request = {
    method: 'POST',
    path: `/indexes/${encodeURIComponent(index)}/search`,
    body: JSON.stringify(body),
    action: 'search',
    // An embedder may have to be asked.
    answerMs: LONG_ANSWER_MS,
  } as const
  const { hits } = await askInstance(instance, request, ANSWER)
  return hits.map((hit) => {
    const id = hit[key]
    if (typeof id === 'string' || typeof id === 'number') return String(id)
    throw new ToolError(
      `hits of \`${index}\` have no \`${key}\`: add it to displayedAttributes, or name another ` +
        'attribute with --id',
    )
  })
}

function resultOf({ id, q, grades }: JudgedQuery, scores: readonly Scored[]): QueryResult {
  const hits = new Set(scores.at(-1)!.hits)
  const relevant = [...grades].filter(([, grade]) => grade > 0).sort(([, a], [, b]) => b - a)
  const missing = relevant.map(([document]) => document).filter((document) => !hits.has(document))
  return { id, q, relevant: relevant.length, scores, missing: missing.slice(0, MISSING_MAX) }
}

/** Returns the difference of nDCG between the second variant and the first. */
export const gainOf = ({ scores }: QueryResult): number =>
  scores.length < 2 ? 0 : scores[1]!.ndcg - scores[0]!.ndcg

/** Largest changes first. */
function changesOf(results: readonly QueryResult[]): Pick<RelevanceResult, 'won' | 'lost'> {
  const byGain = results.toSorted((a, b) => gainOf(b) - gainOf(a))
  return {
    won: byGain.filter((one) => gainOf(one) > EQUAL).map(({ id }) => id),
    lost: byGain
      .filter((one) => gainOf(one) < -EQUAL)
      .map(({ id }) => id)
      .toReversed(),
  }
}
