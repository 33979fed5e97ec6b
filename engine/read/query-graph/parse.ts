// Parses query text into terms, phrases and negated words. See
// docs/search-semantics.md#reading-a-query. The analyzer (`engine/text`) defines tokens and hard
// separators.
import type { Script } from '../../text/index.ts'
import { ANY_TERMS_MAX, QUERY_TERMS_MAX, QUERY_TOKENS_MAX } from './limits.ts'
import { type Phrase, phraseOf } from './phrase.ts'
import { QuoteMarks } from './quote-marks.ts'

/** The members of a token that parsing uses; `engine/text` creates tokens. */
export type QueryToken = {
  readonly kind: 'word' | 'stopWord' | 'softSeparator' | 'hardSeparator'
  /** Normalized text. */
  readonly lemma: string
  readonly script: Script
}

/** One plain word of the query. */
export type WordTerm = {
  readonly kind: 'word'
  readonly word: string
  /** Position in the query; both are equal for a single word. */
  readonly first: number
  readonly last: number
  readonly prefix: boolean
  /** How it is joined to the word before it. */
  readonly joint: Joint
  /** True in a script without spaces, whose words a dictionary cuts. */
  readonly isUnspaced: boolean
  /** The number of its token. */
  readonly token: number
}

/** `none`: nothing stands between two words; `tight`: separators, but no white space. */
export type Joint = 'none' | 'tight' | 'spaced'

/** Words in quotes. */
export type PhraseTerm = {
  readonly kind: 'phrase'
  readonly phrase: Phrase
  readonly first: number
  readonly last: number
}

export type ParsedQuery = {
  readonly terms: readonly (WordTerm | PhraseTerm)[]
  readonly negativeWords: readonly string[]
  readonly negativePhrases: readonly Phrase[]
}

/** A hard separator adds this to the position; the next word adds one more. */
const HARD_STEP = 7
const POSITION_MASK = 0xffff
/** Scripts whose words a dictionary cuts. */
const UNSPACED: readonly Script[] = ['Cj', 'Thai', 'Khmer', 'Lao']
/** The position before the first word, so that the first word is at 0. */
const POSITION_START = 0xffff

type OpenPhrase = {
  readonly words: string[]
  /** See `Phrase`. */
  readonly breaks: number[]
  first: number
  last: number
  readonly negative: boolean
  /** True if the last token is its last word. */
  isTyped: boolean
}

/**
 * Parses at most QUERY_TOKENS_MAX tokens. If `prefixSearch` is false, the last word is not a
 * prefix. If `needsAny`, documents need any of the words: more words count, and no stop word beside
 * other words.
 */
export function parseQuery(
  tokens: readonly QueryToken[],
  prefixSearch: boolean,
  needsAny = false,
): ParsedQuery {
  const parser = new QueryParser(prefixSearch, needsAny)
  const end = Math.min(tokens.length, QUERY_TOKENS_MAX)
  for (let i = 0; i < end; i++) {
    // Checked before the token is parsed, so an eleventh word makes the tenth a whole word.
    if (parser.isFull) return parser.finish(true)
    parser.take(tokens[i]!, i, i === tokens.length - 1, i === 0 ? null : tokens[i - 1]!)
  }
  return parser.finish(false)
}

class QueryParser {
  readonly #prefixSearch: boolean
  readonly #needsAny: boolean
  readonly #termsMax: number
  readonly #terms: (WordTerm | PhraseTerm)[] = []
  readonly #negativeWords: string[] = []
  readonly #negativePhrases: Phrase[] = []
  /** The first stop words, which are searched if the query has nothing else. */
  readonly #stopWords: WordTerm[] = []
  #onlyStopWords = true
  #position = POSITION_START
  #phrase: OpenPhrase | null = null
  readonly #quotes = new QuoteMarks()
  /** True if the previous token was a `-` that negates the next word or phrase. */
  #armed = false
  /** How the next word is joined to the word before it. */
  #joint: Joint = 'spaced'

