// Counts each distinct value once among the documents of several instances. For pages with a total,
// each instance sends one document for each of its values. If instances send several documents for
// one value, the first in the order of external ids counts, so that totals and facets are the same
// from every instance.
import type { ExactNumber } from '../../../format/bytes/index.ts'
import { normalizeFacet } from '../../text/index.ts'
import type { FacetStats } from '../facets/index.ts'
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
  const counted = parts.map((): Counted => ({ kept: [], rejected: [] }))
  let total = 0
  for (const { part, values } of all) {
    const isKept = merger.admit(distinctValues(values, field))
    if (isKept) total++
    counted[part]![isKept ? 'kept' : 'rejected'].push(values)
  }
  return { total, facets: parts.map((part, i) => facetsOf(part, counted[i]!)) }
}

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
 * if they are not known: then minima and maxima may be those of a rejected document.
 */
export function facetsWithout(
  facets: Facets,
  rejected: readonly FieldValues[],
  kept: readonly FieldValues[] | null,
): Facets {
  if (rejected.length === 0) return facets
  const distribution = new Map(
    [...facets.distribution].map(([field, counts]) => {
      return [field, withoutValues(counts, rejected, field)] as const
    }),
  )
  if (kept === null) return { distribution, stats: facets.stats }
  const stats = new Map<string, FacetStats>()
  for (const field of facets.stats.keys()) {
    const found = statsOf(kept, field)
    if (found !== null) stats.set(field, found)
  }
  return { distribution, stats }
}

/**
 * Subtracts the values of rejected documents from the counts. Facets show values as written, while
 * documents hold them normalized.
 */
function withoutValues(
  counts: ReadonlyMap<string, number>,
  rejected: readonly FieldValues[],
  field: string,
): ReadonlyMap<string, number> {
  const left = new Map(counts)
  const shownAs = new Map([...counts.keys()].map((value) => [normalizeFacet(value), value]))
  for (const values of rejected) {
    for (const value of new Set(valuesOf(values, field).map(sentText))) {
      const shown = left.has(value) ? value : shownAs.get(value)
      const count = shown === undefined ? undefined : left.get(shown)
      if (shown === undefined || count === undefined) continue
      if (count > 1) left.set(shown, count - 1)
      else left.delete(shown)
    }
  }
  return left
}

function statsOf(kept: readonly FieldValues[], field: string): FacetStats | null {
  let min: ExactNumber | null = null
  let max: ExactNumber | null = null
  for (const values of kept) {
    for (const sent of valuesOf(values, field)) {
      const value = receivedNumber(sent)
      if (value === null) continue
      min = min === null || value < min ? value : min
      max = max === null || value > max ? value : max
    }
  }
  return min === null || max === null ? null : { min, max }
}
