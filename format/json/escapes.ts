// Escapes in strings, byte by byte: `\n`, `\u0041`, or two of the latter as a pair of surrogates.
import { BACKSLASH, LETTER_U } from '../bytes/index.ts'
import { END_OF_HEX_ESCAPE, INVALID_ESCAPE, LONE_SURROGATE } from './faults.ts'
import { ESCAPE, HEX, LOW_BACKSLASH, LOW_HEX, LOW_U, STRING } from './grammar.ts'
import { ESCAPE_MEANS, HEX_VALUE } from './strings.ts'

/** In place of a state: the byte is wrong. */
export const ESCAPE_WRONG = -1

export class EscapeReader {
  /** Digits read so far, their value, and whether all of them were digits. */
  #count = 0
  #hex = 0
  #isHex = true
  /** The message of the last wrong byte. */
  message = ''

  /** Returns the state after the scanner read byte `c` in `state`, or ESCAPE_WRONG. */
  step(state: number, c: number): number {
    switch (state) {
      case ESCAPE:
        if (ESCAPE_MEANS[c] !== 0) return STRING
        return c === LETTER_U ? this.#begin(HEX) : this.#wrong(INVALID_ESCAPE)
      case LOW_BACKSLASH:
        return c === BACKSLASH ? LOW_U : this.#wrong(END_OF_HEX_ESCAPE)
      case LOW_U:
        return c === LETTER_U ? this.#begin(LOW_HEX) : this.#wrong(END_OF_HEX_ESCAPE)
      default:
        return this.#digit(state, c)
    }
  }

  #begin(state: number): number {
    this.#count = 0
    this.#hex = 0
    this.#isHex = true
    return state
  }

  #digit(state: number, c: number): number {
    const value = HEX_VALUE[c]!
    if (value > 15) this.#isHex = false
    this.#hex = this.#hex * 16 + value
    if (++this.#count < 4) return state
    const high = this.#hex >= 0xd800 && this.#hex < 0xdc00
    const low = this.#hex >= 0xdc00 && this.#hex < 0xe000
    if (!this.#isHex) return this.#wrong(INVALID_ESCAPE)
    if (low !== (state === LOW_HEX)) return this.#wrong(LONE_SURROGATE)
    return high ? LOW_BACKSLASH : STRING
  }

  #wrong(message: string): number {
    this.message = message
    return ESCAPE_WRONG
  }
}
