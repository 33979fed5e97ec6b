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
