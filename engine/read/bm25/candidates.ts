// The documents that may still be among the best ones, with their scores so far: two parallel
// arrays, ascending by id.
import { IdSet } from '../../../format/idset/index.ts'
import { TOP_MAX } from './limits.ts'
import { TopScores } from './top-scores.ts'

/** Documents with their scores, best first; equal ones by ascending id. */
export type Scored = {
  readonly ids: Uint32Array
  readonly scores: Float32Array
  /** True if time was up before all words were read. */
  readonly isCut: boolean
}

/**
 * Scores that are equal as 32-bit floats, in which they are compared in the end, differ by less than
 * this part of them.
 */
const ROUNDING = 1e-6

export class Candidates {
  readonly #count: number
  #ids: Uint32Array = new Uint32Array(0)
  #scores: Float64Array = new Float64Array(0)
  /** No document below this score is among the best `count`; 0 if there are fewer documents. */
  #least = 0

  /** `count`: how many documents are wanted. */
  constructor(count: number) {
    this.#count = count
  }

  /** Returns true if a document that is not here yet cannot reach the best with `left` more. */
  isClosed(left: number): boolean {
    return left < this.#least * (1 - ROUNDING)
  }

  /** The documents, as a set. */
  set(): IdSet {
    return IdSet.ofSorted(this.#ids)
  }

  /** Adds to the scores of ascending `ids`; new documents begin with zero. */
  add(ids: Uint32Array, scores: Float64Array): void {
    if (this.#ids.length === 0) {
      this.#ids = ids
      this.#scores = scores
      return
    }
    if (!this.#addToKnown(ids, scores)) this.#merge(ids, scores)
  }

  /** Adds to documents that are here already; returns false, without a change, if one is not. */
  #addToKnown(ids: Uint32Array, scores: Float64Array): boolean {
    if (ids.length > this.#ids.length) return false
    const places = new Uint32Array(ids.length)
    let at = 0
    for (let i = 0; i < ids.length; i++) {
      while (at < this.#ids.length && this.#ids[at]! < ids[i]!) at++
      if (this.#ids[at] !== ids[i]) return false
      places[i] = at
    }
    for (let i = 0; i < ids.length; i++) this.#scores[places[i]!]! += scores[i]!
    return true
  }

  #merge(ids: Uint32Array, scores: Float64Array): void {
    const own = this.#ids
    const ownScores = this.#scores
    const most = own.length + ids.length
    const all = new Uint32Array(most)
    const sums = new Float64Array(most)
    let i = 0
    let j = 0
    let n = 0
    while (i < own.length && j < ids.length) {
      const a = own[i]!
      const b = ids[j]!
      if (a < b) {
        all[n] = a
        sums[n++] = ownScores[i++]!
      } else if (b < a) {
        all[n] = b
        sums[n++] = scores[j++]!
      } else {
        all[n] = a
        sums[n++] = ownScores[i++]! + scores[j++]!
      }
    }
    for (; i < own.length; i++) {
      all[n] = own[i]!
      sums[n++] = ownScores[i]!
    }
    for (; j < ids.length; j++) {
      all[n] = ids[j]!
      sums[n++] = scores[j]!
    }
    this.#ids = all.subarray(0, n)
    this.#scores = sums.subarray(0, n)
  }

  /** Drops the documents that cannot reach the best with `left` more. */
  drop(left: number): void {
    this.#least = leastOfBest(this.#scores, this.#count)
    const needed = (this.#least - left) * (1 - ROUNDING)
    if (needed <= 0) return
    const ids = this.#ids
    const scores = this.#scores
    let kept = 0
    for (let i = 0; i < scores.length; i++) if (scores[i]! >= needed) kept++
    if (kept === ids.length) return
    // Copied, because the ids may belong to a set.
    this.#ids = new Uint32Array(kept)
    this.#scores = new Float64Array(kept)
    let n = 0
    for (let i = 0; i < ids.length; i++) {
      if (scores[i]! < needed) continue
      this.#ids[n] = ids[i]!
      this.#scores[n++] = scores[i]!
    }
  }

  /**
   * Returns the documents, best first. If fewer than wanted have a score, also the others of
   * `universe`, which have no word that counts: they equal those whose words weigh nothing.
   */
  best(universe: IdSet, isCut: boolean): Scored {
    if (this.#ids.length < universe.size && leastOfBest(this.#scores, this.#count) === 0) {
      this.add(universe.toArray(), new Float64Array(universe.size))
    }
    const scores = Float32Array.from(this.#scores)
    const order = new Uint32Array(scores.length)
    for (let i = 0; i < order.length; i++) order[i] = i
    order.sort((a, b) => scores[b]! - scores[a]! || a - b)
    const ids = order.map((i) => this.#ids[i]!)
    return { ids, scores: Float32Array.from(order, (i) => scores[i]!), isCut }
  }
}

/** Returns the score of the document at place `count`, or 0 if there are fewer. */
function leastOfBest(scores: Float64Array, count: number): number {
  if (count === 0 || scores.length < count) return 0
  if (count > TOP_MAX) return scores.slice().sort()[scores.length - count]!
  const top = new TopScores(count)
  for (let i = 0; i < scores.length; i++) top.add(scores[i]!)
  return top.least
}
