// The best split of a word over several segments with dead copies, compared with counting all
// documents.
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

/** Number of documents with `left` directly before `right`, or both in one field. */
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
  it('is the leftmost of the most frequent ones', () => {
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
        const uncounted = (written: readonly string[] | null) =>
          bestSplit(space, text, written, 0)?.words ?? null
        expect(uncounted(null), 'only as far as others may come close').toEqual(expected)
        const other = [text.slice(0, 1), text.slice(1)]
        expect(uncounted(expected), 'what the query says already').toBe(null)
        if (expected === null || expected[0] !== other[0]) {
          expect(uncounted(other), 'not the best').toEqual(expected)
        }
      }),
    )
  })
})

it('a split of words that many documents hold is found, and one that none has side by side is not', () => {
  const near = { title: 'the river', text: 'oft he said' }
  const far = { title: 'the old river', text: 'of the' }
  const rows = [...Array.from({ length: 700 }, () => far), near, near]
  const space = new SmallText(rows, {}, 1).space()
  expect(bestSplit(space, 'theriver', null, 100)?.words).toEqual(['the', 'river'])
  expect(bestSplit(space, 'ofthe', null, 100)?.words).toEqual(['of', 'the'])
  expect(bestSplit(space, 'ofthe', ['of', 'the'], 100)).toBe(null)
  expect(bestSplit(space, 'oldthe', null, 100)).toBe(null)
})
