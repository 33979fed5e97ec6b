// Counts each distinct value once among the documents of several instances. For pages with a total,
// each instance sends one document for each of its values. If instances send several documents for
// one value, the first in the order of external ids counts, so that totals and facets are the same
// from every instance.
import type { ExactNumber } from '../../../format/bytes/index.ts'
import { normalizeFacet } from '../../text/index.ts'
import { type CountedFacet, type FacetStats, type FacetSums, keysOf } from '../facets/index.ts'
import { compareExternalIds } from '../segments/index.ts'
import { DistinctMerger } from './distinct-merger.ts'
import type { Facets } from './facets.ts'
import type { FieldValues } from './partial-answer.ts'
import type { ReceivedAnswer } from './received-answer.ts'
import { receivedNumber, sentKey, sentText } from './sent-number.ts'

export type FacetsByIndex = Pick<ReceivedAnswer, 'facetsByIndex'>

export type DistinctCount = {
  readonly total: number
  /** The facets of each part, without its documents that do not count. */
  readonly facets: readonly FacetsByIndex[]
}

type Counted = { readonly kept: FieldValues[]; readonly rejected: FieldValues[] }

/**
 * Counts the values of all parts together. Returns null if a part has not sent its documents or has
 * sent the documents of another field.
 */
export function countDistinct(parts: readonly ReceivedAnswer[]): DistinctCount | null {
  const field = parts[0]?.distinct?.field
  if (field === undefined) return null
  if (parts.some(({ distinct }) => distinct?.field !== field)) return null
  const all = parts.flatMap(({ distinct }, part) =>
    distinct!.documents.map(([id, values]) => ({ id: Buffer.from(id), part, values })),
  )
  all.sort((a, b) => compareExternalIds(a.id, b.id))
  const merger = new DistinctMerger()
  const pinned = parts.map(pinnedIds)
  const counted = parts.map((): Counted => ({ kept: [], rejected: [] }))
  let total = 0
  for (const { id, part, values } of all) {
    // A pinned document counts, and does not hide others with its value.
    const isPinned = pinned[part]!.has(id.toString())
    const isKept = isPinned || merger.admit(distinctValues(values, field))
    if (isKept) total++
    counted[part]![isKept ? 'kept' : 'rejected'].push(values)
  }
  return { total, facets: parts.map((part, i) => facetsOf(part, counted[i]!)) }
}

const pinnedIds = ({ pinned }: ReceivedAnswer): ReadonlySet<string | undefined> =>
  new Set(Array.from({ length: pinned.length }, (_, at) => pinned.keyAt(at).externalId))

/** Returns the distinct values, normalized. A blank text is not a value. */
const distinctValues = (values: FieldValues, field: string): readonly string[] =>
  valuesOf(values, field)
    .filter((value) => value !== '')
    .map(sentKey)

function valuesOf(values: FieldValues, field: string): readonly unknown[] {
  const value = Object.hasOwn(values, field) ? values[field] : undefined
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

function facetsOf({ facetsByIndex }: FacetsByIndex, { kept, rejected }: Counted): FacetsByIndex {
  const left = [...facetsByIndex].map(
    ([uid, facets]) => [uid, facetsWithout(facets, rejected, kept)] as const,
  )
  return { facetsByIndex: new Map(left) }
}

/**
 * Returns the facets without rejected documents. `kept` are all other documents that count, or null
 * if they are not known: then minima and maxima may be those of a rejected document. Disjunctive
 * facets stay, because other documents count for them.
 */
export function facetsWithout(
  facets: Facets,
  rejected: readonly FieldValues[],
  kept: readonly FieldValues[] | null,
): Facets {
  if (rejected.length === 0) return facets
  const { counted } = facets
  const distribution = new Map<string, ReadonlyMap<string, number>>()
  for (const [field, counts] of facets.distribution) {
    const facet = counted.get(field)!
    const left = facet.isDisjunctive ? counts : withoutValues(counts, rejected, facet)
    distribution.set(field, left)
  }
  const stats = new Map<string, FacetStats>()
  for (const [field, own] of facets.stats) {
    const { isDisjunctive, hasSums } = counted.get(field)!
    const isKnown = kept !== null && !isDisjunctive
    const found = isKnown
      ? statsOf(kept, field, hasSums)
      : isDisjunctive
        ? own
        : lessSums(own, rejected, field)
    if (found !== null) stats.set(field, found)
  }
  return { distribution, stats, counted }
}

/**
 * Subtracts the values of rejected documents from the counts. Facets show values as written, while
 * documents hold them normalized.
 */
function withoutValues(
  counts: ReadonlyMap<string, number>,
  rejected: readonly FieldValues[],
  { field, buckets }: CountedFacet,
): ReadonlyMap<string, number> {
  const left = new Map(counts)
  const shownAs = new Map([...counts.keys()].map((value) => [normalizeFacet(value), value]))
  for (const values of rejected) {
    const own = valuesOf(values, field)
    const keys = buckets === null ? own.map(sentText) : keysOf(buckets, numbersIn(own))
    for (const value of new Set(keys)) {
      const shown = left.has(value) ? value : shownAs.get(value)
      const count = shown === undefined ? undefined : left.get(shown)
      if (shown === undefined || count === undefined) continue
      if (count > 1 || buckets?.listed.includes(shown) === true) left.set(shown, count - 1)
      else left.delete(shown)
    }
  }
  return left
}

const numbersIn = (values: readonly unknown[]): readonly ExactNumber[] =>
  values.flatMap((sent) => receivedNumber(sent) ?? [])

/** Subtracts the numbers of rejected documents from sums. */
function lessSums(
  stats: FacetStats,
  rejected: readonly FieldValues[],
  field: string,
): FacetStats | null {
  if (stats.sums === undefined) return stats
  const { sum, count } = sumsOf(rejected.flatMap((values) => numbersIn(valuesOf(values, field))))
  if (count >= stats.sums.count) return null
  return { ...stats, sums: { sum: stats.sums.sum - sum, count: stats.sums.count - count } }
}

const sumsOf = (numbers: readonly ExactNumber[]): FacetSums => ({
  sum: numbers.reduce((sum: number, value) => sum + Number(value), 0),
  count: numbers.length,
})

function statsOf(kept: readonly FieldValues[], field: string, hasSums: boolean): FacetStats | null {
  const numbers = kept.flatMap((values) => numbersIn(valuesOf(values, field)))
  const [first, ...others] = numbers
  if (first === undefined) return null
  let [min, max] = [first, first]
  for (const value of others) {
    min = value < min ? value : min
    max = value > max ? value : max
  }
  return hasSums ? { min, max, sums: sumsOf(numbers) } : { min, max }
}
