// Parses query text into terms, phrases and negated words. See
// docs/search-semantics.md#reading-a-query. The analyzer (`engine/text`) defines tokens and hard
// separators.
import { QUERY_TERMS_MAX, QUERY_TOKENS_MAX } from './limits.ts'

/** The members of a token that parsing uses; `engine/text` creates tokens. */
export type QueryToken = {
  readonly kind: 'word' | 'stopWord' | 'softSeparator' | 'hardSeparator'
  /** Normalized text. */
  readonly lemma: string
}

/** One plain word of the query. */
export type WordTerm = {
  readonly kind: 'word'
  readonly word: string
  /** Position in the query; both are equal for a single word. */
  readonly first: number
  readonly last: number
  readonly prefix: boolean
}

/** Words in quotes, in order; null is a word without letters, which matches any word. */
export type PhraseTerm = {
  readonly kind: 'phrase'
  readonly words: readonly (string | null)[]
  readonly first: number
  readonly last: number
}

export type ParsedQuery = {
  readonly terms: readonly (WordTerm | PhraseTerm)[]
  readonly negativeWords: readonly string[]
  readonly negativePhrases: readonly (readonly (string | null)[])[]
}

/** A hard separator adds this to the position; the next word adds one more. */
const HARD_STEP = 7
const POSITION_MASK = 0xffff
/** The position before the first word, so that the first word is at 0. */
const POSITION_START = 0xffff

type OpenPhrase = {
  words: (string | null)[]
  first: number
  last: number
  readonly negative: boolean
}

/**
 * Parses at most QUERY_TOKENS_MAX tokens. If `prefixSearch` is false, the last word is not a
 * prefix.
 */
export function parseQuery(tokens: readonly QueryToken[], prefixSearch: boolean): ParsedQuery {
  const parser = new QueryParser(prefixSearch)
  const end = Math.min(tokens.length, QUERY_TOKENS_MAX)
  for (let i = 0; i < end; i++) {
    // Checked before the token is parsed, so an eleventh word makes the tenth a whole word.
    if (parser.isFull) return parser.finish(true)
    parser.take(tokens[i]!, i === tokens.length - 1, i === 0 ? null : tokens[i - 1]!)
  }
  return parser.finish(false)
}

class QueryParser {
  readonly #prefixSearch: boolean
  readonly #terms: (WordTerm | PhraseTerm)[] = []
  readonly #negativeWords: string[] = []
  readonly #negativePhrases: (readonly (string | null)[])[] = []
  /** The first stop words, which are searched if the query has nothing else. */
  readonly #stopWords: WordTerm[] = []
  #onlyStopWords = true
  #position = POSITION_START
  #phrase: OpenPhrase | null = null
  /** True if the previous token was a `-` that negates the next word or phrase. */
  #armed = false

  constructor(prefixSearch: boolean) {
    this.#prefixSearch = prefixSearch
  }

  get isFull(): boolean {
    return this.#terms.length >= QUERY_TERMS_MAX
  }

  take(token: QueryToken, isLast: boolean, previous: QueryToken | null): void {
    if (token.kind === 'word' || token.kind === 'stopWord') this.#word(token, isLast)
    else this.#separator(token, previous)
  }

  /** `full`: parsing stopped early, and an open phrase is dropped. */
  finish(full: boolean): ParsedQuery {
    if (!full) this.#closePhrase()
    return {
      terms: this.#onlyStopWords ? this.#stopWords : this.#terms,
      negativeWords: this.#negativeWords,
      negativePhrases: this.#negativePhrases,
    }
  }

  #word(token: QueryToken, isLast: boolean): void {
    this.#position = (this.#position + 1) & POSITION_MASK
    const negated = this.#armed
    this.#armed = false
    // Control characters and marks alone normalize to an empty text: they keep their position, as
    // in documents, but are not searched.
    const blank = token.lemma === ''
    const isStopWord = token.kind === 'stopWord'
    const phrase = this.#phrase
    if (phrase !== null) {
      // The position of a phrase is that of its first word with letters.
      if (!blank && phrase.words.every((word) => word === null)) phrase.first = this.#position
      phrase.words.push(blank ? null : token.lemma)
      phrase.last = this.#position
    } else if (blank) {
      return
    } else if (negated) {
      this.#negativeWords.push(token.lemma)
    } else {
      const prefix = isLast && this.#prefixSearch
      const at = this.#position
      const term = { kind: 'word', word: token.lemma, first: at, last: at, prefix } as const
      if (!isStopWord || isLast) this.#terms.push(term)
      if (!isStopWord) this.#onlyStopWords = false
      else if (this.#stopWords.length < QUERY_TERMS_MAX) this.#stopWords.push(term)
    }
  }

  #separator(token: QueryToken, previous: QueryToken | null): void {
    if (token.kind === 'hardSeparator') {
      this.#position = (this.#position + HARD_STEP) & POSITION_MASK
      if (this.#phrase !== null) {
        const { negative } = this.#phrase
        this.#closePhrase()
        this.#openPhrase(negative)
      }
    }
    let quotes = countQuotes(token.lemma)
    if (quotes > 0 && this.#phrase !== null) {
      this.#closePhrase()
      quotes--
    }
    if (quotes % 2 === 1) this.#openPhrase(this.#armed)
    this.#armed =
      this.#phrase === null &&
      token.lemma === '-' &&
      (previous === null || /\p{White_Space}$/u.test(previous.lemma))
  }

  #openPhrase(negative: boolean): void {
    this.#phrase = { words: [], first: 0, last: 0, negative }
  }

  #closePhrase(): void {
    const phrase = this.#phrase
    this.#phrase = null
    if (phrase === null || phrase.words.every((word) => word === null)) return
    const { words, first, last } = phrase
    if (phrase.negative) this.#negativePhrases.push(words)
    else {
      this.#terms.push({ kind: 'phrase', words, first, last })
      this.#onlyStopWords = false
    }
  }
}

function countQuotes(text: string): number {
  let n = 0
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) === 0x22) n++
  return n
}
