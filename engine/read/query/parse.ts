// Query text → terms, phrases and what must not occur. Behaviour: search semantics §4, as recorded.
// What a token is, and which separators are hard, is the analyzer's business (`engine/text`).

/** The part of a token that parsing looks at; `engine/text` makes them. */
export type QueryToken = {
  readonly kind: 'word' | 'stopWord' | 'softSeparator' | 'hardSeparator'
  /** Normalised text. */
  readonly lemma: string
}

/** One plain word of the query. */
export type WordTerm = {
  readonly kind: 'word'
  readonly word: string
  /** Position in the query; the same number twice for a single word. */
  readonly first: number
  readonly last: number
  readonly prefix: boolean
}

/** Words in quotes, in order; null stands for a stop word: any word may be there. */
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

/** Tokens looked at, separators included; the rest of a longer query is ignored. */
export const QUERY_TOKENS_MAX = 1000
/** Terms kept; a phrase is one. */
export const QUERY_TERMS_MAX = 10
/** What a hard separator adds to the position, before the next word adds its one. */
const HARD_STEP = 7
const POSITION_MASK = 0xffff
/** Before the first word, so that it lands on 0. */
const POSITION_START = 0xffff

type OpenPhrase = {
  words: (string | null)[]
  first: number
  last: number
  readonly negative: boolean
}

/** Parses at most QUERY_TOKENS_MAX tokens. `prefixSearch` false: the last word is whole. */
export function parseQuery(tokens: readonly QueryToken[], prefixSearch: boolean): ParsedQuery {
  const parser = new QueryParser(prefixSearch)
  const end = Math.min(tokens.length, QUERY_TOKENS_MAX)
  for (let i = 0; i < end; i++) {
    // Looked at before the token is, so an eleventh word also takes the prefix from the tenth.
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
  #position = POSITION_START
  #phrase: OpenPhrase | null = null
  /** The token before was a `-` that negates what follows it. */
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

  /** `full`: parsing stopped early, and a phrase at hand is dropped. */
  finish(full: boolean): ParsedQuery {
    if (!full) this.#closePhrase()
    return {
      terms: this.#terms,
      negativeWords: this.#negativeWords,
      negativePhrases: this.#negativePhrases,
    }
  }

  #word(token: QueryToken, isLast: boolean): void {
    this.#position = (this.#position + 1) & POSITION_MASK
    const negated = this.#armed
    this.#armed = false
    // Control characters and marks by themselves normalise to nothing: they keep their place, as
    // they do in documents, and are no word to look for.
    const blank = token.lemma === ''
    const stop = token.kind === 'stopWord' || blank
    const phrase = this.#phrase
    if (phrase !== null) {
      // A phrase stands where its first real word does, even if stop words come before it.
      if (!stop && phrase.words.every((word) => word === null)) phrase.first = this.#position
      phrase.words.push(stop ? null : token.lemma)
      phrase.last = this.#position
    } else if (blank) {
      return
    } else if (negated) {
      this.#negativeWords.push(token.lemma)
    } else if (!stop || isLast) {
      const prefix = isLast && this.#prefixSearch
      const at = this.#position
      this.#terms.push({ kind: 'word', word: token.lemma, first: at, last: at, prefix })
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
    else this.#terms.push({ kind: 'phrase', words, first, last })
  }
}

function countQuotes(text: string): number {
  let n = 0
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) === 0x22) n++
  return n
}
