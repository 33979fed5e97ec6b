// bm25: documents in which rare words of the query are frequent come first
// (docs/search-semantics.md#bm25). Each document has a score of its own.
import { IdSet } from '../../../format/idset/index.ts'
import type { QueryGraph } from '../query-graph/index.ts'
import type { BucketSource, RankingRule, RuleContext, Scorer } from './rule.ts'

export class Bm25Rule implements RankingRule {
  readonly name = 'bm25'
  readonly graphUse = 'none'
  readonly #context: RuleContext

  constructor(context: RuleContext) {
    this.#context = context
  }

  scorer(universe: IdSet): Scorer {
    const relevance = this.#context.relevance()
    return {
      best: (count, isLate) => relevance.best(universe, count, isLate),
      scoreOf: (score, id) => ({ kind: 'bm25', score, shares: () => relevance.sharesOf(id) }),
    }
  }

  open(universe: IdSet, graph: QueryGraph): BucketSource {
    const scorer = this.scorer(universe)
    const { ids, scores } = scorer.best(universe.size, () => false)
    let at = 0
    return {
      next(left) {
        if (at === ids.length) return null
        const from = at
        while (at < ids.length && scores[at] === scores[from]) at++
        const equal = IdSet.ofSorted(ids.subarray(from, at)).and(left)
        return { ids: equal, graph, score: scorer.scoreOf(scores[from]!, ids[from]!) }
      },
    }
  }
}
