// Splits a TypeScript declaration file into tokens: words, strings, numbers, punctuation. White
// space and comments separate them; the last documentation comment before a token is stored with
// it. It supports neither grammar nor regular expressions and divisions, which declaration files do
// not have.

export type TokenKind = 'word' | 'string' | 'number' | 'mark' | 'end'

const enumerated = (characters: string): ReadonlySet<number> =>
  new Set([...characters].map((character) => character.charCodeAt(0)))

const QUOTES = enumerated('\'"`')
const DIGITS = enumerated('0123456789')
const SLASH = 0x2f
const STAR = 0x2a
const NEWLINE = 0x0a
const BACKSLASH = 0x5c
const BACKQUOTE = 0x60

/**
 * A cursor over the tokens of `text`, initially on the first one. After the last one it is on
 * `end`.
 */
export class Tokens {
  readonly text: string
  kind: TokenKind = 'end'
  /** First character of the token, and the one past its last. */
  start = 0
  end = 0
  /** End of the previous token. */
  lastEnd = 0
  /** The documentation comment before the token, with its delimiters; '' without one. */
  comment = ''

  constructor(text: string) {
    this.text = text
    this.advance()
  }

  /** The token's own characters. */
  get value(): string {
    return this.text.slice(this.start, this.end)
  }

  /** Returns true if the token is the word or mark `value`; false for strings. */
  is(value: string): boolean {
    if (this.kind !== 'word' && this.kind !== 'mark') return false
    return this.end - this.start === value.length && this.text.startsWith(value, this.start)
  }

  /** Skips the token if it is `value`. */
  take(value: string): boolean {
    if (!this.is(value)) return false
    this.advance()
    return true
  }

  advance(): void {
    this.lastEnd = this.end
    this.#skipSpace()
    const { text, start } = this
    if (start >= text.length) {
      this.kind = 'end'
      this.end = start
      return
    }
    const first = text.charCodeAt(start)
    if (QUOTES.has(first)) {
      this.kind = 'string'
      this.end = endOfString(text, start, first)
    } else if (DIGITS.has(first)) {
      this.kind = 'number'
      this.end = endOfWord(text, start)
    } else if (isWordCharacter(first)) {
      this.kind = 'word'
      this.end = endOfWord(text, start)
    } else {
      this.kind = 'mark'
      this.end = start + (text.startsWith('=>', start) ? 2 : 1)
    }
  }

  /** A copy to look ahead with. */
  fork(): Tokens {
    const copy = new Tokens('')
    return Object.assign(copy, this)
  }

  #skipSpace(): void {
    const { text } = this
    this.comment = ''
    let at = this.end
    for (;;) {
      const code = text.charCodeAt(at)
      if (code <= 0x20 || code === 0xfeff || code === 0xa0) at++
      else if (code === SLASH && text.charCodeAt(at + 1) === SLASH) {
        const newline = text.indexOf('\n', at)
        at = newline < 0 ? text.length : newline + 1
      } else if (code === SLASH && text.charCodeAt(at + 1) === STAR) {
        const close = text.indexOf('*/', at + 2)
        const after = close < 0 ? text.length : close + 2
        if (text.charCodeAt(at + 2) === STAR && after - at > 4) this.comment = text.slice(at, after)
        at = after
      } else break
    }
    this.start = Math.min(at, text.length)
  }
}

const isWordCharacter = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x30 && code <= 0x39) ||
  code === 0x5f ||
  code === 0x24 ||
  code === 0x23 ||
  code > 0xa0

function endOfWord(text: string, from: number): number {
  let at = from + 1
  while (at < text.length && isWordCharacter(text.charCodeAt(at))) at++
  return at
}

/**
 * Returns the position behind the closing quote; without one the end of the line, or of the text
 * for a template.
 */
function endOfString(text: string, from: number, quote: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === quote) return at + 1
    else if (code === NEWLINE && quote !== BACKQUOTE) return at
  }
  return text.length
}
