// proximity on many documents: how near words stand to each other is read document by document, as
// far as the page needs. Reading it in all of 557,000 documents takes a second.
//
// A document costs what its pairs cost, each for itself, because the query has one path left.
import { IdSet } from '../../../format/idset/index.ts'
import { mapped } from '../../model/index.ts'
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

/** Documents that are read at once where all are: it bounds what their occurrences take. */
const READ_AT_ONCE = 65_536

/** A pair of neighbours in the query, and what was read of it. */
class LatePair {
  readonly #index: TextIndex
  readonly #pair: Pair
  /** One bit a document: those that were read. */
  readonly #read: Uint32Array
  /** By cost below FAR: those that cost it. */
  readonly #byCost: readonly Uint32Array[]
  #readCount = 0
  #bestCount = 0

  constructor(index: TextIndex, pair: Pair, words: number) {
    this.#index = index
    this.#pair = pair
    this.#read = new Uint32Array(words)
    this.#byCost = Array.from({ length: FAR }, () => new Uint32Array(words))
  }

  /** Which part of the documents read so far stands as near as can be. */
  get bestPart(): number {
    return this.#readCount === 0 ? 1 : this.#bestCount / this.#readCount
  }

  /** Reads ascending `ids`, which were not read before; those that cost nothing. */
  look(ids: Uint32Array): Uint32Array {
    const costs = costsOfPair(this.#index, this.#pair, ids)
    const best = new Uint32Array(ids.length)
    let n = 0
    for (let d = 0; d < ids.length; d++) {
      const id = ids[d]!
      const bit = 1 << (id & 31)
      this.#read[id >>> 5]! |= bit
      const cost = costs[d]!
      if (cost === 0) best[n++] = id
      if (cost < FAR) this.#byCost[cost]![id >>> 5]! |= bit
    }
    this.#readCount += ids.length
    this.#bestCount += n
    return best.subarray(0, n)
  }

  /** Adds what each of ascending `ids` costs; those not read yet are read. */
  addCosts(ids: Uint32Array, costs: Uint8Array): void {
    const read = this.#read
    const left = ids.filter((id) => (read[id >>> 5]! & (1 << (id & 31))) === 0)
    for (let at = 0; at < left.length; at += READ_AT_ONCE) {
      this.look(left.subarray(at, at + READ_AT_ONCE))
    }
    for (let d = 0; d < ids.length; d++) costs[d]! += this.#costOf(ids[d]!)
  }

  #costOf(id: number): number {
    for (let cost = 0; cost < FAR; cost++) {
      if ((this.#byCost[cost]![id >>> 5]! & (1 << (id & 31))) !== 0) return cost
    }
    return FAR
  }
}

export class DelayedProximity implements Delayed {
  readonly score: ScoreDetail
  readonly graph: QueryGraph
  readonly #path: DelayedPath
  readonly #pairs: LatePair[]
  /** Members of the best bucket that were told, one bit each. */
  readonly #told: Uint32Array
  readonly #costMax: number

  constructor(path: DelayedPath) {
    const { base, graph, index, pairs, scoreOf, universe } = path
    const words = (universe.max >>> 5) + 1
    this.#path = path
    this.graph = graph
    this.#pairs = mapped(pairs, (pair) => new LatePair(index, pair, words))
    this.#told = new Uint32Array(words)
    this.#costMax = pairs.length * FAR
    this.score = scoreOf(base, base + this.#costMax)
  }

  best(ids: Uint32Array): Uint32Array {
    // The pair that leaves the fewest first, as far as is known.
    this.#pairs.sort((a, b) => a.bestPart - b.bestPart)
    let best = ids
    for (const pair of this.#pairs) {
      if (best.length === 0) break
      best = pair.look(best)
    }
    for (let i = 0; i < best.length; i++) this.#told[best[i]! >>> 5]! |= 1 << (best[i]! & 31)
    return best
  }

  told(): IdSet {
    return IdSet.ofWords(this.#told.slice())
  }

  rest(left: IdSet): BucketSource {
    const ids = left.toArray()
    const costs = new Uint8Array(ids.length)
    for (const pair of this.#pairs) pair.addCosts(ids, costs)
    let cost = 0
    return {
      next: (among): Bucket | null => {
        while (++cost <= this.#costMax) {
          const found = among.and(IdSet.ofSorted(ids.filter((_, d) => costs[d] === cost)))
          if (!found.isEmpty) return { ids: found, graph: this.graph, score: this.#scoreOf(cost) }
        }
        return null
      },
    }
  }

  #scoreOf(cost: number): ScoreDetail {
    const { base, scoreOf } = this.#path
    return scoreOf(base + cost, base + this.#costMax)
  }
}
