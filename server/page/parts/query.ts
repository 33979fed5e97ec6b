// Builds request bodies from the state of the search view: filters from ticked boxes and ranges,
// and additional searches for the counts of refined facets. Reads facets and highlights from
// answers.

/** A range with both ends included; null means no limit. */
export type Range = { readonly low: number | null; readonly high: number | null }

export type Question = {
  readonly index: string
  readonly q: string
  /** For example `price:asc`; empty means by relevance. */
  readonly sort: string
  /** The embedder of hybrid searches; empty means keyword search only. */
  readonly embedder: string
  /** The semantic ratio, 0 (keywords only) to 1 (vectors only). */
  readonly ratio: number
  /** Ticked values by facet; a document must have at least one of them. */
  readonly ticked: ReadonlyMap<string, ReadonlySet<string>>
  readonly ranges: ReadonlyMap<string, Range>
}

export const PAGE_HITS = 20
export const RATIO_DEFAULT = 0.5
/**
 * Tags around highlighted words: private-use characters, which texts rarely contain and which do no
 * harm if they do.
 */
export const MARK_BEGINS = '\ue000'
export const MARK_ENDS = '\ue001'
const CROP_WORDS = 45

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

/**
 * Returns one filter per facet. The values of a facet are combined with OR, the facets with AND.
 */
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
 * Returns the searches of one request: hits and facets first, then one search per refined facet
 * without its own filter, for the counts of its values. Later pages need no facets.
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
    showCorrection: offset === 0,
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
  /** Minimum and maximum, or null if the facet has no numbers. */
  readonly stats: FacetStats | null
}

export type Answer = {
  readonly hits: readonly Hit[]
  readonly estimatedTotalHits?: number
  readonly processingTimeMs: number
  /** Present if a word was found under another spelling only. */
  readonly correctedQuery?: string
  readonly facetDistribution?: { readonly [facet: string]: Counts }
  readonly facetStats?: { readonly [facet: string]: FacetStats }
}
export type Hit = { readonly [field: string]: unknown }

/** Coordinates are filtered by distance; lists or ranges of their numbers are not useful. */
const GEO_FACET = /^_geo(?:json)?(?:$|\.)/

/**
 * Returns the facets of the first answer, without coordinates. The values of a refined facet come
 * from its additional search.
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

/** Splits facets into those with values and the names of those without. */
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

/** Returns values in display order: ticked ones first, then by count, then by name. */
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

/** Splits a highlighted text into pieces; the pieces at odd positions are highlighted. */
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
