// proximity: words that stand nearer to each other come first · search semantics §8.3, §8.4.
//
// A step from one term onto the next costs 0, 1 or 2 where the second stands one, two or three
// words behind the first (or one or two before it), else 3. Distances come from occurrences, so
// nothing is stored per pair of words; one pass over the documents of both terms gives all three
// sets.
import { IdSet } from '../../format/idset/index.ts'
import {
  type Alternatives,
  type GraphNode,
  idCount,
  type Phrase,
  type QueryGraph,
  type TermSpace,
} from '../query/index.ts'
import {
  EVERYWHERE,
  forwardDistance,
  type LocalOccurrences,
  PAIR_DISTANCE_MAX,
  shareField,
  type Word,
} from '../segments/index.ts'
import { group } from './occurring.ts'
import { PathBuckets, type PathCosts, type Step } from './path-rule.ts'
import type { BucketSource, RankingRule, RuleContext } from './rule.ts'

/** The cost of a pair that is not near. */
export const FAR_COST = 3

export class ProximityRule implements RankingRule {
  readonly name = 'proximity'
  readonly #space: TermSpace
  constructor(context: RuleContext) {
    this.#space = context.space
  }
  open(universe: IdSet, graph: QueryGraph): BucketSource {
    return new PathBuckets(universe, graph, proximityCosts(this.#space))
  }
}

function proximityCosts(space: TermSpace): PathCosts {
  return {
    steps(from, to, universe): Step[] {
      const base = idCount(to) - 1
      const holding = (): IdSet => to.term.docs(to.mask, to.exactOnly)
      if (from === null || from.positionLast + 1 !== to.positionFirst) {
        return [{ cost: base, docs: holding }]
      }
      let pairs: Map<number, IdSet> | null = null
      const near = (cost: number) => (): IdSet => {
        pairs ??= pairCosts(space, from, to, universe)
        return pairs.get(cost) ?? IdSet.empty
      }
      return [
        { cost: base, docs: near(0) },
        { cost: base + 1, docs: near(1) },
        { cost: base + 2, docs: near(2) },
        { cost: base + FAR_COST, docs: holding },
      ]
    },
    cut: (node) => node,
    score: (cost, costMax) => ({ kind: 'proximity', rank: costMax + 1 - cost, max: costMax + 1 }),
  }
}

/**
 * One side of a pair: single words, or the word at the near end of a phrase that must match as a
 * whole.
 */
type Side = {
  readonly words: readonly Word[]
  /** Right side only: every word that begins with it stands there as well. */
  readonly prefix: string | null
  readonly phrase: Phrase | null
}

/** Documents of `universe` by the cost of the pair; far ones are left out. */
function pairCosts(
  space: TermSpace,
  from: GraphNode,
  to: GraphNode,
  universe: IdSet,
): Map<number, IdSet> {
  const left = sidesOf(space, from.term.alternatives(from.mask, from.exactOnly), 'last')
  const right = sidesOf(space, to.term.alternatives(to.mask, to.exactOnly), 'first')
  const ids = universe.and(holders(space, left)).and(holders(space, right)).toArray()
  const costs = new Float64Array(ids.length).fill(Number.POSITIVE_INFINITY)
  if (ids.length === 0) return new Map()
  const leftPlaces = left.map((side) => space.index.occurrences(side.words, null, ids))
  const rightPlaces = right.map((side) => placesOf(space, side, ids))
  for (let l = 0; l < left.length; l++) {
    for (let r = 0; r < right.length; r++) {
      const whole = phraseMembers(space, left[l]!, right[r]!)
      const pair = { left: leftPlaces[l]!, ...rightPlaces[r]!, oneWay: whole !== null }
      lowerCosts(space, costs, ids, pair, whole)
    }
  }
  return group(ids, costs)
}

type RightPlaces = { readonly right: LocalOccurrences; readonly rightBefore: LocalOccurrences }

/**
 * Behind the left word any word of the prefix counts; before it only the prefix as a word of its
 * own.
 */
function placesOf(space: TermSpace, side: Side, ids: Uint32Array): RightPlaces {
  const right = space.index.occurrences(side.words, side.prefix, ids)
  if (side.prefix === null) return { right, rightBefore: right }
  const whole = space.index.word(side.prefix)
  const words = whole === null || side.words.includes(whole) ? side.words : [...side.words, whole]
  return { right, rightBefore: space.index.occurrences(words, null, ids) }
}

function lowerCosts(
  space: TermSpace,
  costs: Float64Array,
  ids: Uint32Array,
  pair: RightPlaces & { readonly left: LocalOccurrences; readonly oneWay: boolean },
  members: IdSet | null,
): void {
  const { left, right, rightBefore, oneWay } = pair
  for (let d = 0; d < ids.length; d++) {
    if (costs[d] === 0 || (members !== null && !members.has(ids[d]!))) continue
    let cost = FAR_COST
    if (!space.rules.pairsByWord) {
      if (shareField(left, right, d)) cost = 0
    } else {
      cost = forwardDistance(left, right, d) - 1
      if (!oneWay && cost > 1) cost = Math.min(cost, forwardDistance(rightBefore, left, d))
    }
    if (cost < PAIR_DISTANCE_MAX && cost < costs[d]!) costs[d] = cost
  }
}

function sidesOf(space: TermSpace, term: Alternatives, end: 'first' | 'last'): Side[] {
  const words = [...term.original, ...term.derived]
  const prefix = end === 'first' ? term.prefix : null
  const sides: Side[] = []
  if (words.length > 0 || prefix !== null) sides.push({ words, prefix, phrase: null })
  for (const phrase of term.phrases) {
    const text = end === 'first' ? phrase.words[0] : phrase.words.at(-1)
    const word = text === null || text === undefined ? null : space.index.word(text)
    if (word !== null) sides.push({ words: [word], prefix: null, phrase })
  }
  return sides
}

/**
 * Documents that hold one of the sides, anywhere: pairs do not mind which attributes are searched.
 */
function holders(space: TermSpace, sides: readonly Side[]): IdSet {
  let docs = IdSet.empty
  for (const { words, prefix, phrase } of sides) {
    if (phrase !== null) docs = docs.or(space.phraseDocs(phrase))
    else docs = docs.or(space.index.union(words, EVERYWHERE))
    if (prefix !== null) docs = docs.or(space.index.prefixDocs(prefix, EVERYWHERE))
  }
  return docs
}

/** Where a side is a phrase, documents that hold it (of both, if both are); null: no phrase. */
function phraseMembers(space: TermSpace, left: Side, right: Side): IdSet | null {
  const sets = [left.phrase, right.phrase].flatMap((p) => (p === null ? [] : [space.phraseDocs(p)]))
  if (sets.length === 0) return null
  return sets.reduce((a, b) => a.and(b))
}
