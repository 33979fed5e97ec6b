// A phrase: words that follow each other in one field.

export type Phrase = {
  /** Normal forms, stop words included. A single word is a phrase of one word. */
  readonly words: readonly string[]
  /**
   * Ascending indexes of the words before which the query has a hard separator: in a text, one may
   * stand there too.
   */
  readonly breaks: readonly number[]
  /** True if the last word may be the beginning of a word. */
  readonly isPrefix: boolean
  readonly key: string
}

export const phraseOf = (
  words: readonly string[],
  isPrefix = false,
  breaks: readonly number[] = [],
): Phrase => ({
  words,
  breaks,
  isPrefix,
  key: `${isPrefix ? '*' : ''}${breaks.join()}\u0000${words.join('\u0000')}`,
})
