// The states of the scanner and the tables of its transitions.
import { assert } from '../errors.ts'

/**
 * Most open brackets, counted from the document: deeper nesting would overflow the stack of
 * recursive readers.
 */
export const DEPTH_MAX = 127

// States between tokens, named after what may come next.
export const VALUE = 0
export const ELEMENT = 1
export const FIRST_ELEMENT = 2
export const FIRST_KEY = 3
export const KEY = 4
export const COLON = 5
export const AFTER = 6
export const NEXT = 7
export const END = 8
/** Behind an array of documents, and behind the bytes there that are ignored. */
export const ARRAY_END = 9
export const IGNORE = 10
export const BETWEEN_LAST = 10

// States in a string.
export const STRING = 11
export const ESCAPE = 12
export const HEX = 13
export const LOW_BACKSLASH = 14
export const LOW_U = 15
export const LOW_HEX = 16
export const ESCAPE_LAST = 16

export const IDENT = 17

// States in a number. From NUMBER_COMPLETE on the number may end.
export const NUMBER = 20
const N_MINUS = 20
const N_POINT = 21
const N_E = 22
const N_E_SIGN = 23
export const NUMBER_COMPLETE = 24
const N_ZERO = 24
/** In this state and the next two any number of digits may follow. */
export const N_INTEGER = 25
const N_FRACTION = 26
export const N_EXPONENT = 27
/** The byte is not part of the number, or of any number. */
export const NUMBER_OVER = 28
export const NUMBER_WRONG = 29

const CLASSES = 8
const DIGITS = '0123456789'
/** By byte: its class inside a number. */
const NUMBER_CLASS = new Uint8Array(256)
for (const digit of DIGITS) NUMBER_CLASS[digit.charCodeAt(0)] = digit === '0' ? 1 : 2
for (const [i, letters] of ['.', 'eE', '+', '-'].entries()) {
  for (const letter of letters) NUMBER_CLASS[letter.charCodeAt(0)] = 3 + i
}

const steps = new Uint8Array(CLASSES * 8)
const rows: readonly (readonly [number, readonly number[]])[] = [
  // A state, then the next one for: other, 0, 1–9, point, e, +, -
  [N_MINUS, [NUMBER_WRONG, N_ZERO, N_INTEGER]],
  [N_POINT, [NUMBER_WRONG, N_FRACTION, N_FRACTION]],
  [N_E, [NUMBER_WRONG, N_EXPONENT, N_EXPONENT, NUMBER_WRONG, NUMBER_WRONG, N_E_SIGN, N_E_SIGN]],
  [N_E_SIGN, [NUMBER_WRONG, N_EXPONENT, N_EXPONENT]],
  [N_ZERO, [NUMBER_OVER, NUMBER_WRONG, NUMBER_WRONG, N_POINT, N_E]],
  [N_INTEGER, [NUMBER_OVER, N_INTEGER, N_INTEGER, N_POINT, N_E]],
  [N_FRACTION, [NUMBER_OVER, N_FRACTION, N_FRACTION, NUMBER_OVER, N_E]],
  [N_EXPONENT, [NUMBER_OVER, N_EXPONENT, N_EXPONENT]],
]
assert(rows.length === NUMBER_OVER - NUMBER, 'each state of a number has its steps')
for (const [state, next] of rows) {
  for (let c = 0; c < CLASSES; c++) steps[(state - NUMBER) * CLASSES + c] = next[c] ?? next[0]!
}

/** Returns the state after a number in `state` read byte `c`. */
export const numberStep = (state: number, c: number): number =>
  steps[(state - NUMBER) * CLASSES + NUMBER_CLASS[c]!]!

/** Returns the state of a number after its first byte `c`, a minus or a digit. */
export const numberBegin = (c: number): number =>
  c === 0x2d ? N_MINUS : c === 0x30 ? N_ZERO : N_INTEGER

/** Returns the remaining letters of the word that begins with this byte, or null. */
export function identOf(c: number): readonly number[] | null {
  if (c === 0x74) return TRUE
  if (c === 0x66) return FALSE
  return c === 0x6e ? NULL : null
}
const tail = (word: string): readonly number[] => [...word].map((c) => c.charCodeAt(0))
const TRUE = tail('rue')
const FALSE = tail('alse')
const NULL = tail('ull')
