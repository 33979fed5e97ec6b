// wordPosition: words that stand in the document where they stand in the query come first, so, for
// most, nearer the start · search semantics §8.6. Fields play no part.
import { IdSet } from '../../../format/idset/index.ts'
import { BUCKET_INDEX, BUCKETS } from '../../../format/postings/index.ts'
import { mapped } from '../../model/index.ts'
import {
  type Alternatives,
  type GraphNode,
  idCount,
  type QueryGraph,
  type TermSpace,
} from '../query/index.ts'
import { costsByDocument, firstWord, LOCAL_DOCUMENTS_MAX } from './occurring.ts'
import { PathBuckets, type PathCosts, type Step } from './path-rule.ts'
import type { BucketSource, RankingRule, RuleContext } from './rule.ts'

const POSITION_COST_MAX = 10

export class WordPositionRule implements RankingRule {
  readonly name = 'wordPosition'
  readonly graphUse = 'keeps'
  readonly #space: TermSpace
  constructor(context: RuleContext) {
    this.#space = context.space
  }
  open(universe: IdSet, graph: QueryGraph): BucketSource {
    return new PathBuckets(universe, graph, positionCosts(this.#space))
  }
}

/** What being `distance` positions off costs. */
export function distanceCost(distance: number): number {
  if (distance < 2) return distance
  if (distance <= 4) return 2
  if (distance <= 7) return 3
  if (distance <= 11) return 4
  if (distance <= 16) return 5
  if (distance <= 24) return 6
  if (distance <= 64) return 7
  if (distance <= 256) return 8
  return distance <= 1024 ? 9 : POSITION_COST_MAX
}

/** The cost of a term of `ids` words at position `wanted` of the query, found in `bucket`. */
function bucketCost(bucket: number, wanted: number, ids: number): number {
  const distance = Math.abs(bucket - wanted)
  let cost = 0
  for (let i = 0; i < ids; i++) cost += distanceCost(distance + i)
  return cost
}

function positionCosts(space: TermSpace): PathCosts {
  return {
    steps(_, to, universe): Step[] {
      const term = to.term.alternatives(to.mask, to.exactOnly)
      const steps =
        universe.size <= LOCAL_DOCUMENTS_MAX && term.prefix === null
          ? localSteps(space, term, universe, to)
          : setSteps(space, term, to)
      const most = POSITION_COST_MAX * idCount(to)
      if (steps.at(-1)?.cost !== most) steps.push({ cost: most, docs: () => IdSet.empty })
      return steps
    },
    cut: (node) => node,
    score: (cost, costMax) => ({
      kind: 'wordPosition',
      rank: costMax + 1 - cost,
      max: costMax + 1,
    }),
  }
}

function localSteps(
  space: TermSpace,
  term: Alternatives,
  universe: IdSet,
  node: GraphNode,
): Step[] {
  const ids = idCount(node)
  const costs = new Uint16Array(BUCKETS.length)
  for (let i = 0; i < costs.length; i++) costs[i] = bucketCost(BUCKETS[i]!, node.positionFirst, ids)
  const table = { by: 'position', indexOf: BUCKET_INDEX, costs } as const
  const found = costsByDocument(space, node, term, universe, table)
  return mapped(found, ({ cost, docs }) => ({ cost, docs: () => docs }))
}

function setSteps(space: TermSpace, term: Alternatives, node: GraphNode): Step[] {
  const byCost = new Map<number, number[]>()
  for (const bucket of BUCKETS) {
    const cost = bucketCost(bucket, node.positionFirst, idCount(node))
    const buckets = byCost.get(cost)
    if (buckets === undefined) byCost.set(cost, [bucket])
    else buckets.push(bucket)
  }
  const costs = [...byCost.keys()].sort((a, b) => a - b)
  return mapped(costs, (cost) => ({
    cost,
    docs: () => docsInBuckets(space, term, byCost.get(cost)!),
  }))
}

function docsInBuckets(space: TermSpace, term: Alternatives, buckets: readonly number[]): IdSet {
  const { index } = space
  let docs = index.unionInBuckets([...term.original, ...term.derived], buckets)
  if (term.prefix !== null) docs = docs.or(index.prefixDocsInBuckets(term.prefix, buckets))
  for (const phrase of term.phrases) {
    const first = firstWord(space, phrase)
    if (first === null) continue
    docs = docs.or(space.phraseDocs(phrase).and(index.unionInBuckets([first], buckets)))
  }
  return docs
}
