// What a person has asked for, as the body of a request: filters out of ticked boxes and ranges,
// and further searches for the counts of facets that are already refined.

/** From the low end to the high one, both within; null: open. */
export type Range = { readonly low: number | null; readonly high: number | null }

export type Question = {
  readonly index: string
  readonly q: string
  /** `price:asc`; empty: by relevance. */
  readonly sort: string
  /** Which makes vectors of what is typed; empty: words alone. */
  readonly embedder: string
  /** The share of meaning beside words, from 0 to 1. */
  readonly ratio: number
  /** Facet → values of which one has to be there. */
  readonly ticked: ReadonlyMap<string, ReadonlySet<string>>
  readonly ranges: ReadonlyMap<string, Range>
}

export const PAGE_HITS = 20
export const RATIO_DEFAULT = 0.5
/** Around what is to be marked; characters that no text has, and harmless in one that does. */
export const MARK_BEGINS = '\ue000'
export const MARK_ENDS = '\ue001'
const CROP_WORDS = 45

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

/** One text a facet: the values of one are alternatives, facets restrict each other. */
export function filtersOf(question: Question): ReadonlyMap<string, string> {
  const filters = new Map<string, string>()
  for (const [facet, values] of question.ticked) {
    if (values.size === 0) continue
    filters.set(facet, `${quoted(facet)} IN [${[...values].map(quoted).join(', ')}]`)
  }
  for (const [facet, { low, high }] of question.ranges) {
    const parts = [
      ...(low === null ? [] : [`${quoted(facet)} >= ${low}`]),
      ...(high === null ? [] : [`${quoted(facet)} <= ${high}`]),
    ]
    if (parts.length > 0) filters.set(facet, parts.join(' AND '))
  }
  return filters
}

export type SearchBody = { readonly [member: string]: unknown }

/**
 * Searches for one round: hits and facets first, then for each refined facet its values without
 * its own filter. Further pages do without facets.
 */
export function searchesFor(
  question: Question,
  offset: number,
  hasFacets: boolean,
): readonly SearchBody[] {
  const filters = filtersOf(question)
  const { index: indexUid, q, sort, embedder, ratio } = question
  const hybrid = embedder === '' ? {} : { hybrid: { embedder, semanticRatio: ratio } }
  const first = {
    indexUid,
    q,
    offset,
    limit: PAGE_HITS,
    filter: [...filters.values()],
    ...(sort === '' ? {} : { sort: [sort] }),
    ...hybrid,
    ...(hasFacets ? { facets: ['*'] } : {}),
    attributesToHighlight: ['*'],
    attributesToCrop: ['*'],
    cropLength: CROP_WORDS,
    highlightPreTag: MARK_BEGINS,
    highlightPostTag: MARK_ENDS,
    showRankingScore: true,
    showRankingScoreDetails: true,
  }
  if (!hasFacets) return [first]
  const others = [...filters.keys()].map((facet) => ({
    indexUid,
    q,
    ...hybrid,
    limit: 0,
    facets: [facet],
    filter: [...filters].filter(([other]) => other !== facet).map(([, filter]) => filter),
  }))
  return [first, ...others]
}

type Counts = { readonly [value: string]: number }
type FacetStats = { readonly min: number; readonly max: number }
export type Facet = {
  readonly name: string
  readonly counts: Counts
  /** Where it holds numbers. */
  readonly stats: FacetStats | null
}

export type Answer = {
  readonly hits: readonly Hit[]
  readonly estimatedTotalHits?: number
  readonly processingTimeMs: number
  readonly facetDistribution?: { readonly [facet: string]: Counts }
  readonly facetStats?: { readonly [facet: string]: FacetStats }
}
export type Hit = { readonly [field: string]: unknown }

/** Coordinates are filtered by distance, and their numbers are of no use as a list or a range. */
const GEO_FACET = /^_geo(?:json)?(?:$|\.)/

/**
 * Facets of the first answer, without coordinates. The values of a facet that is refined come from
 * the search that was made for it.
 */
export function facetsOf(question: Question, answers: readonly Answer[]): readonly Facet[] {
  const merged = new Map<string, Facet>()
  const [first, ...others] = answers
  const add = (answer: Answer | undefined): void => {
    for (const [name, counts] of Object.entries(answer?.facetDistribution ?? {})) {
      merged.set(name, { name, counts, stats: answer?.facetStats?.[name] ?? null })
    }
  }
  add(first)
  for (const answer of others) add(answer)
  for (const name of filtersOf(question).keys()) {
    if (!merged.has(name)) merged.set(name, { name, counts: {}, stats: null })
  }
  return [...merged.values()].filter(({ name }) => !GEO_FACET.test(name))
}

/** Facets with something to choose from, and the names of the others. */
export function partedFacets(
  question: Question,
  facets: readonly Facet[],
): { readonly filled: readonly Facet[]; readonly empty: readonly string[] } {
  const filters = filtersOf(question)
  const isFilled = ({ name, counts, stats }: Facet): boolean =>
    stats !== null || filters.has(name) || Object.keys(counts).length > 0
  return {
    filled: facets.filter(isFilled),
    empty: facets.filter((facet) => !isFilled(facet)).map(({ name }) => name),
  }
}

/** Values as they are shown: ticked ones first, then by count, then by name. */
export function valuesOf(
  { counts }: Facet,
  ticked: ReadonlySet<string>,
): readonly { readonly value: string; readonly count: number }[] {
  const names = new Set([...ticked, ...Object.keys(counts)])
  return [...names]
    .map((value) => ({ value, count: counts[value] ?? 0 }))
    .sort(
      (a, b) =>
        Number(ticked.has(b.value)) - Number(ticked.has(a.value)) ||
        b.count - a.count ||
        a.value.localeCompare(b.value),
    )
}

/** A text with marks as its pieces: those at odd places are marked. */
export function markedPieces(text: string): readonly string[] {
  const pieces: string[] = []
  let at = 0
  while (at <= text.length) {
    const begin = text.indexOf(MARK_BEGINS, at)
    const end = begin < 0 ? -1 : text.indexOf(MARK_ENDS, begin)
    if (end < 0) break
    pieces.push(text.slice(at, begin), text.slice(begin + 1, end))
    at = end + 1
  }
  pieces.push(text.slice(at))
  return pieces
}
