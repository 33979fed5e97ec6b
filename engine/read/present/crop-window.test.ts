// Which words of a text are shown when it is cropped.
import { expect, it } from 'vitest'
import { CropWindow } from './crop-window.ts'
import {
  POSITION_FIRST,
  POSITION_LAST,
  TextMatches,
  TOKEN_FIRST,
  TOKEN_LAST,
  WORD_FIRST,
  WORD_LAST,
} from './text-matches.ts'
import { SOFT_TOKEN, TokenList, WORD_TOKEN } from './token-list.ts'

/** A match of one query word, by its position in the query, and of a word of the text. */
type Match = readonly [position: number, word: number]

/** Returns the first and the last shown word of a text of 60 words, separated by spaces. */
function shown(size: number, ...found: readonly Match[]): readonly number[] {
  const tokens = new TokenList()
  tokens.count = 119
  tokens.kinds = Uint8Array.from({ length: 119 }, (_, i) => (i % 2 === 0 ? WORD_TOKEN : SOFT_TOKEN))
  const matches = new TextMatches()
  matches.count = found.length
  matches.get = (i, field) => {
    const [position, word] = found[i]!
    if (field === POSITION_FIRST || field === POSITION_LAST) return position
    if (field === WORD_FIRST || field === WORD_LAST) return word
    if (field === TOKEN_FIRST || field === TOKEN_LAST) return 2 * word
    throw new Error(`no field ${field}`)
  }
  const window = new CropWindow()
  window.find(tokens, matches, size)
  const words = Array.from({ length: 60 }, (_, word) => word)
  const inside = words.filter((word) => window.first <= 2 * word && 2 * word < window.end)
  return [inside[0]!, inside.at(-1)!]
}

it.each<[string, number, readonly Match[], readonly number[]]>([
  ['the beginning without matches', 5, [], [0, 4]],
  ['a match and the words around it', 5, [[0, 30]], [28, 32]],
  ['a match at the beginning', 5, [[0, 0]], [0, 4]],
  ['a match at the end', 5, [[0, 59]], [55, 59]],
  [
    'more words of the query',
    3,
    [
      [0, 10],
      [0, 20],
      [1, 22],
    ],
    [20, 22],
  ],
  [
    'words of the query rather than one of them twice',
    3,
    [
      [0, 10],
      [0, 11],
      [0, 20],
      [1, 21],
    ],
    [19, 21],
  ],
  [
    'words that are nearer to each other',
    9,
    [
      [0, 10],
      [1, 18],
      [0, 40],
      [1, 46],
    ],
    [39, 47],
  ],
  // Distances from 7 on are equal, and the first run wins.
  [
    'the first of distant words',
    10,
    [
      [0, 10],
      [1, 18],
      [0, 40],
      [1, 47],
    ],
    [9, 18],
  ],
  [
    'words at a distance of 6 before those of 7',
    10,
    [
      [0, 10],
      [1, 17],
      [0, 40],
      [1, 46],
    ],
    [38, 47],
  ],
  [
    'words in the order of the query',
    4,
    [
      [1, 10],
      [0, 12],
      [0, 40],
      [1, 42],
    ],
    [39, 42],
  ],
  [
    'words that just fit',
    3,
    [
      [0, 10],
      [1, 12],
      [0, 40],
    ],
    [10, 12],
  ],
  [
    'no words that just do not fit',
    3,
    [
      [0, 10],
      [1, 13],
      [1, 40],
      [0, 41],
    ],
    [39, 41],
  ],
])('shows %s', (_, size, matches, words) => {
  const [first, last] = shown(size, ...matches)
  expect(last! - first! + 1).toBe(size)
  expect([first, last]).toEqual(words)
})
