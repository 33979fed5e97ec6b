// The best split of a word, over several segments with dead copies: the one that counting all
// documents gives.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bestSplit } from './split.ts'
import { SmallText } from './test-support.ts'

const VOCABULARY = ['a', 'b', 'ab', 'ba', 'aba', 'bab']
const word = fc.constantFrom(...VOCABULARY)
const words = fc.array(word, { minLength: 1, maxLength: 5 })
const documents = fc.array(fc.record({ title: words, text: words }), {
  minLength: 1,
  maxLength: 24,
})
type Rows = readonly { readonly title: readonly string[]; readonly text: readonly string[] }[]

/** How many documents have `left` next before `right`, or both in one field. */
function countIn(rows: Rows, left: string, right: string, byWord: boolean): number {
  const isIn = (field: readonly string[]): boolean =>
    byWord
      ? field.some((each, i) => each === left && field[i + 1] === right)
      : field.includes(left) && field.includes(right)
  return rows.filter(({ title, text }) => isIn(title) || isIn(text)).length
}

function expectedSplit(rows: Rows, text: string, byWord: boolean): string[] | null {
  let best: string[] | null = null
  let bestCount = byWord ? 0 : -1
  for (let at = 1; at < text.length; at++) {
    const [left, right] = [text.slice(0, at), text.slice(at)]
    const count = countIn(rows, left, right, byWord)
    if (count <= bestCount) continue
    best = [left, right]
    bestCount = count
  }
  return best
}

describe.each([true, false])('the best split, pairs by word: %s', (byWord) => {
  it('is the leftmost of those that most documents hold', () => {
    const patch = { proximityPrecision: byWord ? 'byWord' : 'byAttribute' } as const
    fc.assert(
      fc.property(documents, fc.array(word, { maxLength: 3 }), fc.nat(3), (rows, all, more) => {
        const stored = rows.map(({ title, text }) => ({
          title: title.join(' '),
          text: text.join(' '),
        }))
        const space = new SmallText(stored, patch, more + 1).space()
        const text = all.join('')
        const expected = expectedSplit(rows, text, byWord)
        expect(space.rules.pairsByWord).toBe(byWord)
        expect(bestSplit(space, text)?.words ?? null).toEqual(expected)
        expect(bestSplit(space, text)?.words ?? null, 'kept').toEqual(expected)
      }),
    )
  })
})
