// The messages for faults in a text, and their positions · table: ./JSON.md
import { floatText, isInteger, numberText } from './numbers.ts'
import { unescapeText } from './strings.ts'

/** The first fault of a JSON text. Lines count from 1; columns are bytes of that line. */
export type JsonFault = {
  /** One of the constants below, or the text of a caller's own fault. */
  readonly problem: string
  readonly line: number
  readonly column: number
}

export const EOF_VALUE = 'EOF while parsing a value'
export const EOF_LIST = 'EOF while parsing a list'
export const EOF_OBJECT = 'EOF while parsing an object'
export const EOF_STRING = 'EOF while parsing a string'
export const EXPECTED_VALUE = 'expected value'
export const EXPECTED_IDENT = 'expected ident'
export const EXPECTED_COLON = 'expected `:`'
export const EXPECTED_LIST_COMMA = 'expected `,` or `]`'
export const EXPECTED_OBJECT_COMMA = 'expected `,` or `}`'
export const KEY_MUST_BE_A_STRING = 'key must be a string'
export const TRAILING_COMMA = 'trailing comma'
export const TRAILING_CHARACTERS = 'trailing characters'
export const INVALID_NUMBER = 'invalid number'
export const NUMBER_OUT_OF_RANGE = 'number out of range'
export const INVALID_ESCAPE = 'invalid escape'
export const END_OF_HEX_ESCAPE = 'unexpected end of hex escape'
export const LONE_SURROGATE = 'lone leading surrogate in hex escape'
export const CONTROL_CHARACTER = 'control character (\\u0000-\\u001F) found while parsing a string'
export const INVALID_UNICODE = 'invalid unicode code point'
export const RECURSION_LIMIT = 'recursion limit exceeded'

/** Returns `problem at line l column c`. */
export const faultText = (fault: JsonFault): string =>
  `${fault.problem} at line ${fault.line} column ${fault.column}`

/**
 * Returns the name of the valid value bytes[from, to) for messages: `map`, `sequence`, `null`,
 * ``boolean `true` ``, ``integer `5` ``, ``floating point `1.5` ``, `string "text"`.
 */
export function kindText(bytes: Uint8Array, from: number, to: number): string {
  switch (bytes[from]) {
    case 0x7b:
      return 'map'
    case 0x5b:
      return 'sequence'
    case 0x22:
      return `string ${quoted(unescapeText(bytes, from + 1, to - 1))}`
    case 0x6e:
      return 'null'
    case 0x74:
      return 'boolean `true`'
    case 0x66:
      return 'boolean `false`'
    default: {
      const text = numberText(bytes, from, to)
      if (isInteger(bytes, from, to)) return `integer \`${text}\``
      return `floating point \`${floatText(Number(text))}\``
    }
  }
}

const quoted = (text: string): string => `"${text.replace(/["\\\0-\x1f\x7f]/g, escaped)}"`

function escaped(character: string): string {
  const named = '"\\\n\r\t\0'.indexOf(character)
  if (named >= 0) return ['\\"', '\\\\', '\\n', '\\r', '\\t', '\\0'][named]!
  return `\\u{${character.charCodeAt(0).toString(16)}}`
}
