// wordPosition: documents in which words have the same position as in the query come first, which
// mostly means nearer the start (docs/search-semantics.md#wordposition). Fields do not matter. An
// element of a list that equals the query counts as a field of its own.
import type { IdSet } from '../../../format/idset/index.ts'
import { BUCKET_INDEX, BUCKETS } from '../../../format/postings/index.ts'
import { mapped } from '../../runtime/index.ts'
import { elementMembers } from '../phrases/index.ts'
import {
  type Alternatives,
  besidePrefix,
  type GraphNode,
  idCount,
  type Phrase,
  type QueryGraph,
  type TermSpace,
  wordsOf,
} from '../query-graph/index.ts'
import { exactRow } from './exact-row.ts'
import { costsByDocument } from './occurring.ts'
import type { Step } from './path-rule.ts'
import { type BestPlaced, type PlaceCosts, PlaceRule } from './place-rule.ts'
import type { RuleContext } from './rule.ts'

const POSITION_COST_MAX = 10

export class WordPositionRule extends PlaceRule {
  readonly #context: RuleContext
  constructor(context: RuleContext) {
    super(positionCosts(context.space))
    this.#context = context
  }

  protected override bestPlaced(universe: IdSet, graph: QueryGraph): BestPlaced | null {
    const row = exactRow(this.#context, graph)
    if (row === null) return null
    const { index } = this.#context.space
    const { equal } = elementMembers(index, row.words, row.fields, universe)
    return equal.isEmpty ? null : { nodes: row.nodes, docs: equal }
  }
}

const positionCosts = (space: TermSpace): PlaceCosts => ({
  kind: 'wordPosition',
  costMax: POSITION_COST_MAX,
  localSteps: (node, term, universe) => localSteps(space, term, universe, node),
  setSteps: (node, term) => setSteps(space, term, node),
})

/** Returns the cost of a distance of `distance` positions. */
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

/**
 * Returns the cost of a term of `ids` words at position `wanted` of the query, found in `bucket`.
 */
function bucketCost(bucket: number, wanted: number, ids: number): number {
  const distance = Math.abs(bucket - wanted)
  let cost = 0
  for (let i = 0; i < ids; i++) cost += distanceCost(distance + i)
  return cost
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
  let docs = index.unionInBuckets(besidePrefix(wordsOf(term), term.prefix), buckets)
  if (term.prefix !== null) docs = docs.or(index.prefixDocsInBuckets(term.prefix, buckets))
  for (const phrase of term.phrases) {
    docs = docs.or(space.phraseDocs(phrase).and(firstInBuckets(space, phrase, buckets)))
  }
  return docs
}

/** Returns the documents with the first word of a phrase in one of the buckets. */
function firstInBuckets(space: TermSpace, phrase: Phrase, buckets: readonly number[]): IdSet {
  const { prefix, words } = space.phrasePart(phrase, 0)
  const docs = space.index.unionInBuckets(words, buckets)
  return prefix === null ? docs : docs.or(space.index.prefixDocsInBuckets(prefix, buckets))
}
