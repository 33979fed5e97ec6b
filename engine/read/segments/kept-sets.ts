// How many sets of documents stay with their words: a ceiling in bytes, the oldest go first.
import type { Word } from './word.ts'

type Entry = { readonly word: Word; readonly scope: string; readonly bytes: number }

export class KeptSets {
  readonly #bytesMax: number
  /** The oldest first. */
  readonly #entries: Entry[] = []
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Counts a set that was just put under `scope` of the word; takes others off their words. */
  add(word: Word, scope: string, bytes: number): void {
    this.#entries.push({ word, scope, bytes })
    this.#bytes += bytes
    if (this.#bytes <= this.#bytesMax) return
    // Half goes at once: taking one off the front of a long list costs as much.
    let drop = 0
    while (this.#bytes > this.#bytesMax / 2 && drop < this.#entries.length - 1) {
      const oldest = this.#entries[drop++]!
      oldest.word.docsByScope?.delete(oldest.scope)
      this.#bytes -= oldest.bytes
    }
    this.#entries.splice(0, drop)
  }
}
