// proximity on many documents: distances between words are read document by document, only for as
// many documents as the page needs. Reading them for all documents of a large index takes longer
// than a search may.
//
// The cost of a document is the sum of the costs of its pairs, because the query has one path left.
// If its words stand side by side in few documents, the page is not filled by these, and all would
// be read in the order of the later rules: then the rule is not delayed.
import { IdSet } from '../../../format/idset/index.ts'
import { mapped } from '../../runtime/index.ts'
import type { QueryGraph } from '../query-graph/index.ts'
import { nearAmong, type Pair } from '../segment-text/index.ts'
import { costMaxOf, PairBuckets, type PairPath, spreadIds } from './pair-buckets.ts'
import type { BucketSource, Delayed } from './rule.ts'
import type { ScoreDetail } from './scores.ts'

/**
 * From this many documents on, the following rules are applied first. Below, results are cached for
 * the next searches, which saves more than the delay does.
 */
export const DELAYED_DOCUMENTS_MIN = 65_536
/** For more documents the rule is always delayed: reading all of them takes too long. */
const READ_WHOLE_MAX = 1 << 20
/** One of this many documents is sampled to estimate the share of the best bucket. */
const SAMPLE_STEP = 64
const SAMPLED_MIN = 64
const SAMPLED_MAX = 1024
/** Reading a document in the order of later rules costs as much as reading this many in a row. */
export const DELAY_COST = 4

const NO_IDS = new Uint32Array(0)

/** A pair of neighbors in the query, and the shares of documents read so far. */
class ReadPair {
  readonly pair: Pair
  readonly #path: PairPath
  readonly #documents: number
  #readCount = 0
  #bestCount = 0

  /** `documents`: all documents that may be read. */
  constructor(path: PairPath, pair: Pair, documents: number) {
    this.pair = pair
    this.#path = path
    this.#documents = documents
  }

  /** The share of the documents read so far whose words are as near as possible. */
  get bestPart(): number {
    return this.#readCount === 0 ? 1 : this.#bestCount / this.#readCount
  }

  /** Returns those of ascending `ids` with cost 0. */
  best(ids: Uint32Array): Uint32Array {
    // A copy, because the set may be cached: `ids` is a part of a longer list.
    const wanted = IdSet.ofSorted(ids.slice())
    const [nearest] = nearAmong(this.#path.index, this.pair, wanted, this.#documents)
    const best = nearest?.toArray() ?? NO_IDS
    this.#readCount += ids.length
    this.#bestCount += best.length
    return best
  }
}

/** The pairs of a path in some of the documents of `universe`; those near in the fewest go first. */
export class SampledPairs {
  readonly path: PairPath
  readonly universe: IdSet
  readonly #pairs: ReadPair[]
  /** The estimated share of documents of the best bucket: all pairs are as near as possible. */
  readonly #bestPart: number

  constructor(path: PairPath, universe: IdSet) {
    this.path = path
    this.universe = universe
    this.#pairs = mapped(path.pairs, (pair) => new ReadPair(path, pair, universe.size))
    const count = Math.floor(universe.size / SAMPLE_STEP)
    const ids = spreadIds(universe, Math.max(SAMPLED_MIN, Math.min(SAMPLED_MAX, count)))
    const inAll = this.#pairs.reduce((left, pair) => {
      const best = pair.best(ids)
      return left.and(IdSet.ofSorted(best.slice()))
    }, IdSet.ofSorted(ids))
    // More than the sample shows: in none of it the best bucket may still have a few.
    this.#bestPart = (inAll.size + 1 / 4) / ids.length
  }

  /** Returns those of ascending `ids` that are in the best bucket. */
  best(ids: Uint32Array): Uint32Array {
    let best = ids
    for (const pair of this.#inOrder()) {
      if (best.length === 0) break
      best = pair.best(best)
    }
    return best
  }

  /** Returns the documents of `left` by cost. */
  buckets(left: IdSet): BucketSource {
    const pairs = mapped(this.#inOrder(), ({ pair }) => pair)
    return new PairBuckets({ ...this.path, pairs }, left)
  }

  /**
   * Returns true if reading documents one after another until `hits` are in the best bucket costs
   * less than reading all. `cost`: as of DELAY_COST.
   */
  paysDelay(hits: number, cost: number): boolean {
    const { size } = this.universe
    return size > READ_WHOLE_MAX || hits * cost < size * this.#bestPart
  }

  #inOrder(): ReadPair[] {
    return this.#pairs.sort((a, b) => a.bestPart - b.bestPart)
  }
}

export class DelayedProximity implements Delayed {
  readonly score: ScoreDetail
  readonly graph: QueryGraph
  readonly #pairs: SampledPairs
  /** Members of the best bucket returned so far, one bit each. */
  readonly #foundBest: Uint32Array

  constructor(pairs: SampledPairs) {
    this.#pairs = pairs
    const { base, graph, scoreOf } = pairs.path
    this.graph = graph
    this.#foundBest = new Uint32Array((pairs.universe.max >>> 5) + 1)
    this.score = scoreOf(base, base + costMaxOf(pairs.path))
  }

  best(ids: Uint32Array): Uint32Array {
    const best = this.#pairs.best(ids)
    for (let i = 0; i < best.length; i++) this.#foundBest[best[i]! >>> 5]! |= 1 << (best[i]! & 31)
    return best
  }

  foundBest(): IdSet {
    return IdSet.ofWords(this.#foundBest.slice())
  }

  laterBuckets(left: IdSet): BucketSource {
    return this.#pairs.buckets(left)
  }
}
