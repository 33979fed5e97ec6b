// Decides which of two hits of different searches comes first
// (docs/search-semantics.md#several-searches-in-one-list).
//
// Hits are compared by keys. A key lists the results of the ranking rules in their order;
// consecutive relevancy rules between two sorts are one number, multiplied by the weight of the
// search. Keys may differ in length: a search without words has no such numbers.
import { compareText, type ExactNumber, isExactNumber } from '../../../format/bytes/index.ts'
import {
  boundedScore,
  localScore,
  mergeRanks,
  type Rank,
  rankOf,
  type ScoreDetail,
  type SortValue,
  scaledScore,
} from '../rank/index.ts'
import { compareExternalTexts } from '../segments/index.ts'

/** The result of one sort, or of consecutive relevancy rules, for a hit. */
export type KeyPart =
  | { readonly kind: 'score'; readonly score: number }
  | {
      readonly kind: 'sort'
      readonly ascending: boolean
      readonly value: SortValue
      /** The value is not sent to other instances. */
      readonly isHidden?: boolean
    }
  | {
      readonly kind: 'geo'
      readonly ascending: boolean
      readonly distance: number | null
      readonly isHidden?: boolean
    }

export type MergeKey = {
  readonly parts: readonly KeyPart[]
  /** The global score multiplied by the weight, as hits show it. */
  readonly score: number
  /** Position of the search; the smaller one comes first in a tie. */
  readonly position: number
  /**
   * Factor of search rules, part of all scores above; absent for 1. Decides between hits that all
   * parts rank equal, so that it also orders hits of a search without words.
   */
  readonly scale?: number
  /** The external id, which breaks the last ties between hits of several instances. */
  readonly externalId?: string
}

/** The parts of a key that order the hits of one search. */
export type OrderKey = Pick<MergeKey, 'parts' | 'scale'>

const NOT_HIDDEN = {}

/**
 * `hides`: whether the values of a field are not sent to other instances. `scale`: as in a ranked
 * hit.
 */
export function mergeKey(
  scores: readonly ScoreDetail[],
  weight: number,
  position: number,
  hides: ((field: string) => boolean) | null = null,
  scale?: number,
): MergeKey {
  const factor = scale === undefined ? weight : weight * scale
  const parts: KeyPart[] = []
  let merged: Rank | null = null
  const closeScore = (): void => {
    if (merged !== null) parts.push({ kind: 'score', score: localScore(merged) * factor })
    merged = null
  }
  for (const detail of scores) {
    const rank = rankOf(detail)
    if (rank !== null) {
      merged = mergeRanks(merged ?? { rank: 1, max: 1 }, rank)
      continue
    }
    closeScore()
    if (detail.kind === 'fusion') {
      parts.push({ kind: 'score', score: detail.score * weight })
      break
    }
    if (detail.kind === 'sort') {
      const { ascending, value } = detail
      const hidden = hides?.(detail.field) === true ? { isHidden: true } : NOT_HIDDEN
      parts.push({ kind: 'sort', ascending, value, ...hidden })
    } else if (detail.kind === 'bm25') {
      parts.push({ kind: 'score', score: boundedScore(detail.score) * factor })
    } else if (detail.kind === 'vectorSort') {
      parts.push({ kind: 'score', score: (detail.similarity ?? 0) * factor })
    } else if (detail.kind === 'geo') {
      const { ascending, distance } = detail
      const hidden = hides?.('_geo') === true ? { isHidden: true } : NOT_HIDDEN
      parts.push({ kind: 'geo', ascending, distance, ...hidden })
    }
  }
  closeScore()
  const score = scaledScore(scores, scale) * weight
  return scale === undefined ? { parts, score, position } : { parts, score, position, scale }
}

/** Returns a key without a factor, of scores that are not fused, with one. */
export function scaledKey({ parts }: OrderKey, scale: number): OrderKey {
  const scaled = parts.map(
    (part): KeyPart =>
      part.kind === 'score' ? { kind: 'score', score: part.score * scale } : part,
  )
  return { parts: scaled, scale }
}

/** Negative if `a` comes first. Never zero for keys of different searches. */
export function compareKeys(a: MergeKey, b: MergeKey): number {
  const order = compareFirst(a, b, compareDistances)
  if (order === INCOMPARABLE) return byLength(a, b) || b.score - a.score || byPosition(a, b)
  return order || byLength(a, b) || byScale(a, b) || byPosition(a, b) || byExternalId(a, b)
}

