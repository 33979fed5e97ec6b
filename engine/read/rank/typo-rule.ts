// typo: documents that need fewer typos come first (docs/search-semantics.md#typo). Words read as
// one count as typos as well: two for a pair, three for a triple.
import type { IdSet } from '../../../format/idset/index.ts'
import { cutNode, type GraphNode, idCount, type QueryGraph } from '../query-graph/index.ts'
import { PathBuckets, type PathCosts, type Step } from './path-rule.ts'
import type { BucketSource, RankingRule } from './rule.ts'

export class TypoRule implements RankingRule {
  readonly name = 'typo'
  open(universe: IdSet, graph: QueryGraph): BucketSource {
    return new PathBuckets(universe, graph, TYPO_COSTS)
  }
}

/** The cost of reading words as one, without typos. */
const joinCost = (node: GraphNode): number => {
  const words = idCount(node)
  return words === 1 ? 0 : words
}

const TYPO_COSTS: PathCosts = {
  steps(_, to): Step[] {
    const steps: Step[] = []
    const base = joinCost(to)
    const most = to.exactOnly ? 0 : to.term.costMax(to.mask)
    for (let typos = 0; typos <= most; typos++) {
      if ((to.mask & (1 << typos)) === 0) continue
      const docs = (): IdSet => to.term.docs(1 << typos, to.exactOnly)
      steps.push({ cost: base + typos, docs })
    }
    return steps
  },
  cut: (node, cost) => cutNode(node, 1 << (cost - joinCost(node)), node.exactOnly),
  score: (cost, costMax) => ({ kind: 'typo', typos: cost, typosMax: costMax }),
}
