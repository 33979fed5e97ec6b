// A phrase: words that stand one behind the other.
import { mapped } from '../../model/index.ts'

/** Words that must follow each other; null: any word. Single words are phrases of one. */
export type Phrase = {
  readonly words: readonly (string | null)[]
  readonly key: string
}

export const phraseOf = (words: readonly (string | null)[]): Phrase => ({
  words,
  key: mapped(words, (word) => word ?? '\u0001').join('\u0000'),
})
