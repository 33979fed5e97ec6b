// proximity: documents whose words are nearer to each other come first
// (docs/search-semantics.md#proximity).
//
// A step from one term onto the next costs 0, 1 or 2 if the second one is one, two or three words
// after the first (or one or two before it), else 3.
import { IdSet } from '../../../format/idset/index.ts'
import {
  type Alternatives,
  type GraphNode,
  idCount,
  type Phrase,
  type QueryGraph,
  type TermSpace,
  wordsOf,
} from '../query-graph/index.ts'
import {
  EVERYWHERE,
  FAR,
  lowerCosts,
  nearSets,
  type Pair,
  placesOf,
  setsByCost,
  WHOLE_DOCUMENTS_MAX,
  type Word,
} from '../segment-text/index.ts'
import {
  DELAY_COST,
  DELAYED_DOCUMENTS_MIN,
  DelayedProximity,
  SampledPairs,
} from './delayed-proximity.ts'
import { PathBuckets, type PathCosts, type Step } from './path-rule.ts'
import type { BucketSource, Delayed, RankingRule, RuleContext } from './rule.ts'
import type { ScoreDetail } from './scores.ts'
import { singlePath } from './single-path.ts'

export class ProximityRule implements RankingRule {
  readonly name = 'proximity'
  readonly graphUse = 'keeps'
  readonly #space: TermSpace
  readonly #delayedMin: number
  readonly #delayCost: number
  readonly #sampledMin: number
  /** The pairs of the set of documents that were sampled last. */
  #sampled: SampledPairs | null = null

  constructor(context: RuleContext) {
    this.#space = context.space
    this.#delayedMin = context.delayedMin ?? DELAYED_DOCUMENTS_MIN
    this.#delayCost = context.delayCost ?? DELAY_COST
    // Pairs of fewer documents are read at the same time and cached whole.
    this.#sampledMin = Math.min(this.#delayedMin, WHOLE_DOCUMENTS_MAX + 1)
  }

