// The best split of a word in two · search semantics §5: the one that most documents hold side by
// side. It is looked for with every misspelled word in every view, so that as little as possible is
// read: where the largest segment decides, others are not asked.
import {
  countElsewhereMax,
  countInLargest,
  countNear,
  countNearUpTo,
  type TextIndex,
  type Word,
} from '../segments/index.ts'
import { type Phrase, phraseOf } from './phrase.ts'

/** What a split is looked for in. */
type SplitSpace = { readonly index: TextIndex; readonly rules: { readonly pairsByWord: boolean } }

/**
 * Parts that more documents of the largest segment may hold are counted only where others come
 * close: reading so many documents takes a millisecond.
 */
const COUNTED_MAX = 1024

type Candidate = {
  readonly parts: readonly [string, string]
  /** From the left. */
  readonly rank: number
  /** How many documents hold both side by side: at least and at most. */
  readonly least: number
  readonly most: number
}

/**
 * Ties keep the leftmost. By attribute a split stands even where no document has it.
 * `written`: two words that the text was made of; where they are the best, there is nothing to be
 * found.
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

/** Splits in two words of the view that stand in one segment, from the left. */
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
 * The best by counting: first the one that may have most, only until no other can have as many.
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

/** Documents that hold both parts side by side. */
function countOf(index: TextIndex, { parts, least, most }: Candidate, byWord: boolean): number {
  if (least === most) return least
  const words = wordsOf(index, parts)
  return words === null ? 0 : countNear(index, ...words, byWord)
}

/** The same, exact up to `enough`. */
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

/** The candidate that is the best for all exact counts there may be, or null. */
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