/** As `compareKeys`, for hits of one search: distances are in the direction of the sort. */
export const compareInOrder = (a: OrderKey, b: OrderKey): number =>
  compareFirstParts(a, b) || byLength(a, b) || byScale(a, b)

/** Compares the parts that both keys of one search have; zero if they are equal. */
export const compareFirstParts = (a: OrderKey, b: OrderKey): number =>
  compareFirst(a, b, compareSorted) ?? 0

function compareFirst(a: OrderKey, b: OrderKey, byDistance: ByDistance): number | null {
  const shared = Math.min(a.parts.length, b.parts.length)
  for (let i = 0; i < shared; i++) {
    const order = compareParts(a.parts[i]!, b.parts[i]!, byDistance)
    if (order !== 0) return order
  }
  return 0
}

const byLength = (a: OrderKey, b: OrderKey): number => b.parts.length - a.parts.length
/** Returns zero if the keys carry no ids; the order of the lists decides then. */
export function byExternalId(a: MergeKey, b: MergeKey): number {
  if (a.externalId === undefined || b.externalId === undefined) return 0
  return compareExternalTexts(a.externalId, b.externalId)
}

const byScale = (a: OrderKey, b: OrderKey): number => (b.scale ?? 1) - (a.scale ?? 1)

const byPosition = (a: MergeKey, b: MergeKey): number => a.position - b.position

const INCOMPARABLE = null

type Placed = Extract<KeyPart, { readonly kind: 'geo' }>
type ByDistance = (a: Placed, b: Placed) => number

function compareParts(
  a: KeyPart,
  b: KeyPart,
  byDistance: ByDistance,
): number | typeof INCOMPARABLE {
  if (a.kind === 'score' && b.kind === 'score') {
    return Math.abs(a.score - b.score) <= Number.EPSILON ? 0 : b.score - a.score
  }
  if (a.kind === 'sort' && b.kind === 'sort') {
    return a.ascending === b.ascending ? compareValues(a.value, b.value, a.ascending) : INCOMPARABLE
  }
  if (a.kind === 'geo' && b.kind === 'geo') return byDistance(a, b)
  return INCOMPARABLE
}

/** Numbers come first, then texts, then null, in both directions. */
function compareValues(a: SortValue, b: SortValue, ascending: boolean): number {
  const byClass = classOf(a) - classOf(b)
  if (byClass !== 0 || a === null) return byClass
  const order = isExactNumber(a) ? compareNumbers(a, b as ExactNumber) : compareText(a, b as string)
  return ascending ? order : -order
}

const compareNumbers = (a: ExactNumber, b: ExactNumber): number => (a < b ? -1 : Number(a > b))

const classOf = (value: SortValue): number => (isExactNumber(value) ? 0 : value === null ? 2 : 1)

/** The farther hit comes first in both directions: clients rely on it. */
function compareDistances({ distance: a }: Placed, { distance: b }: Placed): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return b - a
}

function compareSorted(a: Placed, b: Placed): number {
  if (a.distance === null || b.distance === null) return compareDistances(a, b)
  return a.ascending ? a.distance - b.distance : b.distance - a.distance
}

/** Merges sorted lists into one sorted list. */
export function mergeLists<T>(
  lists: readonly (readonly T[])[],
  keyOf: (item: T) => MergeKey,
): readonly T[] {
  if (lists.length === 0) return []
  // Merges pairs of lists, so that an item is compared once for each doubling of the number of
  // lists.
  let left = lists
  while (left.length > 1) {
    const merged: (readonly T[])[] = []
    for (let i = 0; i < left.length; i += 2) {
      merged.push(i + 1 < left.length ? mergeTwo(left[i]!, left[i + 1]!, keyOf) : left[i]!)
    }
    left = merged
  }
  return left[0]!
}

function mergeTwo<T>(a: readonly T[], b: readonly T[], keyOf: (item: T) => MergeKey): readonly T[] {
  const out: T[] = []
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const isFirst = compareKeys(keyOf(a[i]!), keyOf(b[j]!)) <= 0
    out.push(isFirst ? a[i++]! : b[j++]!)
  }
  while (i < a.length) out.push(a[i++]!)
  while (j < b.length) out.push(b[j++]!)
  return out
}
