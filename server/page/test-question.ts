// Searches that the page asks for, and marked words in answers, for tests.
import { MARK_BEGINS, MARK_ENDS, type Question } from './parts/query.ts'
import { DEFAULT_OPTIONS } from './parts/search-options.ts'

export const question = (change: Partial<Question> = {}): Question => ({
  index: 'wares',
  q: '',
  sort: '',
  embedder: '',
  ratio: 0.5,
  options: DEFAULT_OPTIONS,
  ticked: new Map(),
  ranges: new Map(),
  ...change,
})

export const mark = (text: string): string => `${MARK_BEGINS}${text}${MARK_ENDS}`

/** A hit with a picture, with scores, and with the word of the query marked. */
export const HIT = {
  id: 7,
  name: 'Lamp',
  poster: 'https://cdn.example.com/1.png',
  text: 'a long text that tells in many words what it is about',
  colour: 'red',
  _formatted: { id: '7', name: mark('Lamp'), text: 'a long text', colour: 'red' },
  _rankingScore: 0.876,
  _rankingScoreDetails: { words: { order: 0, matchingWords: 1, maxMatchingWords: 2, score: 0.5 } },
}
