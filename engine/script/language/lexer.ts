// Splits the text of a script into tokens, one at a time, because the content of a template between
// `${` and `}` is parsed as script.
import { continuesName, isDigit, isSpace, startsName } from './characters.ts'
import { type Position, ScriptSyntaxError } from './faults.ts'
import type { Literal } from './tree.ts'
import { Char } from './values.ts'
import { FOREIGN_SYMBOLS, KEYWORDS, RESERVED, SYMBOLS } from './words.table.ts'

type TokenKind =
  | 'literal'
  | 'name'
  | 'keyword'
  | 'reserved'
  | 'symbol'
  /** A template up to its first `${`, or to its end: `isOpen` distinguishes them. */
  | 'template'
  | 'end'

export type Token = {
  readonly kind: TokenKind
  readonly text: string
  readonly value: Literal
  readonly at: Position
  readonly isOpen: boolean
}

const I64_MAX = 9223372036854775807n

const ESCAPES: Readonly<Record<string, string>> = {
  t: '\t',
  n: '\n',
  r: '\r',
  '\\': '\\',
  '"': '"',
  "'": "'",
  '`': '`',
}
/** Number of hexadecimal digits after the letter of an escape. */
const CODES: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

const RADIX: Readonly<Record<string, readonly [bigint, RegExp]>> = {
  x: [16n, /[0-9a-fA-F_]/],
  o: [8n, /[0-7_]/],
  b: [2n, /[01_]/],
}

export class Lexer {
  readonly #chars: readonly string[]
  #next = 0
  #line = 1
  #column = 1

  constructor(text: string) {
    this.#chars = Array.from(text)
  }

