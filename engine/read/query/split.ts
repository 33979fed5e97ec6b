// The best split of a word in two · search semantics §5: the one that most documents hold side by
// side. It is looked for with every misspelled word in every view, so that as little as possible is
// read: where the largest segment decides, others are not asked.
import { countElsewhereMax, countInLargest, countNear, type TextIndex } from '../segments/index.ts'
import { type Phrase, phraseOf } from './phrase.ts'

/** What a split is looked for in. */
type SplitSpace = { readonly index: TextIndex; readonly rules: { readonly pairsByWord: boolean } }

type Candidate = {
  readonly parts: readonly [string, string]
  /** How many documents hold both side by side: at least and at most. */
  readonly least: number
  readonly most: number
}

/** Ties keep the leftmost. By attribute a split stands even where no document has it. */
export function bestSplit({ index, rules }: SplitSpace, text: string): Phrase | null {
  const byWord = rules.pairsByWord
  const found = candidatesOf(index, text, byWord)
  const clear = clearBest(found)
  if (clear !== null) return phraseOf(clear.parts)
  let best: Candidate | null = null
  let bestCount = 0
  for (const candidate of found) {
    if (candidate.most <= bestCount) continue
    const count = countOf(index, candidate, byWord)
    if (count <= bestCount) continue
    best = candidate
    bestCount = count
  }
  if (best !== null) return phraseOf(best.parts)
  return byWord ? null : firstSplit(text)
}

/** Splits in two words of the view that stand in one segment, from the left. */
function candidatesOf(index: TextIndex, text: string, byWord: boolean): Candidate[] {
  const found: Candidate[] = []
  for (const { part, isElsewhere } of index.splitsOf(text)) {
    const least = countInLargest(index, text, part, byWord)
    if (least === 0 && !isElsewhere) continue
    const parts = [text.slice(0, part.at), text.slice(part.at)] as const
    const most = least + (isElsewhere ? elsewhereMax(index, parts) : 0)
    if (most > 0) found.push({ parts, least, most })
  }
  return found
}

function elsewhereMax(index: TextIndex, parts: Candidate['parts']): number {
  const left = index.word(parts[0])
  const right = left === null ? null : index.word(parts[1])
  return left === null || right === null ? 0 : countElsewhereMax(index, left, right)
}

/** Documents that hold both parts side by side. */
function countOf(index: TextIndex, { parts, least, most }: Candidate, byWord: boolean): number {
  if (least === most) return least
  const left = index.word(parts[0])
  const right = index.word(parts[1])
  return left === null || right === null ? 0 : countNear(index, left, right, byWord)
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
