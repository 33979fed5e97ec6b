// Assigns ids to new documents: the smallest free id, first in gaps, then above the largest. Ids
// are in use if they were before the batch: ids that the batch itself frees are available to later
// batches.
import { assert } from '../../../format/errors.ts'
import type { IdSet } from '../../../format/idset/index.ts'

/** Ids stay below this, so that the next number is still a u32. */
const DOCUMENTS_MAX = 0xffff_fff0

export class FreeIds {
  readonly #used: Uint32Array
  #at = 0
  #next = 0

  constructor(live: IdSet) {
    this.#used = live.toArray()
  }

  take(): number {
    const used = this.#used
    while (this.#at < used.length && used[this.#at] === this.#next) {
      this.#at++
      this.#next++
    }
    assert(this.#next < DOCUMENTS_MAX, 'an index has fewer documents than ids')
    return this.#next++
  }
}
