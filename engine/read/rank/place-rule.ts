// A rule that ranks documents by where the words of a reading occur in them: attributeRank and
// wordPosition. They differ only in the cost of an occurrence.
import { IdSet } from '../../../format/idset/index.ts'
import {
  type Alternatives,
  type GraphNode,
  idCount,
  type QueryGraph,
} from '../query-graph/index.ts'
import { LOCAL_DOCUMENTS_MAX } from './occurring.ts'
import { PathBuckets, type PathCosts, type Step } from './path-rule.ts'
import type { BucketSource, RankingRule } from './rule.ts'

export type PlaceCosts = {
  readonly kind: 'attributeRank' | 'wordPosition'
  /** Largest cost of one word. */
  readonly costMax: number
  /** Returns steps from the occurrences in the documents of `universe`, in ascending cost. */
  readonly localSteps: (node: GraphNode, term: Alternatives, universe: IdSet) => Step[]
  /** Returns steps from sets stored in the index, in ascending cost. */
  readonly setSteps: (node: GraphNode, term: Alternatives) => Step[]
}

/** Documents in which the words of some nodes count as if they stood in the best place. */
export type BestPlaced = { readonly nodes: readonly GraphNode[]; readonly docs: IdSet }

export class PlaceRule implements RankingRule {
  readonly name: string
  readonly graphUse = 'keeps'
  readonly #costs: PathCosts
  constructor(costs: PlaceCosts) {
    this.name = costs.kind
    this.#costs = pathCosts(costs)
  }
  open(universe: IdSet, graph: QueryGraph): BucketSource {
    const best = this.bestPlaced(universe, graph)
    const costs = best === null ? this.#costs : withBestPlaced(this.#costs, best)
    return new PathBuckets(universe, graph, costs)
  }
  protected bestPlaced(_universe: IdSet, _graph: QueryGraph): BestPlaced | null {
    return null
  }
}

const withBestPlaced = (costs: PathCosts, { nodes, docs }: BestPlaced): PathCosts => ({
  ...costs,
  steps(from, to, universe) {
    const steps = costs.steps(from, to, universe)
    return nodes.includes(to) ? [{ cost: 0, docs: () => docs }, ...steps] : steps
  },
})

const pathCosts = ({
  kind,
  costMax: wordCostMax,
  localSteps,
  setSteps,
}: PlaceCosts): PathCosts => ({
  steps(_, to, universe): Step[] {
    const term = to.term.alternatives(to.mask, to.exactOnly)
    const steps =
      universe.size <= LOCAL_DOCUMENTS_MAX && term.prefix === null
        ? localSteps(to, term, universe)
        : setSteps(to, term)
    // Every term can have the largest cost, so that scores have the same scale for all documents.
    const most = wordCostMax * idCount(to)
    if (steps.at(-1)?.cost !== most) steps.push({ cost: most, docs: () => IdSet.empty })
    return steps
  },
  cut: null,
  score: (cost, costMax) => ({ kind, rank: costMax + 1 - cost, max: costMax + 1 }),
})
