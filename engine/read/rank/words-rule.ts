// words: documents that match more of the query come first (docs/search-semantics.md#words).
//
// The matching strategy puts words into ordered groups. A word may be dropped only together with
// all later words of earlier groups; words before it do not matter (recorded: with the strategy
// `frequency` frequent words at the beginning stay while rare ones after them are dropped). Each
// dropped word costs one.
import { IdSet } from '../../../format/idset/index.ts'
import {
  type DroppingStrategy,
  idCount,
  type QueryGraph,
  removalGroups,
} from '../query-graph/index.ts'
import { LeftDocuments } from './left-documents.ts'
import { freePaths } from './path-rule.ts'
import type { Bucket, BucketSource, RankingRule } from './rule.ts'

export class WordsRule implements RankingRule {
  readonly name = 'words'
  readonly #strategy: DroppingStrategy
  constructor(strategy: DroppingStrategy) {
    this.#strategy = strategy
  }
  open(_: IdSet, graph: QueryGraph): BucketSource {
    return new WordsBuckets(graph, removalGroups(graph, this.#strategy))
  }
}

class WordsBuckets implements BucketSource {
  readonly #graph: QueryGraph
  /** By node that may be dropped: the number of its group. */
  readonly #groupOf = new Map<number, number>()
  /** Those of them that cover one word of the query, in order. */
  readonly #words: readonly number[]
  readonly #max: number
  /** Number of words that the next bucket drops. */
  #dropped = 0

  constructor(graph: QueryGraph, groups: readonly ReadonlySet<number>[]) {
    this.#graph = graph
    groups.forEach((nodes, group) => {
      for (const node of nodes) this.#groupOf.set(node, group)
    })
    this.#words = [...this.#groupOf.keys()]
      .filter((index) => idCount(graph.nodes[index]!) === 1)
      .sort((a, b) => a - b)
    let phraseWords = 0
    for (const [, node] of graph.present()) {
      phraseWords += node.term.phrase?.words.length ?? 0
    }
    this.#max = 1 + this.#words.length + Math.max(0, phraseWords - 1)
  }

  next(left: IdSet): Bucket | null {
    while (!left.isEmpty && this.#dropped <= this.#words.length) {
      const bucket = this.#bucket(left, this.#dropped++)
      if (bucket !== null) return bucket
    }
    return null
  }

  #bucket(among: IdSet, dropped: number): Bucket | null {
    const left = new LeftDocuments(among)
    let ids = IdSet.empty
    const paths: (readonly number[])[] = []
    for (const chosen of combinations(this.#words, dropped)) {
      const removed = this.#without(chosen)
      if (removed === null) continue
      const found = freePaths(this.#graph.without(removed), left.read())
      paths.push(...found.paths)
      ids = ids.or(found.ids)
      left.take(found.ids)
      if (left.isEmpty) break
    }
    if (ids.isEmpty) return null
    return {
      ids,
      graph: this.#graph.ofPaths(paths, (node) => node),
      score: { kind: 'words', rank: this.#max - dropped, max: this.#max },
    }
  }

  /**
   * Returns the nodes that are dropped with these words, or null if the words may not be dropped.
   */
  #without(chosen: readonly number[]): ReadonlySet<number> | null {
    const removed = new Set(chosen)
    for (const word of chosen) {
      const group = this.#groupOf.get(word)!
      const { idLast } = this.#graph.nodes[word]!
      for (const [other, before] of this.#groupOf) {
        const node = this.#graph.nodes[other]!
        if (before >= group || node.idFirst <= idLast || removed.has(other)) continue
        if (idCount(node) === 1) return null
        removed.add(other)
      }
    }
    return removed
  }
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
