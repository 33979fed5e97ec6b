// words: documents that match more of the query come first · search semantics §6.3, §6.5, §8.1.
// The matching strategy says in which order words are given up.
import type { IdSet } from '../../format/idset/index.ts'
import type { MatchingStrategy } from '../api.ts'
import { type GraphNode, idCount, type QueryGraph, removalGroups } from '../query/index.ts'
import { PathBuckets, type PathCosts } from './path-rule.ts'
import type { Bucket, BucketSource, RankingRule } from './rule.ts'

export class WordsRule implements RankingRule {
  readonly name = 'words'
  readonly #strategy: MatchingStrategy
  constructor(strategy: MatchingStrategy) {
    this.#strategy = strategy
  }
  open(_: IdSet, graph: QueryGraph): BucketSource {
    return new WordsBuckets(graph, removalGroups(graph, this.#strategy))
  }
}

class WordsBuckets implements BucketSource {
  readonly #graph: QueryGraph
  readonly #groups: readonly ReadonlySet<number>[]
  readonly #max: number
  readonly #removed = new Set<number>()
  #level = 0

  constructor(graph: QueryGraph, groups: readonly ReadonlySet<number>[]) {
    this.#graph = graph
    this.#groups = groups
    const costMax = groups.reduce((cost, group) => cost + wordsIn(graph, group), 0)
    let phraseWords = 0
    for (const [, node] of graph.present()) {
      phraseWords += node.term.phrase?.words.filter((word) => word !== null).length ?? 0
    }
    this.#max = 1 + costMax + Math.max(0, phraseWords - 1)
  }

  next(left: IdSet): Bucket | null {
    while (this.#level <= this.#groups.length && !left.isEmpty) {
      if (this.#level > 0)
        for (const node of this.#groups[this.#level - 1]!) this.#removed.add(node)
      this.#level++
      const graph = this.#graph.without(this.#removed)
      const bucket = new PathBuckets(left, graph, ANY_LEVEL).next(left)
      if (bucket === null) continue
      const rank = this.#max - wordsIn(this.#graph, this.#removed)
      return { ...bucket, score: { kind: 'words', rank, max: this.#max } }
    }
    return null
  }
}

/** How many words of the query the nodes stand for, n-grams aside. */
function wordsIn(graph: QueryGraph, nodes: ReadonlySet<number>): number {
  let words = 0
  for (const index of nodes) if (idCount(graph.nodes[index]!) === 1) words++
  return words
}

/** Every node costs nothing and takes whatever its term may be. */
const ANY_LEVEL: PathCosts = {
  steps: (_, to) => [{ cost: 0, docs: () => to.term.docs(to.mask, to.exactOnly) }],
  cut: (node: GraphNode) => node,
  score: () => ({ kind: 'words', rank: 1, max: 1 }),
}
