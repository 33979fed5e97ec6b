// A position in a filter's text, and the parsers that all forms share: words, numbers, values with
// quotes and escapes. A parser that does not match leaves the position unchanged and returns null;
// if the text can no longer be a filter, it throws the fault.
import type { EngineFault } from '../../model/index.ts'
import type { Ceilings } from './ceilings.ts'
import { excerptAt, nameAt, numberAt, skipBlanks, wordAt } from './characters.ts'
import { habitHint, markHint } from './habits.ts'
import type { Token } from './tree.ts'
import { resolveEscapes } from './unescape.ts'
import { type FilterWording, faultAt, quoted } from './wording.ts'

export type Reader = {
  readonly text: string
  readonly wording: FilterWording
  readonly ceilings: Ceilings
  /** The path of the elements that names belong to, or ''. */
  path: string
  at: number
}

/** Words that are values only in quotes. */
const KEYWORDS: ReadonlySet<string> = new Set([
  'AND',
  'OR',
  'IN',
  'NOT',
  'TO',
  'EXISTS',
  'IS',
  'NULL',
  'EMPTY',
  'CONTAINS',
  'STARTS',
  'WITH',
  '_geoRadius',
  '_geoBoundingBox',
  '_geoPolygon',
])
const GEO_OPERATIONS: ReadonlySet<string> = new Set([
  '_geoRadius',
  '_geoBoundingBox',
  '_geoPolygon',
])
const RESERVED_NAMES: ReadonlySet<string> = new Set(['_geo', '_geoPoint', '_geoDistance'])

export const skip = (reader: Reader): void => {
  reader.at = skipBlanks(reader.text, reader.at)
}

export const isAtEnd = (reader: Reader): boolean => reader.at >= reader.text.length

/** Returns the token text[from, to). @throws EngineFault if it is too long */
export function tokenOf(reader: Reader, from: number, to: number): Token {
  reader.ceilings.noteValue(to - from)
  return { text: reader.text.slice(from, to), source: reader.text, from, to }
}

/** Creates a fault at text[from, to); `to` defaults to the end of the text. */
export const fault = (
  reader: Reader,
  sentence: string,
  from: number,
  to = reader.text.length,
): EngineFault => faultAt(reader.wording, sentence, reader.text, from, to)

/** Reads `word` if it is the whole word at the position. */
export function takeWord(reader: Reader, word: string): boolean {
  if (!reader.text.startsWith(word, reader.at)) return false
  if (wordAt(reader.text, reader.at).length !== word.length) return false
  reader.at += word.length
  return true
}

/** Reads one character. */
export function take(reader: Reader, character: string): boolean {
  if (reader.text[reader.at] !== character) return false
  reader.at++
  return true
}

/** Reads a number without quotes, and the blanks around it. */
export function number(reader: Reader): Token | null {
  const start = reader.at
  skip(reader)
  const digits = numberAt(reader.text, reader.at)
  if (digits === '') {
    reader.at = start
    return null
  }
  const token = tokenOf(reader, reader.at, reader.at + digits.length)
  reader.at = token.to
  skip(reader)
  return token
}

/**
 * Reads a field name or a value: a word or a quoted text, and the blanks around it. Returns null
 * without reading for a keyword and for other characters. @throws EngineFault for geo words, open
 * quotes and bad escapes
 */
export function value(reader: Reader): Token | null {
  const start = reader.at
  skip(reader)
  const token = quotedText(reader) ?? bareWord(reader)
  if (token === null) reader.at = start
  else skip(reader)
  return token
}

/** Reads a mandatory value. @throws EngineFault */
export function requireValue(reader: Reader): Token {
  const token = value(reader)
  if (token !== null) return token
  skip(reader)
  throw keywordFault(reader) ?? missingValue(reader)
}

