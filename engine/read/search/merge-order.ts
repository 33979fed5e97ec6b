// Which of two hits of different searches comes first · search semantics §16.5.
//
// A hit is compared by a key: what the rules said of it in their order, where verdicts about words
// are one number between two sorts, weighted by the search. Keys need not be of the same length: a
// search without words has none of these numbers.
import { compareText } from '../../../format/bytes/index.ts'
import {
  globalScore,
  localScore,
  mergeRanks,
  type Rank,
  rankOf,
  type ScoreDetail,
  type SortValue,
} from '../rank/index.ts'
import { compareExternalIds } from '../segments/index.ts'

/** What the rules say of a hit, in their order. */
export type KeyPart =
  | { readonly kind: 'score'; readonly score: number }
  | { readonly kind: 'sort'; readonly ascending: boolean; readonly value: SortValue }
  | { readonly kind: 'geo'; readonly ascending: boolean; readonly distance: number | null }

export type MergeKey = {
  readonly parts: readonly KeyPart[]
  /** The whole score, weighted: what hits show. */
  readonly score: number
  /** Of the search; the smaller one goes first where nothing else decides. */
  readonly position: number
  /** The external id: what orders hits of several instances that nothing else tells apart. */
  readonly externalId?: string
}

export function mergeKey(
  scores: readonly ScoreDetail[],
  weight: number,
  position: number,
): MergeKey {
  const parts: KeyPart[] = []
  let merged: Rank | null = null
  const closeScore = (): void => {
    if (merged !== null) parts.push({ kind: 'score', score: localScore(merged) * weight })
    merged = null
  }
  for (const detail of scores) {
    const rank = rankOf(detail)
    if (rank !== null) {
      merged = mergeRanks(merged ?? { rank: 1, max: 1 }, rank)
      continue
    }
    closeScore()
    if (detail.kind === 'sort') {
      parts.push({ kind: 'sort', ascending: detail.ascending, value: detail.value })
    } else if (detail.kind === 'vectorSort') {
      parts.push({ kind: 'score', score: (detail.similarity ?? 0) * weight })
    } else if (detail.kind === 'geo') {
      parts.push({ kind: 'geo', ascending: detail.ascending, distance: detail.distance })
    }
  }
  closeScore()
  return { parts, score: globalScore(scores) * weight, position }
}

/** Negative when `a` comes first. Never zero for keys of different searches. */
export function compareKeys(a: MergeKey, b: MergeKey): number {
  const shared = Math.min(a.parts.length, b.parts.length)
  for (let i = 0; i < shared; i++) {
    const order = compareParts(a.parts[i]!, b.parts[i]!)
    if (order === INCOMPARABLE) return byLength(a, b) || b.score - a.score || byPosition(a, b)
    if (order !== 0) return order
  }
  return byLength(a, b) || byPosition(a, b) || byExternalId(a, b)
}

const byLength = (a: MergeKey, b: MergeKey): number => b.parts.length - a.parts.length
/** Zero where the ids are not told: then the order of the lists counts. */
export function byExternalId(a: MergeKey, b: MergeKey): number {
  if (a.externalId === undefined || b.externalId === undefined) return 0
  return compareExternalIds(Buffer.from(a.externalId), Buffer.from(b.externalId))
}

const byPosition = (a: MergeKey, b: MergeKey): number => a.position - b.position

const INCOMPARABLE = null

function compareParts(a: KeyPart, b: KeyPart): number | typeof INCOMPARABLE {
  if (a.kind === 'score' && b.kind === 'score') {
    return Math.abs(a.score - b.score) <= Number.EPSILON ? 0 : b.score - a.score
  }
  if (a.kind === 'sort' && b.kind === 'sort') {
    return a.ascending === b.ascending ? compareValues(a.value, b.value, a.ascending) : INCOMPARABLE
  }
  if (a.kind === 'geo' && b.kind === 'geo') return compareDistances(a.distance, b.distance)
  return INCOMPARABLE
}

/** Numbers, then texts, then nothing, in both directions. */
function compareValues(a: SortValue, b: SortValue, ascending: boolean): number {
  const byClass = classOf(a) - classOf(b)
  if (byClass !== 0 || a === null) return byClass
  const order = typeof a === 'number' ? a - (b as number) : compareText(a, b as string)
  return ascending ? order : -order
}

const classOf = (value: SortValue): number =>
  typeof value === 'number' ? 0 : value === null ? 2 : 1

/** The farther one first, whatever the direction: this is what clients know. */
function compareDistances(a: number | null, b: number | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return b - a
}

/** Lists that are each in order become one. */
export function mergeLists<T>(
  lists: readonly (readonly T[])[],
  keyOf: (item: T) => MergeKey,
): readonly T[] {
  if (lists.length === 0) return []
  // By pairs, so that an item is looked at once for each doubling of the number of lists.
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
