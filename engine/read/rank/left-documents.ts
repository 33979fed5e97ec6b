// The documents of a set that no bucket has taken yet.
//
// A set of a large index has a bit for each document of the index, and most pages are full before
// the documents that are left are needed. So they are computed when they are read.
import type { IdSet } from '../../../format/idset/index.ts'

export class LeftDocuments {
  #set: IdSet
  #size: number
  readonly #taken: IdSet[] = []
  /** The number of sets taken so far. */
  takes = 0

  constructor(set: IdSet) {
    this.#set = set
    this.#size = set.size
  }

  get isEmpty(): boolean {
    return this.#size === 0
  }

  /** Takes documents, which are all left. */
  take(ids: IdSet): void {
    this.#taken.push(ids)
    this.#size -= ids.size
    this.takes++
  }

  /** Removes any documents. */
  remove(ids: IdSet): void {
    this.#set = this.read().andNot(ids)
    this.#size = this.#set.size
  }

  /** Returns the documents that are left. */
  read(): IdSet {
    for (const ids of this.#taken) this.#set = this.#set.andNot(ids)
    this.#taken.length = 0
    return this.#set
  }
}
