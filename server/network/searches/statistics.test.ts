// Statistics of the parts of an index add up.
import { expect, test } from 'vitest'
import { addStatistics } from './statistics.ts'

test('adds documents, words by field, and the documents of each word', () => {
  const parts = [
    {
      documents: 3,
      words: { title: 4, body: 7 },
      frequencies: [
        [0, 1, 1],
        [2, 2, 3],
      ],
    },
    {
      documents: 2,
      words: { title: 1, note: 9 },
      frequencies: [
        [1, 1, 2],
        [0, 0, 0],
      ],
    },
    { documents: 0, words: {}, frequencies: [] },
  ]
  expect(addStatistics(parts)).toEqual({
    documents: 5,
    words: { title: 5, body: 7, note: 9 },
    frequencies: [
      [1, 2, 3],
      [2, 2, 3],
    ],
  })
  expect(addStatistics([])).toEqual({ documents: 0, words: {}, frequencies: [] })
})
