// Collects many sets and lists into one. Each collector reuses one scratch bitmap and reads and
// clears only the words that were written, so small unions are cheap in a large id space.

import { withRoom } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import { orEncoded } from './encoded-v1.ts'
import { IdSet } from './idset.ts'

export class IdUnion {
  #words: Uint32Array
  #low = 0
  #high = 0

  /** Reserves room for ids below `idEnd`; a larger id makes the bitmap grow. */
  constructor(idEnd: number) {
    this.#words = new Uint32Array((idEnd >>> 5) + 1)
    this.#reset()
  }

  add(id: number): void {
    const word = id >>> 5
    if (word >= this.#words.length) this.#grow(word)
    this.#words[word]! |= 1 << (id & 31)
    if (word < this.#low) this.#low = word
    if (word > this.#high) this.#high = word
  }

  addSet(set: IdSet): void {
    if (set.isEmpty) return
    this.#span(set.min >>> 5, set.max >>> 5)
    set.orInto(this.#words)
  }

  /**
   * Adds the encoded set at `at`, whose bytes the caller has verified. Its ids must be in
   * [smallest, largest].
   */
  addEncoded(bytes: Uint8Array, at: number, smallest: number, largest: number): void {
    assert(smallest <= largest, 'the smallest id is not above the largest')
    this.#span(smallest >>> 5, largest >>> 5)
    orEncoded(bytes, at, this.#words)
  }

  /** Returns the union so far and empties the collector. */
  take(): IdSet {
    const low = this.#low
    const high = this.#high
    this.#reset()
    if (low > high) return IdSet.empty
    const words = this.#words.slice(0, high + 1)
    this.#words.fill(0, low, high + 1)
    return IdSet.ofWords(words)
  }

  #reset(): void {
    this.#low = Number.MAX_SAFE_INTEGER
    this.#high = -1
  }

  #span(low: number, high: number): void {
    if (high >= this.#words.length) this.#grow(high)
    if (low < this.#low) this.#low = low
    if (high > this.#high) this.#high = high
  }

  #grow(word: number): void {
    this.#words = withRoom(this.#words, word + 1)
  }
}