/** Reads a quoted text, or returns null. The token excludes the quotes. @throws EngineFault */
function quotedText(reader: Reader): Token | null {
  const { text, at } = reader
  const quote = text[at]
  if (quote !== "'" && quote !== '"') return null
  let end = at + 1
  let hasEscapes = false
  while (end < text.length && text[end] !== quote) {
    if (text[end] === '\\') {
      hasEscapes = true
      end++
    }
    end++
  }
  if (end > text.length)
    throw fault(reader, `Malformed value: ${quoted(text.slice(at + 1))}.`, at + 1)
  if (end === text.length) {
    const expression = quoted(text.slice(at))
    const sentence =
      `Expression ${expression} is missing ` + `the following closing delimiter: \`${quote}\`.`
    throw fault(reader, sentence, at)
  }
  reader.at = end + 1
  const token = tokenOf(reader, at + 1, end)
  return hasEscapes ? unescaped(reader, token) : token
}

/** Reads the name of an embedder or fragment: a quoted text, or a word without dots. */
export function name(reader: Reader): Token | null {
  const inQuotes = quotedText(reader)
  if (inQuotes !== null) return inQuotes
  const word = nameAt(reader.text, reader.at)
  if (word === '') return null
  const token = tokenOf(reader, reader.at, reader.at + word.length)
  reader.at = token.to
  return token
}

/** Returns the fault of a keyword in place of a value, or null without one. */
export function keywordFault(reader: Reader): EngineFault | null {
  const word = wordAt(reader.text, reader.at)
  if (!KEYWORDS.has(word)) return null
  const sentence =
    `Was expecting a value but instead got \`${word}\`, which is a reserved keyword. ` +
    `To use \`${word}\` as a field name or a value, surround it by quotes.`
  return fault(reader, sentence, reader.at, reader.at + word.length)
}

function bareWord(reader: Reader): Token | null {
  const { text, at } = reader
  const word = wordAt(text, at)
  if (word === '') return null
  if (word.startsWith('_geo')) refuseGeoWord(reader, word)
  if (KEYWORDS.has(word)) return null
  reader.at = at + word.length
  return tokenOf(reader, at, reader.at)
}

function refuseGeoWord(reader: Reader, word: string): void {
  if (GEO_OPERATIONS.has(word)) {
    const sentence = `The \`${word}\` filter is an operation and can't be used as a value.`
    throw fault(reader, sentence, reader.at)
  }
  if (!RESERVED_NAMES.has(word)) return
  const sentence =
    `\`${word}\` is a reserved keyword and thus can't be used as a filter expression. ` +
    'Use the `_geoRadius(latitude, longitude, distance)` or ' +
    '`_geoBoundingBox([latitude, longitude], [latitude, longitude])` built-in rules to filter on ' +
    '`_geo` coordinates.'
  throw fault(reader, sentence, reader.at)
}

/** The hint for `=>`, `=<`, `==` and `<>`, of which the first sign was read. */
function turnedOperator({ text, at }: Reader): string {
  const next = text[at]
  if (text[at - 1] !== '=' || (next !== '<' && next !== '>')) {
    return habitHint(text, at - 1) || markHint(text, at) || habitHint(text, at)
  }
  return ` Did you mean \`${next}=\` instead of \`=${next}\`?`
}

function missingValue(reader: Reader): EngineFault {
  const excerpt = excerptAt(reader.text, reader.at)
  const got = excerpt === '' ? 'nothing' : quoted(excerpt)
  const end = reader.at + excerpt.length
  const sentence = `Was expecting a value but instead got ${got}.${turnedOperator(reader)}`
  return fault(reader, sentence, reader.at, end)
}

function unescaped(reader: Reader, token: Token): Token {
  const result = resolveEscapes(token.text)
  switch (result.kind) {
    case 'text':
      return { ...token, text: result.text }
    case 'unfinished': {
      const sentence =
        'The filter is incomplete and requires Unknown additional bytes to be parsed.'
      throw fault(reader, sentence, 0)
    }
    case 'badNumber': {
      const sentence = `Found an invalid escaped sequence number: ${quoted(token.text)}.`
      throw fault(reader, sentence, token.from, token.to)
    }
    case 'malformed':
      throw fault(reader, `Malformed value: ${quoted(token.text)}.`, token.from, token.to)
  }
}
