// words: documents that match more of the query come first · search semantics §6.3, §6.5, §8.1.
//
// The matching strategy puts the words in groups, and groups in an order. A word may be given up
// only when all groups before its own are given up whole; of its own group any words may be. Giving
// up one costs one.
import { IdSet } from '../../format/idset/index.ts'
import type { MatchingStrategy } from '../api.ts'
import { idCount, type QueryGraph, removalGroups } from '../query/index.ts'
import { freePaths } from './path-rule.ts'
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
  /** Nodes of groups given up whole, and how many words they are. */
  readonly #removed = new Set<number>()
  #removedWords = 0
  /** The group that is being given up, and how many of its words already are. */
  #group = 0
  #given = 0
  #begun = false

  constructor(graph: QueryGraph, groups: readonly ReadonlySet<number>[]) {
    this.#graph = graph
    this.#groups = groups
    const costMax = groups.reduce((cost, group) => cost + wordsIn(graph, group).length, 0)
    let phraseWords = 0
    for (const [, node] of graph.present()) {
      phraseWords += node.term.phrase?.words.filter((word) => word !== null).length ?? 0
    }
    this.#max = 1 + costMax + Math.max(0, phraseWords - 1)
  }

  next(left: IdSet): Bucket | null {
    while (!left.isEmpty) {
      if (!this.#begun) this.#begun = true
      else if (!this.#giveUpOne()) return null
      const bucket = this.#bucket(left)
      if (bucket !== null) return bucket
    }
    return null
  }

  /** Moves on by one word; false when nothing is left to give up. */
  #giveUpOne(): boolean {
    const group = this.#groups[this.#group]
    if (group === undefined) return false
    const words = wordsIn(this.#graph, group).length
    this.#given++
    if (this.#given < words) return true
    for (const node of group) this.#removed.add(node)
    this.#removedWords += words
    this.#given = 0
    this.#group++
    return true
  }

  #bucket(left: IdSet): Bucket | null {
    let ids = IdSet.empty
    const paths: (readonly number[])[] = []
    for (const removed of this.#choices()) {
      const found = freePaths(this.#graph.without(removed), left)
      paths.push(...found.paths)
      ids = ids.or(found.ids)
      left = left.andNot(found.ids)
    }
    if (ids.isEmpty) return null
    const rank = this.#max - this.#removedWords - this.#given
    return {
      ids,
      graph: this.#graph.ofPaths(paths, (node) => node),
      score: { kind: 'words', rank, max: this.#max },
    }
  }

  /**
   * The sets of nodes that are left out now: of a group partly given up, each choice of its words.
   */
  *#choices(): Iterable<ReadonlySet<number>> {
    if (this.#given === 0) {
      yield this.#removed
      return
    }
    const words = wordsIn(this.#graph, this.#groups[this.#group]!)
    for (const chosen of combinations(words, this.#given)) {
      yield new Set([...this.#removed, ...chosen])
    }
  }
}

/** The nodes among `nodes` that stand for one word of the query, in order; n-grams aside. */
function wordsIn(graph: QueryGraph, nodes: ReadonlySet<number>): number[] {
  return [...nodes].filter((index) => idCount(graph.nodes[index]!) === 1).sort((a, b) => a - b)
}

/** All ways to choose `count` of `items`, earlier items first. There are at most ten items. */
function* combinations(items: readonly number[], count: number): Iterable<readonly number[]> {
  if (count === 0) {
    yield []
    return
  }
  for (let i = 0; i <= items.length - count; i++) {
    for (const rest of combinations(items.slice(i + 1), count - 1)) yield [items[i]!, ...rest]
  }
}
