// Cuts the text of a boolean query into words, phrases, operators, parentheses and names of
// attributes. Every function takes a position and returns one behind what it read.

export type Lexeme = {
  readonly kind:
    | 'word'
    | 'phrase'
    | 'field'
    | 'and'
    | 'or'
    | 'not'
    | 'plus'
    | 'open'
    | 'close'
    | 'unclosed'
  readonly from: number
  readonly to: number
}

const OPERATORS: ReadonlyMap<string, 'and' | 'or' | 'not'> = new Map([
  ['AND', 'and'],
  ['OR', 'or'],
  ['NOT', 'not'],
])
const BLANK = /[\s\u0000]/u
const OPENING_QUOTES = '"“„”'
const CLOSING_QUOTES = '"“”'
/** A function: V8 reads the classes of Unicode at the first use, not at the start. */
const fieldName = (): RegExp => /^[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}_.-]*(?=:)/u
/** Units of the longest name of an attribute that is read. */
const NAME_UNITS_MAX = 512

/** Returns the lexeme at or behind `at`, or null at the end. */
export function lexemeAt(text: string, at: number): Lexeme | null {
  let from = at
  for (; from < text.length; from++) {
    if (BLANK.test(text[from]!)) continue
    // A sign that stands alone is a separator.
    if (!isSign(text[from]!) || !isBlankAt(text, from + 1)) break
  }
  if (from >= text.length) return null
  const unit = text[from]!
  if (unit === '(') return { kind: 'open', from, to: from + 1 }
  if (unit === ')') return { kind: 'close', from, to: from + 1 }
  if (unit === '-') return { kind: 'not', from, to: from + 1 }
  if (unit === '+') return { kind: 'plus', from, to: from + 1 }
  if (OPENING_QUOTES.includes(unit)) return phraseAt(text, from)
  return wordAt(text, from)
}

function phraseAt(text: string, from: number): Lexeme {
  for (let to = from + 1; to < text.length; to++) {
    if (CLOSING_QUOTES.includes(text[to]!)) return { kind: 'phrase', from, to: to + 1 }
  }
  return { kind: 'unclosed', from, to: text.length }
}

/** A word with a colon behind its first part begins with the name of an attribute. */
function wordAt(text: string, from: number): Lexeme {
  let to = from
  while (to < text.length && !isBlankAt(text, to) && !`(${OPENING_QUOTES}`.includes(text[to]!)) to++
  const name = fieldName().exec(text.slice(from, Math.min(to, from + NAME_UNITS_MAX)))?.[0]
  if (name !== undefined) return { kind: 'field', from, to: from + name.length + 1 }
  return { kind: OPERATORS.get(text.slice(from, to)) ?? 'word', from, to }
}

const isSign = (unit: string): boolean => unit === '-' || unit === '+'

/** Returns true at the end, and before a closing parenthesis. */
const isBlankAt = (text: string, at: number): boolean =>
  at >= text.length || text[at] === ')' || BLANK.test(text[at]!)
