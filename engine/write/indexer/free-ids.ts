// Which document id a new document takes: the smallest that is free, holes first, then on from the
// largest. The ids in use are those before the batch: what the batch itself sets free, a later one
// may take.
import { assert } from '../../../format/errors.ts'
import type { IdSet } from '../../../format/idset/index.ts'

/** Ids stay below this, so that one more is still a u32. */
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