  delay(universe: IdSet, graph: QueryGraph, hits: number): Delayed | null {
    if (universe.size < this.#delayedMin) return null
    const sampled = this.#sample(universe, graph)
    return sampled?.paysDelay(hits, this.#delayCost) === true ? new DelayedProximity(sampled) : null
  }

  open(universe: IdSet, graph: QueryGraph): BucketSource {
    const sampled = universe.size < this.#sampledMin ? null : this.#sample(universe, graph)
    if (sampled !== null) return sampled.buckets(universe)
    return new PathBuckets(universe, graph, proximityCosts(this.#space))
  }

  /** Samples the pairs of a graph with one path; returns null if not all documents are on it. */
  #sample(universe: IdSet, graph: QueryGraph): SampledPairs | null {
    const last = this.#sampled
    if (last?.universe === universe && last.path.graph === graph) return last
    const nodes = singlePath(graph)
    const pairs = nodes === null ? null : singlePairs(this.#space, nodes)
    if (nodes === null || pairs === null || pairs.length === 0) return null
    for (const { term, mask, exactOnly } of nodes) {
      if (!universe.isWithin(term.docs(mask, exactOnly))) return null
    }
    const { index } = this.#space
    const base = nodes.reduce((sum, node) => sum + idCount(node) - 1, 0)
    this.#sampled = new SampledPairs({ index, graph, pairs, base, scoreOf }, universe)
    return this.#sampled
  }
}

function proximityCosts(space: TermSpace): PathCosts {
  return {
    steps(from, to, universe): Step[] {
      const base = idCount(to) - 1
      const holding = (): IdSet => to.term.docs(to.mask, to.exactOnly)
      if (from === null || !isPaired(from, to)) {
        return [{ cost: base, docs: holding }]
      }
      let pairs: readonly IdSet[] | null = null
      const near = (cost: number) => (): IdSet => {
        pairs ??= pairCosts(space, from, to, universe)
        return pairs[cost] ?? IdSet.empty
      }
      return [
        { cost: base, docs: near(0) },
        { cost: base + 1, docs: near(1) },
        { cost: base + 2, docs: near(2) },
        { cost: base + FAR, docs: holding },
      ]
    },
    cut: null,
    score: scoreOf,
  }
}

const scoreOf = (cost: number, costMax: number): ScoreDetail => ({
  kind: 'proximity',
  rank: costMax + 1 - cost,
  max: costMax + 1,
})

/**
 * Returns true if the distance between two nodes counts, that is, if they are neighbors in the
 * query.
 */
const isPaired = (from: GraphNode, to: GraphNode): boolean =>
  from.positionLast + 1 === to.positionFirst

/** Returns the pairs of a path of single words, or null if a phrase takes part in one. */
function singlePairs(space: TermSpace, nodes: readonly GraphNode[]): readonly Pair[] | null {
  const pairs: Pair[] = []
  for (let i = 1; i < nodes.length; i++) {
    const from = nodes[i - 1]!
    const to = nodes[i]!
    if (!isPaired(from, to)) continue
    const left = leftSides(space, from)
    const right = rightSides(space, to)
    if (left.length !== 1 || right.length !== 1) return null
    if (left[0]!.phrase !== null || right[0]!.phrase !== null) return null
    pairs.push(pairOf(space, left[0]!, right[0]!))
  }
  return pairs
}

const leftSides = (space: TermSpace, { term, mask, exactOnly }: GraphNode): Side[] =>
  sidesOf(space, term.alternatives(mask, exactOnly), 'last')
const rightSides = (space: TermSpace, { term, mask, exactOnly }: GraphNode): Side[] =>
  sidesOf(space, term.alternatives(mask, exactOnly), 'first')

/**
 * One side of a pair: single words, or the word at the near end of a phrase that must match as a
 * whole.
 */
type Side = {
  readonly words: readonly Word[]
  /** Only on the right side: any word with this prefix also matches. */
  readonly prefix: string | null
  readonly phrase: Phrase | null
}

/** Returns the documents of `universe` by the cost of the pair, without far ones. */
function pairCosts(
  space: TermSpace,
  from: GraphNode,
  to: GraphNode,
  universe: IdSet,
): readonly IdSet[] {
  const left = leftSides(space, from)
  const right = rightSides(space, to)
  const sides = [...left, ...right]
  if (left.length === 1 && right.length === 1 && sides.every(({ phrase }) => phrase === null)) {
    return nearSets(space.index, pairOf(space, left[0]!, right[0]!), universe)
  }
  const both = universe.and(holders(space, left)).and(holders(space, right))
  if (both.isEmpty) return []
  const found: (readonly IdSet[])[] = []
  for (const one of left) {
    for (const other of right) {
      const pair = pairOf(space, one, other)
      const whole = phraseMembers(space, one, other)
      if (whole === null) found.push(nearSets(space.index, pair, both))
      else found.push(phraseCosts(space, pair, both.and(whole).toArray()))
    }
  }
  return leastCosts(found)
}

/** Returns ascending `ids`, which contain the phrases of a pair, by the cost of the pair. */
function phraseCosts(space: TermSpace, pair: Pair, ids: Uint32Array): readonly IdSet[] {
  if (ids.length === 0) return []
  const costs = new Uint8Array(ids.length).fill(FAR)
  const places = placesOf(space.index, pair, ids)
  lowerCosts(costs, { ...places, rightBefore: null }, pair.byWord)
  return setsByCost(ids, costs)
}

/** Returns the documents of several lists of sets by cost, each with its least cost. */
function leastCosts(found: readonly (readonly IdSet[])[]): readonly IdSet[] {
  const sets: IdSet[] = []
  let lower = IdSet.empty
  for (let cost = 0; cost < FAR; cost++) {
    let docs = IdSet.empty
    for (const list of found) docs = docs.or(list[cost] ?? IdSet.empty)
    sets.push(docs.andNot(lower))
    lower = lower.or(docs)
  }
  return sets
}

const pairOf = (space: TermSpace, left: Side, right: Side): Pair => ({
  left: left.words,
  right: right.words,
  rightPrefix: right.prefix,
  byWord: space.rules.pairsByWord,
})

function sidesOf(space: TermSpace, term: Alternatives, end: 'first' | 'last'): Side[] {
  const words = wordsOf(term)
  const prefix = end === 'first' ? term.prefix : null
  const sides: Side[] = []
  if (words.length > 0 || prefix !== null) sides.push({ words, prefix, phrase: null })
  for (const phrase of term.phrases) {
    const near = space.phrasePart(phrase, end === 'first' ? 0 : phrase.words.length - 1)
    if (near.words.length === 0 && near.prefix === null) continue
    sides.push({ words: near.words, prefix: end === 'first' ? near.prefix : null, phrase })
  }
  return sides
}

/**
 * Returns the documents that contain one of the sides in any attribute: pairs are not restricted to
 * the searched attributes.
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

/**
 * Returns the documents that contain the phrases of both sides, or null if neither side is a
 * phrase.
 */
function phraseMembers(space: TermSpace, left: Side, right: Side): IdSet | null {
  const sets = [left.phrase, right.phrase].flatMap((p) => (p === null ? [] : [space.phraseDocs(p)]))
  if (sets.length === 0) return null
  return sets.reduce((a, b) => a.and(b))
}
