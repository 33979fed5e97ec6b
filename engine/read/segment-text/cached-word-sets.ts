// Limits the bytes of document sets that are cached with words; drops the oldest first.
import type { Shrinking } from '../../../format/cache/index.ts'
import type { Word } from './word.ts'

type Entry = { readonly word: Word; readonly scope: string; readonly bytes: number }

export class CachedWordSets implements Shrinking {
  readonly #bytesMax: number
  /** Oldest first. */
  readonly #entries: Entry[] = []
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get byteLength(): number {
    return this.#bytes
  }

  /**
   * Adds a set that was just stored under `scope` of the word; may remove the sets of other words.
   */
  add(word: Word, scope: string, bytes: number): void {
    this.#entries.push({ word, scope, bytes })
    this.#bytes += bytes
    if (this.#bytes <= this.#bytesMax) return
    // Drops half at a time, because removing one from the front of a long list costs the same.
    this.#drop(this.#bytesMax / 2, this.#entries.length - 1)
  }

  shrinkTo(bytes: number): void {
    this.#drop(bytes, this.#entries.length)
  }

  /** Drops up to `most` sets until `bytes` are left. */
  #drop(bytes: number, most: number): void {
    let drop = 0
    while (this.#bytes > bytes && drop < most) {
      const oldest = this.#entries[drop++]!
      oldest.word.docsByScope?.delete(oldest.scope)
      this.#bytes -= oldest.bytes
    }
    this.#entries.splice(0, drop)
  }
}
