// The buckets of `proximity` for a query with one path: a document costs as much as its pairs of
// neighboring words together.
//
// Pairs are read one after another, and of a pair only the documents whose cost so far does not
// exceed that of the wanted bucket. The pair that is near in the fewest documents goes first: then
// the others are read for few documents.
import { IdSet } from '../../../format/idset/index.ts'
import type { QueryGraph } from '../query-graph/index.ts'
import { FAR, nearAmong, type Pair, type TextIndex } from '../segment-text/index.ts'
import type { Bucket, BucketSource } from './rule.ts'
import type { ScoreDetail } from './scores.ts'

/** The pairs of a path, whose documents all have its words. */
export type PairPath = {
  readonly index: TextIndex
  readonly graph: QueryGraph
  readonly pairs: readonly Pair[]
  /** The cost of all documents apart from distances. */
  readonly base: number
  readonly scoreOf: (cost: number, costMax: number) => ScoreDetail
}

/** Returns the cost of documents without near pairs, apart from `base`. */
export const costMaxOf = ({ pairs }: PairPath): number => pairs.length * FAR

export class PairBuckets implements BucketSource {
  readonly #path: PairPath
  readonly #documents: number
  readonly #costMax: number
  /** By number of pairs read, by their cost: documents that no bucket contains yet. */
  readonly #byCost: IdSet[][]
  #cost = -1

  /** `path`: with the pair first that is near in the fewest documents. */
  constructor(path: PairPath, universe: IdSet) {
    this.#path = path
    this.#documents = universe.size
    this.#costMax = costMaxOf(path)
    this.#byCost = Array.from({ length: path.pairs.length + 1 }, () =>
      new Array<IdSet>(this.#costMax + 1).fill(IdSet.empty),
    )
    this.#byCost[0]![0] = universe
  }

  next(left: IdSet): Bucket | null {
    const { base, graph, pairs, scoreOf } = this.#path
    while (this.#cost < this.#costMax) {
      const cost = ++this.#cost
      for (let read = 0; read < pairs.length; read++) {
        for (let sum = 0; sum <= cost; sum++) this.#readNext(read, sum)
      }
      const ids = this.#byCost[pairs.length]![cost]!.and(left)
      if (!ids.isEmpty) return { ids, graph, score: scoreOf(base + cost, base + this.#costMax) }
    }
    return null
  }

  /** Reads the next pair of the documents for which `read` pairs cost `sum`. */
  #readNext(read: number, sum: number): void {
    const all = this.#byCost[read]![sum]!
    if (all.isEmpty) return
    this.#byCost[read]![sum] = IdSet.empty
    const near = nearAmong(this.#path.index, this.#path.pairs[read]!, all, this.#documents)
    let far = all
    for (let cost = 0; cost < near.length; cost++) {
      this.#add(read + 1, sum + cost, near[cost]!)
      far = far.andNot(near[cost]!)
    }
    this.#add(read + 1, sum + FAR, far)
  }

  #add(read: number, sum: number, ids: IdSet): void {
    this.#byCost[read]![sum] = this.#byCost[read]![sum]!.or(ids)
  }
}

/** Returns up to `count` ids that are spread over a set, ascending. */
export function spreadIds(set: IdSet, count: number): Uint32Array {
  const { ids, words } = set
  if (set.isEmpty) return new Uint32Array(0)
  const found = new Uint32Array(count)
  let n = 0
  for (let i = 0; i < count; i++) {
    if (ids !== null) {
      const at = Math.floor((i * ids.length) / count)
      if (n === 0 || found[n - 1] !== ids[at]!) found[n++] = ids[at]!
      continue
    }
    const end = Math.floor(((i + 1) * words!.length) / count)
    let w = Math.floor((i * words!.length) / count)
    while (w < end && words![w] === 0) w++
    if (w < end) found[n++] = w * 32 + 31 - Math.clz32(words![w]! & -words![w]!)
  }
  return found.slice(0, n)
}
