// A phrase: consecutive words.
import { mapped } from '../../runtime/index.ts'

/**
 * Words that must follow each other; null matches any word. A single word is a phrase of one word.
 */
export type Phrase = {
  readonly words: readonly (string | null)[]
  readonly key: string
}

export const phraseOf = (words: readonly (string | null)[]): Phrase => ({
  words,
  key: mapped(words, (word) => word ?? '\u0001').join('\u0000'),
})
