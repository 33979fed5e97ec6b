// How many words the fields of a view's documents have.
import type { FieldId } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { type Found, uniteLive } from './live-sets.ts'
import type { SmallSegments } from './small-segments.ts'
import type { ViewSegments } from './view-segments.ts'

export class FieldLengths {
  readonly #view: ViewSegments
  readonly #small: SmallSegments

  readonly #words = new Map<FieldId, number>()

  constructor(view: ViewSegments, small: SmallSegments) {
    this.#view = view
    this.#small = small
  }

  /** See `TextIndex.docsOfLength`. */
  docsOf(field: FieldId, words: number, among: IdSet, readMax: number): IdSet {
    if (among.size <= readMax) return this.#readDocsOf(field, words, among)
    const { segments, texts, small, anySmall } = this.#view
    const found: Found[] = []
    for (let s = 0; s < segments.length; s++) {
      if (small[s] !== null) continue
      const { dead } = segments[s]!
      found.push({ set: texts[s]!.docsOfLength(field, words), dead })
    }
    if (anySmall) {
      const docs = this.#small.docs.and(among)
      found.push({ set: this.#readDocsOf(field, words, docs), dead: null })
    }
    return uniteLive(found).and(among)
  }

  /** See `TextIndex.wordsInField`. */
  wordsOf(field: FieldId): number {
    let words = this.#words.get(field)
    if (words === undefined) this.#words.set(field, (words = this.#countWords(field)))
    return words
  }

  #countWords(field: FieldId): number {
    let words = 0
    for (const [s, { dead, reader }] of this.#view.segments.entries()) {
      words += this.#view.texts[s]!.wordsOf(field)
      if (dead === null || dead.isEmpty) continue
      const ids = dead.toArray()
      const lengths = new Uint16Array(ids.length)
      reader.lengths.lengthsOf(field, ids, ids.length, lengths)
      for (let i = 0; i < lengths.length; i++) words -= lengths[i]!
    }
    return words
  }

  #readDocsOf(field: FieldId, words: number, among: IdSet): IdSet {
    const ids = among.toArray()
    const lengths = new Uint16Array(ids.length)
    this.read(field, ids, lengths)
    return IdSet.ofSorted(ids.filter((_, i) => lengths[i] === words))
  }

  /** Writes the number of words of `field` in each of ascending `ids` into `out`. */
  read(field: FieldId, ids: Uint32Array, out: Uint16Array): void {
    const { segments, small } = this.#view
    out.fill(0, 0, ids.length)
    const part = new Uint16Array(ids.length)
    const noneInSmall = this.#small.among(ids).length === 0
    for (let s = 0; s < segments.length; s++) {
      if (noneInSmall && small[s] !== null) continue
      const { dead, reader } = segments[s]!
      reader.lengths.lengthsOf(field, ids, ids.length, part)
      for (let i = 0; i < ids.length; i++) {
        if (part[i] !== 0 && (dead === null || !dead.has(ids[i]!))) out[i] = part[i]!
      }
    }
  }
}
