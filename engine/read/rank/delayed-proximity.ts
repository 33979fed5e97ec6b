// proximity on many documents: how near words stand to each other is read document by document, as
// far as the page needs. Reading it in all of 557,000 documents takes a second.
//
// A document costs what its pairs cost, each for itself, because the query has one path left.
import { assert } from '../../../format/errors.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { GraphNode, QueryGraph } from '../query/index.ts'
import { costsOfPair, FAR, type Pair, type TextIndex } from '../segments/index.ts'
import type { Bucket, BucketSource, Delayed } from './rule.ts'
import type { ScoreDetail } from './scores.ts'

/**
 * From so many documents on rules behind it are asked first. Below, what was found is cached for
 * the next searches: frequent words of 25,000 documents take 2 ms a search so, and 10 ms delayed.
 */
export const DELAYED_DOCUMENTS_MIN = 65_536

/** The nodes of a graph with one path, in order; null: it has several. */
export function singlePath(graph: QueryGraph): readonly GraphNode[] | null {
  const nodes: GraphNode[] = []
  for (let next = graph.start; ; next = graph.next[next[0]!]!) {
    if (next.length !== 1) return null
    if (next[0] === graph.end) return nodes
    nodes.push(graph.nodes[next[0]!]!)
  }
}

/** What a delayed rule is made of. */
export type DelayedPath = {
  readonly index: TextIndex
  readonly universe: IdSet
  readonly graph: QueryGraph
  readonly pairs: readonly Pair[]
  /** What all documents cost, however near the words are. */
  readonly base: number
  readonly scoreOf: (cost: number, costMax: number) => ScoreDetail
}

export class DelayedProximity implements Delayed {
  readonly score: ScoreDetail
  readonly graph: QueryGraph
  readonly #path: DelayedPath
  /** By cost of the pairs: the documents that were looked at, as dense words. */
  readonly #byCost: Uint32Array[] = []
  readonly #costMax: number

  constructor(path: DelayedPath) {
    const { base, graph, pairs, scoreOf, universe } = path
    const words = (universe.max >>> 5) + 1
    this.#path = path
    this.graph = graph
    this.#costMax = pairs.length * FAR
    for (let cost = 0; cost <= this.#costMax; cost++) this.#byCost.push(new Uint32Array(words))
    this.score = scoreOf(base, base + this.#costMax)
  }

  best(ids: Uint32Array): Uint32Array {
    const costs = this.#look(ids)
    const best = new Uint32Array(ids.length)
    let n = 0
    for (let d = 0; d < ids.length; d++) if (costs[d] === 0) best[n++] = ids[d]!
    return best.subarray(0, n)
  }

  told(): IdSet {
    return IdSet.ofWords(this.#byCost[0]!.slice())
  }

  rest(left: IdSet): BucketSource {
    let unknown = left
    for (const words of this.#byCost) unknown = unknown.andNot(IdSet.ofWords(words.slice()))
    if (!unknown.isEmpty) this.#look(unknown.toArray())
    let cost = 0
    return {
      next: (among): Bucket | null => {
        while (++cost <= this.#costMax) {
          const ids = among.and(IdSet.ofWords(this.#byCost[cost]!))
          if (!ids.isEmpty) return { ids, graph: this.graph, score: this.#scoreOf(cost) }
        }
        return null
      },
    }
  }

  #scoreOf(cost: number): ScoreDetail {
    const { base, scoreOf } = this.#path
    return scoreOf(base + cost, base + this.#costMax)
  }

  /** What the pairs cost in ascending `ids`; notes it. */
  #look(ids: Uint32Array): Uint8Array {
    const { index, pairs } = this.#path
    const [first, ...others] = pairs
    assert(first !== undefined, 'a delayed path has a pair')
    const costs = costsOfPair(index, first, ids)
    for (const pair of others) {
      const more = costsOfPair(index, pair, ids)
      for (let d = 0; d < costs.length; d++) costs[d]! += more[d]!
    }
    for (let d = 0; d < ids.length; d++) {
      const id = ids[d]!
      this.#byCost[costs[d]!]![id >>> 5]! |= 1 << (id & 31)
    }
    return costs
  }
}
