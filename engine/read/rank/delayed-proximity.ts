// proximity on many documents: distances between words are read document by document, only for as
// many documents as the page needs. Reading them for all documents of a large index takes longer
// than a search may.
//
// The cost of a document is the sum of the costs of its pairs, because the query has one path left.
import type { DocId } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { mapped } from '../../runtime/index.ts'
import type { QueryGraph } from '../query-graph/index.ts'
import { FAR, nearAmong, type Pair, type TextIndex } from '../segment-text/index.ts'
import type { Bucket, BucketSource, Delayed } from './rule.ts'
import type { ScoreDetail } from './scores.ts'

/**
 * From this many documents on, the following rules are applied first. Below, results are cached for
 * the next searches, which saves more than the delay does.
 */
export const DELAYED_DOCUMENTS_MIN = 65_536

/** The inputs of a delayed rule. */
export type DelayedPath = {
  readonly index: TextIndex
  readonly universe: IdSet
  readonly graph: QueryGraph
  readonly pairs: readonly Pair[]
  /** The cost of all documents apart from distances. */
  readonly base: number
  readonly scoreOf: (cost: number, costMax: number) => ScoreDetail
}

/** Documents read at the same time when all are needed: bounds the memory for their occurrences. */
const READ_AT_ONCE = 65_536

const NO_IDS = new Uint32Array(0)

/** A pair of neighbors in the query, and the costs read so far. */
class DelayedPair {
  readonly #index: TextIndex
  readonly #pair: Pair
  readonly #documents: number
  /** One bit for each document: set if it was read. */
  readonly #read: Uint32Array
  /** For each cost below FAR, the documents with that cost. */
  readonly #byCost: readonly Uint32Array[]
  #readCount = 0
  #bestCount = 0

  /** `documents`: all documents that may be read; words: for their bits. */
  constructor(index: TextIndex, pair: Pair, documents: number, words: number) {
    this.#index = index
    this.#pair = pair
    this.#documents = documents
    this.#read = new Uint32Array(words)
    this.#byCost = Array.from({ length: FAR }, () => new Uint32Array(words))
  }

  /** The share of the documents read so far whose words are as near as possible. */
  get bestPart(): number {
    return this.#readCount === 0 ? 1 : this.#bestCount / this.#readCount
  }

  /** Reads ascending `ids`, which were not read before; returns those with cost 0. */
  readCosts(ids: Uint32Array): Uint32Array {
    // A copy, because the set may be cached: `ids` is a part of a longer list.
    const wanted = IdSet.ofSorted(ids.slice())
    const sets = nearAmong(this.#index, this.#pair, wanted, this.#documents)
    wanted.orInto(this.#read)
    for (let cost = 0; cost < sets.length; cost++) sets[cost]!.orInto(this.#byCost[cost]!)
    const best = sets[0]?.toArray() ?? NO_IDS
    this.#readCount += ids.length
    this.#bestCount += best.length
    return best
  }

  /** Adds the cost of each of ascending `ids`, reading those that were not read yet. */
  addCosts(ids: Uint32Array, costs: Uint8Array): void {
    const read = this.#read
    const left = ids.filter((id) => (read[id >>> 5]! & (1 << (id & 31))) === 0)
    for (let at = 0; at < left.length; at += READ_AT_ONCE) {
      this.readCosts(left.subarray(at, at + READ_AT_ONCE))
    }
    for (let d = 0; d < ids.length; d++) costs[d]! += this.#costOf(ids[d]!)
  }

  #costOf(id: DocId): number {
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
  readonly #pairs: DelayedPair[]
  /** Members of the best bucket returned so far, one bit each. */
  readonly #foundBest: Uint32Array
  readonly #costMax: number

  constructor(path: DelayedPath) {
    const { base, graph, index, pairs, scoreOf, universe } = path
    const words = (universe.max >>> 5) + 1
    this.#path = path
    this.graph = graph
    this.#pairs = mapped(pairs, (pair) => new DelayedPair(index, pair, universe.size, words))
    this.#foundBest = new Uint32Array(words)
    this.#costMax = pairs.length * FAR
    this.score = scoreOf(base, base + this.#costMax)
  }

  best(ids: Uint32Array): Uint32Array {
    // The pair that matched the smallest share so far goes first.
    this.#pairs.sort((a, b) => a.bestPart - b.bestPart)
    let best = ids
    for (const pair of this.#pairs) {
      if (best.length === 0) break
      best = pair.readCosts(best)
    }
    for (let i = 0; i < best.length; i++) this.#foundBest[best[i]! >>> 5]! |= 1 << (best[i]! & 31)
    return best
  }

  foundBest(): IdSet {
    return IdSet.ofWords(this.#foundBest.slice())
  }

  laterBuckets(left: IdSet): BucketSource {
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
