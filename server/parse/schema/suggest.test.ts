// The edit distance compared with shortest paths through single edits, and the suggestions.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editDistance, hint } from './suggest.ts'

const LETTERS = 'ab'
const LENGTH_MAX = 6

/** Returns every text that one insertion, deletion, substitution or swap of neighbours leads to. */
const neighbours = (text: string): string[] => {
  const found: string[] = []
  for (let i = 0; i <= text.length; i++) {
    for (const letter of LETTERS) found.push(text.slice(0, i) + letter + text.slice(i))
    if (i === text.length) break
    found.push(text.slice(0, i) + text.slice(i + 1))
    for (const letter of LETTERS) found.push(text.slice(0, i) + letter + text.slice(i + 1))
    if (i + 1 < text.length) {
      found.push(text.slice(0, i) + text[i + 1]! + text[i]! + text.slice(i + 2))
    }
  }
  return found.filter((other) => other.length <= LENGTH_MAX)
}

const distancesFrom = (start: string): Map<string, number> => {
  const distances = new Map([[start, 0]])
  let front = [start]
  for (let distance = 1; front.length > 0; distance++) {
    const next: string[] = []
    for (const text of front) {
      for (const other of neighbours(text)) {
        if (distances.has(other)) continue
        distances.set(other, distance)
        next.push(other)
      }
    }
    front = next
  }
  return distances
}

test('the distance is the smallest number of edits', () => {
  const text = fc.string({ unit: fc.constantFrom(...LETTERS), maxLength: 4 })
  fc.assert(
    fc.property(text, (start) => {
      for (const [other, distance] of distancesFrom(start)) {
        if (other.length > 4) continue
        expect([start, other, editDistance(start, other)]).toEqual([start, other, distance])
      }
    }),
    { numRuns: 20 },
  )
})

test.each([
  ['lim', ''],
  ['limt', 'did you mean `limit`? '],
  ['Limit', 'did you mean `limit`? '],
  ['LImit', ''],
  ['fitler', 'did you mean `filter`? '],
  ['filters', 'did you mean `filter`? '],
  ['hitsPerPge', 'did you mean `hitsPerPage`? '],
  ['x'.repeat(500), ''],
  ['limité', 'did you mean `limit`? '],
  ['', ''],
])('%s', (received, told) => {
  expect(hint(received, ['limit', 'offset', 'filter', 'hitsPerPage', 'limits'])).toBe(told)
})

test.each([
  [64, true],
  [65, false],
])('a name of %i letters is compared: %s', (length, isNear) => {
  expect(hint('x'.repeat(length), ['x'.repeat(length - 1)]) !== '').toBe(isNear)
})
