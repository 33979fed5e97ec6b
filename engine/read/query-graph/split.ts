// Finds the best split of a word in two (docs/search-semantics.md#words-that-match-a-query-word):
// the one whose parts are adjacent in most documents. Every misspelled word needs it in every view,
// so it reads as little as possible: if the largest segment decides, the others are not read.
import {
  countElsewhereMax,
  countInLargest,
  countNear,
  countNearUpTo,
  type TextIndex,
  type Word,
} from '../segment-text/index.ts'
import { type Phrase, phraseOf } from './phrase.ts'

/** The view to search for splits, and its rules. */
type SplitSpace = { readonly index: TextIndex; readonly rules: { readonly pairsByWord: boolean } }

/**
 * If more documents of the largest segment than this may contain both parts, they are counted only
 * when other splits come close: counting reads the positions of each document.
 */
const COUNTED_MAX = 1024

type Candidate = {
  readonly parts: readonly [string, string]
  /** Position among the splits, from the left. */
  readonly rank: number
  /** Lower and upper bound of the number of documents in which the parts are adjacent. */
  readonly least: number
  readonly most: number
}

/**
 * Returns the best split; the leftmost wins a tie. With attribute precision, a split is returned
 * even if it occurs in no document. `written`: the two words that the text was joined from; if they
 * are the best split, the result is null.
 */
export function bestSplit(
  { index, rules }: SplitSpace,
  text: string,
  written: readonly string[] | null = null,
  countedMax = COUNTED_MAX,
): Phrase | null {
  const byWord = rules.pairsByWord
  const found = candidatesOf(index, text, byWord, countedMax)
  if (written !== null && byWord && found.every(({ parts }) => isSame(parts, written))) return null
  const best = clearBest(found) ?? bestByCount(index, found, byWord, countedMax)
  const split = best !== null ? phraseOf(best.parts) : byWord ? null : firstSplit(text)
  return split === null || (written !== null && isSame(split.words, written)) ? null : split
}

const isSame = (a: readonly (string | null)[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((word, i) => word === b[i])

/** Returns the splits in two words of the view that share a segment, from the left. */
function candidatesOf(
  index: TextIndex,
  text: string,
  byWord: boolean,
  countedMax: number,
): Candidate[] {
  const found: Candidate[] = []
  for (const split of index.splitsOf(text)) {
    const { part, isElsewhere } = split
    const parts = [text.slice(0, part.at), text.slice(part.at)] as const
    const isCounted = part.bothMax <= countedMax
    const least = isCounted ? countInLargest(index, text, part, byWord) : 0
    const elsewhere = isElsewhere ? elsewhereMax(index, parts) : 0
    const most = (isCounted ? least : part.bothMax) + elsewhere
    if (most > 0) found.push({ parts, rank: found.length, least, most })
  }
  return found
}

function elsewhereMax(index: TextIndex, parts: Candidate['parts']): number {
  const words = wordsOf(index, parts)
  return words === null ? 0 : countElsewhereMax(index, ...words)
}

function wordsOf(index: TextIndex, parts: Candidate['parts']): readonly [Word, Word] | null {
  const left = index.word(parts[0])
  const right = left === null ? null : index.word(parts[1])
  return left === null || right === null ? null : [left, right]
}

/**
 * Finds the best split by counting, the one with the highest upper bound first, until no other can
 * reach it.
 */
function bestByCount(
  index: TextIndex,
  found: readonly Candidate[],
  byWord: boolean,
  countedMax: number,
): Candidate | null {
  const order = [...found].sort((a, b) => b.most - a.most || a.rank - b.rank)
  let best: Candidate | null = null
  let bestCount = 0
  for (let i = 0; i < order.length && order[i]!.most >= bestCount; i++) {
    const candidate = order[i]!
    const enough = Math.max(bestCount, order[i + 1]?.most ?? 0)
    const count =
      candidate.most > countedMax
        ? countUpTo(index, candidate, byWord, enough)
        : countOf(index, candidate, byWord)
    const isBefore = best === null || candidate.rank < best.rank
    if (count < bestCount || (count === bestCount && !isBefore)) continue
    best = count === 0 ? null : candidate
    bestCount = count
  }
  return best
}

/** Counts the documents in which both parts are adjacent. */
function countOf(index: TextIndex, { parts, least, most }: Candidate, byWord: boolean): number {
  if (least === most) return least
  const words = wordsOf(index, parts)
  return words === null ? 0 : countNear(index, ...words, byWord)
}

/** The same count, exact up to `enough`. */
function countUpTo(
  index: TextIndex,
  { parts, least, most }: Candidate,
  byWord: boolean,
  enough: number,
): number {
  if (least === most) return least
  const words = wordsOf(index, parts)
  return words === null ? 0 : countNearUpTo(index, ...words, byWord, enough)
}

/**
 * Returns the candidate that is best for any counts within the bounds, or null if there is no such
 * one.
 */
function clearBest(found: readonly Candidate[]): Candidate | null {
  let best: Candidate | null = null
  for (const one of found) if (one.least > (best?.least ?? 0)) best = one
  if (best === null) return null
  let isBehind = false
  for (const one of found) {
    if (one === best) isBehind = true
    else if (one.most > best.least || (one.most === best.least && !isBehind)) return null
  }
  return best
}

function firstSplit(text: string): Phrase | null {
  const first = text.codePointAt(0)
  const at = first !== undefined && first > 0xffff ? 2 : 1
  return at < text.length ? phraseOf([text.slice(0, at), text.slice(at)]) : null
}
