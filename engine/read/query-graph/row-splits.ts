// Finds how a word can be split into words of the index that follow each other in a document:
// `qx12700` into `qx 12 700`, and a run of a script without spaces, which a segmenter cuts elsewhere
// in a text than in a query (docs/search-semantics.md#words-that-match-a-query-word).
//
// For each number of parts, dynamic programming over the ends of parts finds the documents that
// have all parts of a split, in any order. In some of these documents the splits are read from the
// positions: at one position stands one word, so there is little to try.
import { IdSet } from '../../../format/idset/index.ts'
import {
  EVERYWHERE,
  type LocalOccurrences,
  type TextIndex,
  type Word,
} from '../segment-text/index.ts'
import { SPLIT_CHARS_MAX, SPLIT_DOCUMENTS_MAX, SPLIT_LIST_MAX } from './limits.ts'
import { type Phrase, phraseOf } from './phrase.ts'

export type RowSplitOptions = {
  /** True if the last part may be the beginning of a word. */
  readonly isPrefix: boolean
  readonly partsMin: number
  readonly partsMax: number
  /**
   * True for a script without spaces: splits in more parts are looked for after some were found,
   * and a single character is enough for the beginning of a word. In other scripts it would be the
   * second of two words too often: `suns` is not `sun s…`.
   */
  readonly isRun: boolean
}

/** Returns the splits of a text, those of the fewest parts first, then those of most documents. */
export function splitsInRow(index: TextIndex, text: string, options: RowSplitOptions): Phrase[] {
  const found: Phrase[] = []
  if (text.length > SPLIT_CHARS_MAX) return found
  const search = new RowSearch(index, text, options)
  for (let parts = 2; parts <= options.partsMax; parts++) {
    const ids = search.documentsOf(parts)
    if (ids === null) break
    if (parts < options.partsMin || ids.isEmpty) continue
    found.push(...search.splits(parts, ids))
    if (found.length >= SPLIT_LIST_MAX) break
    if (found.length > 0 && !options.isRun) break
  }
  return found.slice(0, SPLIT_LIST_MAX)
}

/** The end of a part, and the documents that have parts up to it. */
type Reached = { readonly at: number; readonly docs: IdSet }

class RowSearch {
  readonly #index: TextIndex
  readonly #text: string
  readonly #isPrefix: boolean
  readonly #isRun: boolean
  /** Where a part may end, ascending; the last one is the end of the text. */
  readonly #bounds: readonly number[]
  /** By beginning and end, see `#keyOf`. */
  readonly #words = new Map<number, Word | null>()
  readonly #occurrences = new Map<number, LocalOccurrences | null>()
  /** The documents reached with as many parts as were last asked for, before the last part. */
  #reached: readonly Reached[] = []
  /** The last part begins here at the latest. */
  #lastFromMax = 0

  constructor(index: TextIndex, text: string, { isPrefix, isRun }: RowSplitOptions) {
    this.#index = index
    this.#text = text
    this.#isPrefix = isPrefix
    this.#isRun = isRun
    const bounds: number[] = []
    for (let at = 1; at <= text.length; at++) {
      if (at === text.length || !isLowSurrogate(text.charCodeAt(at))) bounds.push(at)
    }
    this.#bounds = bounds
  }