  constructor(prefixSearch: boolean, needsAny: boolean) {
    this.#prefixSearch = prefixSearch
    this.#needsAny = needsAny
    this.#termsMax = needsAny ? ANY_TERMS_MAX : QUERY_TERMS_MAX
  }

  get isFull(): boolean {
    return this.#terms.length >= this.#termsMax
  }

  take(token: QueryToken, number: number, isLast: boolean, previous: QueryToken | null): void {
    if (token.kind === 'word' || token.kind === 'stopWord') this.#word(token, number, isLast)
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

  #word(token: QueryToken, number: number, isLast: boolean): void {
    const negated = this.#armed
    const joint = this.#joint
    this.#armed = false
    this.#joint = 'none'
    // Control characters and marks alone normalize to an empty text. Outside of phrases they keep
    // their position; in documents they have none.
    const blank = token.lemma === ''
    const phrase = this.#phrase
    if (blank && phrase !== null) return
    this.#position = (this.#position + 1) & POSITION_MASK
    const isStopWord = token.kind === 'stopWord'
    if (phrase !== null) {
      if (phrase.words.length === 0) phrase.first = this.#position
      phrase.words.push(token.lemma)
      phrase.last = this.#position
      phrase.isTyped = isLast
    } else if (blank) {
      return
    } else if (negated) {
      this.#negativeWords.push(token.lemma)
    } else {
      const prefix = isLast && this.#prefixSearch
      const at = this.#position
      const isUnspaced = token.script !== 'Latin' && UNSPACED.includes(token.script)
      const term: WordTerm = {
        kind: 'word',
        word: token.lemma,
        first: at,
        last: at,
        prefix,
        joint,
        isUnspaced,
        token: number,
      }
      if (!isStopWord || (isLast && !this.#needsAny)) this.#terms.push(term)
      if (!isStopWord) this.#onlyStopWords = false
      else if (this.#stopWords.length < this.#termsMax) this.#stopWords.push(term)
    }
  }

  #separator(token: QueryToken, previous: QueryToken | null): void {
    if (token.lemma === ' ') {
      // Most separators.
      this.#joint = 'spaced'
      this.#armed = false
      return
    }
    const phrase = this.#phrase
    if (/\p{White_Space}/u.test(token.lemma)) this.#joint = 'spaced'
    else if (this.#joint === 'none') this.#joint = 'tight'
    if (token.kind === 'hardSeparator') {
      this.#position = (this.#position + HARD_STEP) & POSITION_MASK
      const at = phrase?.words.length ?? 0
      if (at > 0 && phrase!.breaks.at(-1) !== at) phrase!.breaks.push(at)
    }
    const follows = previous?.kind === 'word' || previous?.kind === 'stopWord'
    const turns = this.#quotes.turns(token.lemma, phrase !== null, follows)
    if (turns > 0 && phrase !== null) this.#closePhrase()
    // A mark that closes a phrase may be followed by one that opens the next one.
    if ((turns - (phrase === null ? 0 : 1)) % 2 === 1) this.#openPhrase(this.#armed)
    this.#armed =
      this.#phrase === null &&
      token.lemma === '-' &&
      (previous === null || /\p{White_Space}$/u.test(previous.lemma))
  }

  #openPhrase(negative: boolean): void {
    this.#phrase = { words: [], breaks: [], first: 0, last: 0, negative, isTyped: false }
  }

  #closePhrase(): void {
    const open = this.#phrase
    this.#phrase = null
    if (open === null || open.words.length === 0) return
    const { first, last, negative, words } = open
    const breaks = open.breaks.filter((at) => at < words.length)
    if (negative) this.#negativePhrases.push(phraseOf(words, false, breaks))
    else {
      const phrase = phraseOf(words, open.isTyped && this.#prefixSearch, breaks)
      this.#terms.push({ kind: 'phrase', phrase, first, last })
      this.#onlyStopWords = false
    }
  }
}
