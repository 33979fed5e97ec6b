// The best split of a word in two · search semantics §5: the one that most documents hold side by
// side. It is looked for with every misspelled word in every view, so that as little as possible is
// read: where the largest segment decides, others are not asked.
import { boundsOfNear, countNear, type TextIndex, type Word } from '../segments/index.ts'
import { type Phrase, phraseOf } from './phrase.ts'

/** What a split is looked for in. */
type SplitSpace = { readonly index: TextIndex; readonly rules: { readonly pairsByWord: boolean } }

type Candidate = {
  readonly parts: readonly [string, string]
  readonly left: Word
  readonly right: Word
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
    const count = countNear(index, candidate.left, candidate.right, byWord)
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
  for (const at of index.splitsOf(text)) {
    const parts = [text.slice(0, at), text.slice(at)] as const
    const left = index.word(parts[0])
    const right = left === null ? null : index.word(parts[1])
    if (left === null || right === null) continue
    const { least, most } = boundsOfNear(index, left, right, byWord)
    if (most > 0) found.push({ parts, left, right, least, most })
  }
  return found
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
