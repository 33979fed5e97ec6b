// The words of one view: in which segments a word is, whether a live document contains it, and
// where it can be split. A view never changes, so found words are cached.
import { encoder } from '../../../format/bytes/index.ts'
import type { TermOrdinal } from '../../../format/ids.ts'
import { hashOfText } from './small-terms.ts'
import type { SplitPart } from './split-parts.ts'
import type { StreamTerm } from './term-streams.ts'
import type { ViewSegments } from './view-segments.ts'
import { textWithin, Word } from './word.ts'

/**
 * Words cached for each view before the oldest half is dropped: about 200 bytes each without their
 * sets.
 */
const CACHED_WORDS_MAX = 20_000

/** A position where a word can be split. */
export type Split = {
  /** The split in the largest segment. */
  readonly part: SplitPart
  /** True if another segment may have both parts. */
  readonly isElsewhere: boolean
}

export class ViewWords {
  readonly #view: ViewSegments
  readonly #words = new Map<string, Word | null>()

  constructor(view: ViewSegments) {
    this.#view = view
  }

  /**
   * Returns the word if a live document contains it in any field, else null. The name of the words
   * that contain a text gives these words if a segment has one, live or not.
   */
  word(text: string): Word | null {
    const cached = this.#words.get(text)
    if (cached !== undefined) return cached
    const within = textWithin(text)
    const word = within === null ? this.#single(text) : this.#several(text, within)
    this.#remember(text, word)
    return word
  }

  #single(text: string): Word | null {
    if (text === '') return null
    const hash = this.#view.segments.length > 1 ? hashOfText(text) : 0
    return this.#find(text, hash, -1, -1)
  }

  #several(text: string, within: string): Word | null {
    const { segments, texts } = this.#view
    let frequencyMax = 0
    for (let s = 0; s < segments.length; s++) {
      if (texts[s]!.termsWith(within).length > 0) frequencyMax += segments[s]!.reader.documentCount
    }
    const none = new Int32Array(segments.length).fill(-1)
    return frequencyMax === 0 ? null : new Word(text, none, frequencyMax, within)
  }

  /** Returns the word of a term found by a walk in a segment; -1 stands for the novel terms. */
  wordOf({ text, hash, ordinal }: StreamTerm, segment: number): Word | null {
    const cached = this.#words.get(text)
    if (cached !== undefined) return cached
    const word = this.#find(text, hash, segment, ordinal)
    this.#remember(text, word)
    return word
  }

  /** `ordinal`: the ordinal already known in segment `home`. */
  #find(text: string, hash: number, home: number, ordinal: TermOrdinal): Word | null {
    const { segments, texts, tables, small } = this.#view
    const ordinals = new Int32Array(segments.length)
    let utf8: Uint8Array | null = null
    let frequencyMax = 0
    let isAlive = false
    for (let s = 0; s < ordinals.length; s++) {
      const mayHave = tables[s]?.mayHave(hash) ?? true
      let found = -1
      if (s === home) found = ordinal
      else if (mayHave && small[s] === null) found = texts[s]!.ordinalOf(text)
      else if (mayHave) {
        utf8 ??= encoder.encode(text)
        found = segments[s]!.reader.fst.ordinalOf(utf8, 0, utf8.length)
      }
      ordinals[s] = found
      if (found < 0) continue
      frequencyMax += segments[s]!.reader.documentFrequency(found)
      isAlive ||= texts[s]!.isAlive(found, segments[s]!.dead)
    }
    return isAlive ? new Word(text, ordinals, frequencyMax) : null
  }

  #remember(text: string, word: Word | null): void {
    if (this.#words.size >= CACHED_WORDS_MAX) {
      let drop = CACHED_WORDS_MAX / 2
      for (const key of this.#words.keys()) {
        if (drop-- === 0) break
        this.#words.delete(key)
      }
    }
    this.#words.set(text, word)
  }

  /**
   * Returns the positions where a word can be split, from the left, if one segment may have both
   * parts; no document contains any other split.
   */
  splitsOf(text: string): readonly Split[] {
    const { largest, texts } = this.#view
    const splits: Split[] = []
    if (largest < 0) return splits
    for (const part of texts[largest]!.splitParts.of(text)) {
      const isElsewhere = this.#othersMayHaveBoth(text, part)
      if (part.bothMax > 0 || isElsewhere) splits.push({ part, isElsewhere })
    }
    return splits
  }

  #othersMayHaveBoth(text: string, { at, leftHash, rightHash }: SplitPart): boolean {
    const { segments, texts, tables, largest } = this.#view
    for (let s = 0; s < segments.length; s++) {
      if (s === largest) continue
      const table = tables[s]!
      if (table !== null) {
        if (table.mayHave(leftHash) && table.mayHave(rightHash)) return true
        continue
      }
      const segment = texts[s]!
      if (segment.ordinalOf(text.slice(0, at)) < 0) continue
      if (segment.ordinalOf(text.slice(at)) >= 0) return true
    }
    return false
  }
}
