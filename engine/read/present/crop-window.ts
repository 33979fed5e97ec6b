// Chooses the part of a text that is shown when it is cropped: where the most query words occur
// closest together, and as many words around it as there is room for
// (docs/search-semantics.md#cropping).
import {
  POSITION_FIRST,
  POSITION_LAST,
  type TextMatches,
  TOKEN_FIRST,
  TOKEN_LAST,
  WORD_FIRST,
  WORD_LAST,
} from './text-matches.ts'
import { HARD_TOKEN, SOFT_TOKEN, type TokenList, WORD_TOKEN } from './token-list.ts'

/** Larger distances between words count as this. */
const GAP_MAX = 7
/** After the kinds of tokens: the end of the text. */
const NOTHING = HARD_TOKEN + 1

type Score = { readonly positions: number; readonly distance: number; readonly ordered: number }

/** Tokens [first, end) of a text. One instance is reused for many texts. */
export class CropWindow {
  first = 0
  end = 0
  readonly #positions = new Set<number>()

  /** Finds the window of at most `size` words, at least one, in a text of at least `size` words. */
  find(tokens: TokenList, matches: TextMatches, size: number): void {
    this.first = 0
    this.end = 0
    let left = size
    if (matches.count > 0) {
      const from = this.#bestInterval(matches, size)
      const to = lastWithin(matches, from, size)
      this.first = matches.get(from, TOKEN_FIRST)
      this.end = matches.get(to, TOKEN_LAST) + 1
      left -= matches.get(to, WORD_LAST) - matches.get(from, WORD_FIRST) + 1
      if (left < 0) this.#cutLong(tokens, size)
    }
    if (left > 0) this.#grow(tokens, left)
  }

  /**
   * Returns the first match of the best run of matches within `size` words; the first run wins a
   * tie.
   */
  #bestInterval(matches: TextMatches, size: number): number {
    let best = 0
    let bestScore: Score | null = null
    let from = 0
    for (let to = 1; to <= matches.count; to++) {
      if (to < matches.count && fits(matches, from, to, size)) continue
      const score = this.#scoreOf(matches, from, to - 1)
      if (bestScore === null || isBetter(score, bestScore)) {
        best = from
        bestScore = score
      }
      while (to < matches.count && from < to && !fits(matches, from, to, size)) from++
    }
    return best
  }

  #scoreOf(matches: TextMatches, from: number, to: number): Score {
    const positions = this.#positions
    positions.clear()
    let distance = 0
    let ordered = 0
    for (let i = from; i <= to; i++) {
      const more = matches.get(i, WORD_LAST) - matches.get(i, WORD_FIRST)
      distance += more
      ordered += more
      const last = matches.get(i, POSITION_LAST)
      for (let p = matches.get(i, POSITION_FIRST); p <= last; p++) positions.add(p)
      if (i === from) continue
      const gap = matches.get(i, WORD_FIRST) - matches.get(i - 1, WORD_LAST)
      distance += Math.min(GAP_MAX, gap)
      if (matches.get(i, POSITION_FIRST) > matches.get(i - 1, POSITION_LAST)) ordered++
    }
    return { positions: positions.size, distance, ordered }
  }

  /**
   * A phrase longer than the window loses its end; the text before it is not cropped then: clients
   * rely on it.
   */
  #cutLong(tokens: TokenList, size: number): void {
    let at = this.first
    for (let words = 0; words < size; at++) if (tokens.kinds[at] === WORD_TOKEN) words++
    this.first = 0
    this.end = at
  }

  /** Extends the window by `left` words. */
  #grow(tokens: TokenList, left: number): void {
    while (left > 0) {
      const before = this.first > 0 ? tokens.kinds[this.first - 1]! : NOTHING
      const after = this.end < tokens.count ? tokens.kinds[this.end]! : NOTHING
      if (before === NOTHING && after === NOTHING) return
      if (before === NOTHING || after === NOTHING) {
        if (before === NOTHING) this.end++
        else this.first--
        if (before === WORD_TOKEN || after === WORD_TOKEN) left--
      } else if (before === WORD_TOKEN) {
        this.first--
        left--
        if (after === WORD_TOKEN && left > 0) {
          this.end++
          left--
        }
      } else if (after === WORD_TOKEN) {
        this.end++
        left--
      } else if (before === after) {
        this.first--
        if (left > 1) this.end++
      } else if (before === SOFT_TOKEN) this.first--
      else this.end++
    }
  }
}

function isBetter(a: Score, b: Score): boolean {
  if (a.positions !== b.positions) return a.positions > b.positions
  if (a.distance !== b.distance) return a.distance < b.distance
  return a.ordered > b.ordered
}

const fits = (matches: TextMatches, from: number, to: number, size: number): boolean =>
  matches.get(to, WORD_LAST) - matches.get(from, WORD_FIRST) < size

/** Returns the last match of the run that begins with `from`. */
function lastWithin(matches: TextMatches, from: number, size: number): number {
  let to = from
  while (to + 1 < matches.count && fits(matches, from, to + 1, size)) to++
  return to
}