  /**
   * Returns the documents with all parts of a split in `parts`; null if no document has a split in
   * as many parts or more. Called with 2, 3, … in order.
   */
  documentsOf(parts: number): IdSet | null {
    this.#reached = parts === 2 ? this.#first() : this.#further()
    if (this.#reached.length === 0) return null
    const needsTwo = parts === 2 && this.#isPrefix && !this.#isRun
    this.#lastFromMax = needsTwo ? (this.#bounds.at(-3) ?? 0) : this.#text.length
    let all = IdSet.empty
    for (const { at, docs } of this.#reached) {
      if (at <= this.#lastFromMax) all = all.or(docs.and(this.#lastDocs(at)))
    }
    return all
  }

  #first(): Reached[] {
    const reached: Reached[] = []
    for (const at of this.#bounds) {
      const word = at === this.#text.length ? null : this.#word(0, at)
      if (word !== null) reached.push({ at, docs: this.#index.docs(word, EVERYWHERE) })
    }
    return reached
  }

  #further(): Reached[] {
    const reached: Reached[] = []
    for (const at of this.#bounds) {
      if (at === this.#text.length) break
      let docs = IdSet.empty
      for (const before of this.#reached) {
        if (before.at >= at) break
        const word = this.#word(before.at, at)
        if (word !== null) docs = docs.or(before.docs.and(this.#index.docs(word, EVERYWHERE)))
      }
      if (!docs.isEmpty) reached.push({ at, docs })
    }
    return reached
  }

  #lastDocs(from: number): IdSet {
    const last = this.#text.slice(from)
    if (this.#isPrefix) return this.#index.prefixDocs(last, EVERYWHERE)
    const word = this.#word(from, this.#text.length)
    return word === null ? IdSet.empty : this.#index.docs(word, EVERYWHERE)
  }

  #word(from: number, to: number): Word | null {
    const key = this.#keyOf(from, to)
    let word = this.#words.get(key)
    if (word === undefined) {
      word = this.#index.word(this.#text.slice(from, to))
      this.#words.set(key, word)
    }
    return word
  }

  #keyOf(from: number, to: number): number {
    return from * (this.#text.length + 1) + to
  }

  /** Returns the splits that occur in the first of these documents. */
  splits(parts: number, among: IdSet): Phrase[] {
    const all = among.toArray()
    const ids = all.subarray(0, SPLIT_DOCUMENTS_MAX)
    this.#occurrences.clear()
    const counts = new Map<string, { readonly bounds: readonly number[]; count: number }>()
    for (let d = 0; d < ids.length; d++) {
      const inDocument = new Map<string, readonly number[]>()
      this.#follow(ids, d, [], -1, parts, inDocument)
      for (const [key, bounds] of inDocument) {
        const known = counts.get(key)
        if (known === undefined) counts.set(key, { bounds, count: 1 })
        else known.count++
      }
    }
    return [...counts.values()]
      .sort((a, b) => b.count - a.count || compareBounds(a.bounds, b.bounds))
      .map(({ bounds }) => this.#phrase(bounds))
  }

  #phrase(bounds: readonly number[]): Phrase {
    const words = bounds.map((end, i) => this.#text.slice(i === 0 ? 0 : bounds[i - 1]!, end))
    return phraseOf(words, this.#isPrefix)
  }

  /**
   * Adds the splits that begin with parts up to `bounds` and go on at `place` (-1 for anywhere) with
   * `parts` further parts.
   */
  #follow(
    ids: Uint32Array,
    d: number,
    bounds: readonly number[],
    place: number,
    parts: number,
    out: Map<string, readonly number[]>,
  ): void {
    const from = bounds.at(-1) ?? 0
    if (parts === 1 && from > this.#lastFromMax) return
    for (const to of this.#bounds) {
      const isLast = to === this.#text.length
      if (to <= from || isLast !== (parts === 1)) continue
      const found = this.#occurrencesOf(from, to, ids)
      if (found === null) continue
      const ends = [...bounds, to]
      const { packed, starts } = found
      for (let i = starts[d]!; i < starts[d + 1]!; i++) {
        const at = packed[i]!
        if (place >= 0 && at !== place) continue
        if (isLast) out.set(ends.join(), ends)
        else if ((at & 0xffff) < 0xffff) this.#follow(ids, d, ends, at + 1, parts - 1, out)
      }
    }
  }

  #occurrencesOf(from: number, to: number, ids: Uint32Array): LocalOccurrences | null {
    const key = this.#keyOf(from, to)
    let found = this.#occurrences.get(key)
    if (found === undefined) {
      const isTail = this.#isPrefix && to === this.#text.length
      const word = isTail ? null : this.#word(from, to)
      found =
        !isTail && word === null
          ? null
          : this.#index.occurrences(
              word === null ? [] : [word],
              isTail ? this.#text.slice(from, to) : null,
              ids,
            )
      this.#occurrences.set(key, found)
    }
    return found
  }
}

function compareBounds(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!
  return 0
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