  /** @throws ScriptSyntaxError */
  take(): Token {
    this.#skip()
    const at = this.#position()
    const c = this.#peek()
    if (c === '') return token('end', '', at)
    if (startsName(c)) return this.#word(at)
    if (isDigit(c)) return this.#number(at)
    if (c === '"') return { ...token('literal', '"', at), value: this.#string(at, '"') }
    if (c === "'") return this.#character(at)
    if (c === '#' && /["#]/.test(this.#peek(1))) return this.#rawString(at)
    if (c === '`') {
      this.#advance()
      if (this.#peek() === '\r') this.#advance()
      if (this.#peek() === '\n') this.#advance()
      return this.takeTemplate(at)
    }
    return this.#symbol(at)
  }

  /** Reads the text of a template from here on, after its beginning or after a `}`. */
  takeTemplate(at: Position): Token {
    let text = ''
    for (;;) {
      const c = this.#peek()
      if (c === '') throw new ScriptSyntaxError('Open string is not terminated', at)
      this.#advance()
      if (c === '`') {
        if (this.#peek() !== '`') return { ...token('template', text, at), isOpen: false }
        this.#advance()
      } else if (c === '$' && this.#peek() === '{') {
        this.#advance()
        return { ...token('template', text, at), isOpen: true }
      }
      text += c
    }
  }

  #position(): Position {
    return { line: this.#line, column: this.#column }
  }

  #peek(ahead = 0): string {
    return this.#chars[this.#next + ahead] ?? ''
  }

  #advance(): string {
    const c = this.#chars[this.#next++] ?? ''
    if (c === '\n') {
      this.#line++
      this.#column = 1
    } else {
      this.#column++
    }
    return c
  }

  /** Skips white space and comments; an unclosed comment extends to the end. */
  #skip(): void {
    for (;;) {
      const c = this.#peek()
      if (c !== '' && isSpace(c)) this.#advance()
      else if (c === '/' && this.#peek(1) === '/') {
        while (this.#peek() !== '' && this.#peek() !== '\n') this.#advance()
      } else if (c === '/' && this.#peek(1) === '*') this.#skipComment()
      else return
    }
  }

  #skipComment(): void {
    let depth = 0
    do {
      const pair = this.#peek() + this.#peek(1)
      if (pair === '/*') depth++
      else if (pair === '*/') depth--
      if (pair === '/*' || pair === '*/') this.#advance()
      this.#advance()
    } while (depth > 0 && this.#peek() !== '')
  }

  #word(at: Position): Token {
    let text = ''
    while (continuesName(this.#peek())) text += this.#advance()
    if (KEYWORDS.has(text)) return token('keyword', text, at)
    return token(RESERVED.has(text) ? 'reserved' : 'name', text, at)
  }

  #number(at: Position): Token {
    const radix = this.#peek() === '0' ? RADIX[this.#peek(1).toLowerCase()] : undefined
    if (radix !== undefined) return this.#prefixed(at, radix)
    let text = this.#digits()
    let isFloat = false
    const afterPoint = this.#peek(1)
    if (this.#peek() === '.' && afterPoint !== '.' && !startsName(afterPoint)) {
      this.#advance()
      text += `.${this.#digits()}`
      isFloat = true
    }
    const exponent = this.#exponent()
    text += exponent
    if (isFloat || exponent !== '') return literal(Number(text), text, at)
    const value = BigInt(text)
    return literal(value > I64_MAX ? Number(text) : value, text, at)
  }

  #digits(): string {
    let text = ''
    while (isDigit(this.#peek()) || this.#peek() === '_') {
      const c = this.#advance()
      if (c !== '_') text += c
    }
    return text
  }

  #exponent(): string {
    if (this.#peek().toLowerCase() !== 'e') return ''
    const isSigned = this.#peek(1) === '+' || this.#peek(1) === '-'
    if (!isDigit(this.#peek(isSigned ? 2 : 1))) return ''
    this.#advance()
    const sign = isSigned ? this.#advance() : ''
    return `e${sign}${this.#digits()}`
  }

  #prefixed(at: Position, [radix, digit]: readonly [bigint, RegExp]): Token {
    const prefix = this.#advance() + this.#advance()
    let digits = ''
    while (digit.test(this.#peek())) {
      const c = this.#advance()
      if (c !== '_') digits += c
    }
    // Literals in another base may use all 64 bits.
    const limit = radix === 16n ? 16 : radix === 8n ? 21 : 64
    if (digits === '' || digits.length > limit) {
      throw new ScriptSyntaxError(`Invalid number: '${digits}'`, at)
    }
    const value = BigInt.asIntN(64, BigInt(prefix.toLowerCase() + digits))
    return literal(value, prefix + digits, at)
  }

  #string(at: Position, quote: string): string {
    this.#advance()
    let text = ''
    for (;;) {
      const c = this.#peek()
      if (c === '' || c === '\n') throw new ScriptSyntaxError('Open string is not terminated', at)
      if (c === quote) {
        this.#advance()
        if (this.#peek() !== quote || quote === "'") return text
        // A doubled quote means the quote itself.
        text += this.#advance()
      } else if (c === '\\') {
        text += this.#escape()
      } else {
        text += this.#advance()
      }
    }
  }

  /** Reads `#"text"#`, with as many `#` as the text needs; a `#` without quote is a symbol. */
  #rawString(at: Position): Token {
    let fence = ''
    while (this.#peek(fence.length) === '#') fence += '#'
    if (this.#peek(fence.length) !== '"') return this.#symbol(at)
    for (let i = 0; i <= fence.length; i++) this.#advance()
    let text = ''
    for (;;) {
      const c = this.#peek()
      if (c === '') throw new ScriptSyntaxError('Open string is not terminated', at)
      this.#advance()
      if (c === '"' && this.#isFence(fence)) break
      text += c
    }
    for (let i = 0; i < fence.length; i++) this.#advance()
    return literal(text, fence, at)
  }

  #isFence(fence: string): boolean {
    for (let i = 0; i < fence.length; i++) if (this.#peek(i) !== '#') return false
    return true
  }

  /** Reads an escape. @throws ScriptSyntaxError at the invalid character */
  #escape(): string {
    let sequence = this.#advance()
    const at = this.#position()
    const letter = this.#advance()
    sequence += letter
    if (letter === '\n') {
      while (this.#peek() !== '\n' && this.#peek() !== '' && isSpace(this.#peek())) this.#advance()
      return ''
    }
    const plain = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined
    if (plain !== undefined) return plain
    const length = Object.hasOwn(CODES, letter) ? CODES[letter]! : 0
    if (length === 0) throw invalidEscape(sequence, at)
    let code = ''
    while (code.length < length) {
      const digitAt = this.#position()
      const digit = this.#advance()
      sequence += digit
      if (!/^[0-9a-fA-F]$/.test(digit)) throw invalidEscape(sequence, digitAt)
      code += digit
    }
    const point = Number.parseInt(code, 16)
    const isCharacter = point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff)
    if (!isCharacter) throw invalidEscape(sequence, this.#position())
    return String.fromCodePoint(point)
  }

  #character(at: Position): Token {
    const text = this.#string(at, "'")
    const [first, second] = Array.from(text)
    if (first === undefined || second !== undefined) {
      throw new ScriptSyntaxError(`Invalid character: '${text}'`, at)
    }
    return literal(new Char(first), text, at)
  }

  #symbol(at: Position): Token {
    if (this.#peek() === '!' && this.#peek(1) === 'i' && this.#peek(2) === 'n') {
      if (!continuesName(this.#peek(3))) {
        for (let i = 0; i < 3; i++) this.#advance()
        return token('symbol', '!in', at)
      }
    }
    let symbol = this.#peek() + this.#peek(1) + this.#peek(2)
    while (symbol.length > 1 && !SYMBOLS.has(symbol)) symbol = symbol.slice(0, -1)
    if (!SYMBOLS.has(symbol)) throw new ScriptSyntaxError(`Unexpected '${this.#peek()}'`, at)
    for (let i = 0; i < symbol.length; i++) this.#advance()
    const advice = FOREIGN_SYMBOLS.get(symbol)
    if (advice !== undefined) throw new ScriptSyntaxError(advice, at)
    return token('symbol', symbol, at)
  }
}

const token = (kind: TokenKind, text: string, at: Position): Token => ({
  kind,
  text,
  value: null,
  at,
  isOpen: false,
})

const literal = (value: Literal, text: string, at: Position): Token => ({
  ...token('literal', text, at),
  value,
})

const invalidEscape = (sequence: string, at: Position): ScriptSyntaxError =>
  new ScriptSyntaxError(`Invalid escape sequence: '${sequence}'`, at)
