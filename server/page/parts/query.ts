// Builds request bodies from the state of the search view: hits, facets and the histograms of
// numbers. Reads facets and highlights from answers.

import { elementFacets, filterOf, joinedFacets, type Refined, refinedFacets } from './filters.ts'
import { type SearchOptions, wordMembers } from './search-options.ts'

export type Question = Refined & {
  readonly index: string
  readonly q: string
  /** For example `price:asc`; empty means by relevance. */
  readonly sort: string
  /** The embedder of hybrid searches; empty means keyword search only. */
  readonly embedder: string
  /** The semantic ratio, 0 (keywords only) to 1 (vectors only). */
  readonly ratio: number
  readonly options: SearchOptions
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

export type SearchBody = { readonly [member: string]: unknown }

/** Returns a search for a page of hits; the first page has the facets, others need none. */
export function searchFor(question: Question, offset: number, hasFacets: boolean): SearchBody {
  const { sort, options } = question
  return {
    ...narrowed(question),
    offset,
    limit: PAGE_HITS,
    ...(sort === '' ? {} : { sort: [sort] }),
    // Objects that meet the conditions decide the order, too.
    ...(sort === '' || elementFacets(question).size === 0 ? {} : { sortScope: 'match' }),
    ...(options.isExact && offset === 0 ? { countTotal: true } : {}),
    ...(hasFacets ? { facets: byCount('*'), disjunctiveFacets: aloneFacets(question) } : {}),
    attributesToHighlight: ['*'],
    attributesToCrop: ['*'],
    cropLength: CROP_WORDS,
    highlightPreTag: MARK_BEGINS,
    highlightPostTag: MARK_ENDS,
    showRankingScore: true,
    showRankingScoreDetails: true,
    showCorrection: offset === 0,
  }
}

/** The most frequent values first, because an answer does not have all values of each facet. */
const byCount = (attribute: string) => [{ attribute, order: 'count' }]

/** The refined facets whose conditions can be left out without those of others. */
function aloneFacets(question: Question): readonly string[] {
  const joined = new Set(joinedFacets(question))
  return refinedFacets(question).filter((facet) => !joined.has(facet))
}

/** Returns a search for the counts of each facet whose condition stands with those of others. */
export const countsFor = (question: Question): readonly SearchBody[] =>
  joinedFacets(question).map((facet) => ({
    ...narrowed(question, facet),
    limit: 0,
    facets: byCount(facet),
  }))

/** Returns an answer with the facets of others in place of its own. */
export function withCounts(answer: Answer, others: readonly Answer[]): Answer {
  if (others.length === 0) return answer
  const all = [answer, ...others]
  return {
    ...answer,
    facetDistribution: Object.assign({}, ...all.map((one) => one.facetDistribution)),
    facetStats: Object.assign({}, ...all.map((one) => one.facetStats)),
  }
}

/** The members that decide which documents are found, and which of their objects count. */
function narrowed(question: Question, without = ''): SearchBody {
  const { index: indexUid, q, embedder, ratio, options } = question
  const fusion = options.fusion === 'score' ? {} : { fusion: options.fusion }
  const hybrid = embedder === '' ? {} : { hybrid: { embedder, semanticRatio: ratio, ...fusion } }
  const scope = elementFacets(question).size === 0 ? {} : { facetScope: 'match' }
  const filter = filterOf(question, without)
  return { indexUid, q, filter, ...wordMembers(options), ...scope, ...hybrid }
}

/** Facets with a histogram: more would fill the side. */
const HISTOGRAMS_MAX = 6
const BARS_MAX = 24

/** Returns a search for the histograms of facets of different numbers, or null without these. */
export function histogramsFor(question: Question, facets: readonly Facet[]): SearchBody | null {
  const numeric = facets.filter(({ stats }) => stats !== null && stats.max > stats.min)
  if (numeric.length === 0) return null
  return {
    ...narrowed(question),
    limit: 0,
    facets: numeric.slice(0, HISTOGRAMS_MAX).map((facet) => ({
      attribute: facet.name,
      histogram: { interval: intervalOf(facet) },
      disjunctive: true,
    })),
  }
}

/** Returns the width of a bar: 1, 2 or 5 times a power of ten. */
export function intervalOf({ stats }: Facet): number {
  const least = stats === null ? 1 : (stats.max - stats.min) / BARS_MAX
  const power = 10 ** Math.floor(Math.log10(least))
  const step = [1, 2, 5].find((times) => times * power >= least) ?? 10
  return Number((step * power).toPrecision(1))
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

/** Returns the facets of an answer and those with a filter, without coordinates. */
export function facetsOf(question: Question, answer: Answer): readonly Facet[] {
  const found = new Map<string, Facet>()
  for (const [name, counts] of Object.entries(answer.facetDistribution ?? {})) {
    found.set(name, { name, counts, stats: answer.facetStats?.[name] ?? null })
  }
  for (const name of refinedFacets(question)) {
    if (!found.has(name)) found.set(name, { name, counts: {}, stats: null })
  }
  return [...found.values()].filter(({ name }) => !GEO_FACET.test(name))
}

/** Splits facets into those with values and the names of those without. */
export function partedFacets(
  question: Question,
  facets: readonly Facet[],
): { readonly filled: readonly Facet[]; readonly empty: readonly string[] } {
  const refined = new Set(refinedFacets(question))
  const isFilled = ({ name, counts, stats }: Facet): boolean =>
    stats !== null || refined.has(name) || Object.keys(counts).length > 0
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
