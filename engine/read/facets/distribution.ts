// Counts candidates by the values of a field. Orders, limits and exceptions are as recorded from
// the reference: keys of numbers are texts, keys of strings are the original of the lowest
// candidate.
import { compareBytes, decoder, type ExactNumber, exactText } from '../../../format/bytes/index.ts'
import type { CountingOrder } from '../../model/index.ts'
import { type FieldPart, MergedNumbers, MergedStrings, type StringHolder } from './merged-values.ts'
import { topByCount } from './top-counts.ts'
import { topStrings } from './top-strings.ts'

export type FacetOptions = {
  readonly order: CountingOrder
  /** `maxValuesPerFacet`: maximum number of values shown; see the exceptions below. */
  readonly limit: number
}

/** Up to this many candidates, numbers in alphabetical order are sorted as text. */
const TEXT_ORDER_CANDIDATES_MAX = 3000

/**
 * Key → number of candidates, in display order. A string whose text equals a number's key replaces
 * it, because both are keys of one map.
 */
export function distribution(
  parts: readonly FieldPart[],
  candidateCount: number,
  { order, limit }: FacetOptions,
): Map<string, number> {
  const facets = new Map<string, number>()
  if (limit === 0) return facets
  if (order === 'count') addByCount(parts, limit, facets)
  else if (candidateCount <= TEXT_ORDER_CANDIDATES_MAX) addAsText(parts, limit, facets)
  else addInOrder(parts, limit, facets)
  return facets
}

/** Numbers sorted as text, then strings; the limit applies to both together. */
function addAsText(parts: readonly FieldPart[], limit: number, facets: Map<string, number>): void {
  const numbers = new MergedNumbers(parts, Number.POSITIVE_INFINITY)
  const texts: [string, number][] = []
  while (numbers.next()) texts.push([exactText(numbers.value), numbers.count])
  texts.sort(([a], [b]) => (a < b ? -1 : 1))
  let left = limit
  for (const [text, count] of texts) {
    if (left-- === 0) return
    facets.set(text, count)
  }
  const strings = new MergedStrings(parts, left)
  for (; left > 0 && strings.next(); left--) facets.set(displayOf(strings.holders), strings.count)
}

/**
 * Numbers in numeric order, then strings. Each pass ends when the map has exactly `limit` keys: if
 * numbers have filled it already, strings are not stopped, as recorded.
 */
function addInOrder(parts: readonly FieldPart[], limit: number, facets: Map<string, number>): void {
  const numbers = new MergedNumbers(parts, limit)
  while (numbers.next()) {
    facets.set(exactText(numbers.value), numbers.count)
    if (facets.size === limit) break
  }
  const strings = new MergedStrings(parts, limit)
  while (strings.next()) {
    facets.set(displayOf(strings.holders), strings.count)
    if (facets.size === limit) break
  }
}

/**
 * Numbers by count, then strings by count, larger values first in a tie; limits as in `addInOrder`.
 */
function addByCount(parts: readonly FieldPart[], limit: number, facets: Map<string, number>): void {
  const all = Number.POSITIVE_INFINITY
  const values: ExactNumber[] = []
  const counted: number[] = []
  for (const numbers = new MergedNumbers(parts, all); numbers.next(); ) {
    values.push(numbers.value)
    counted.push(numbers.count)
  }
  for (const i of topByCount(Uint32Array.from(counted), limit)) {
    facets.set(exactText(values[i]!), counted[i]!)
    if (facets.size === limit) break
  }
  // A string may replace a number, so up to as many more strings are needed as there are numbers.
  const wanted = facets.size === limit ? all : limit + facets.size
  for (const { holders, count } of topStrings(parts, wanted)) {
    facets.set(displayOf(holders), count)
    if (facets.size === limit) break
  }
}

/** Returns the original of a value in the lowest candidate with that value. */
function displayOf(holders: readonly StringHolder[]): string {
  const first = holders[0]!
  const text = singleOriginal(first)
  if (text !== null) {
    let isShared = true
    for (let i = 1; i < holders.length && isShared; i++) {
      isShared = isSame(singleOriginal(holders[i]!), text)
    }
    if (isShared) return decoder.decode(text)
  }
  let lowest = first
  let lowestId = Number.POSITIVE_INFINITY
  for (const holder of holders) {
    const id = lowestCandidate(holder)
    if (id >= lowestId) continue
    lowest = holder
    lowestId = id
  }
  const { column } = lowest
  return decoder.decode(column.originalOf(column.variantIn(lowestId, lowest.ordinal)))
}

/**
 * Returns the original of a value that has the same one in all documents of its segment, else null.
 */
function singleOriginal({ column, ordinal }: StringHolder): Uint8Array | null {
  if (!column.isSingle(ordinal)) return null
  return column.originalOf(column.originals.firstVariant(ordinal))
}

const isSame = (a: Uint8Array | null, b: Uint8Array): boolean =>
  a !== null && compareBytes(a, b) === 0

function lowestCandidate({ part, column, ordinal }: StringHolder): number {
  const ids = column.postings.ids(ordinal)
  for (let i = 0; i < ids.length; i++) if (part.set.has(ids[i]!)) return ids[i]!
  return Number.POSITIVE_INFINITY
}
