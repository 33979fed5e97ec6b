// Classes of the bytes of UTF-8 for the scanner of term-indexer.ts, for an analyzer whose patterns
// are single characters (`Analyzer.isPlain`).
import type { Analyzer } from './analyzer.ts'
import { LATIN } from './characters/index.ts'
import { normalizerFor } from './normalize.ts'
import { SINGLE } from './patterns.ts'
import { isGlue } from './spelling.ts'

/** Part of a word in a run of any script. */
export const WORD = 0
/** A separate token: a separator of one byte. */
export const SOFT = 1
/** A dot that separates and belongs to the spelling of the word behind it. */
export const SPELLED_DOT = 2
export const HARD = 3
/** A hard separator of two bytes: a dot or comma with a space behind it. */
export const HARD_PAIR = 4
/** A separate token that is looked up like a word. */
export const SOLO = 5
/** Not a byte: the end of the text. */
export const END = 6
/** From here on `TermIndexer.#classAt` decides. A dot or comma. */
export const DOT = 7
export const COMMA = 8
/** A Latin letter, separator or not, in a run of another script: a new run begins. */
export const LETTER = 9
/** A separator that may belong to the spelling of the word before it. */
export const GLUE = 10
/** A control character inside a word. */
export const CONTROL = 11
/** A byte of a character of several bytes. */
const MULTI = 12

export class ByteClasses {
  /** Classes while the run is Latin, or undecided. */
  readonly latin = new Uint8Array(256).fill(MULTI, 128)
  /** Classes while the run is of another script. */
  readonly foreign: Uint8Array
  /** Class of a dot and a comma that no space follows. */
  readonly dot: number
  readonly comma: number

  constructor(analyzer: Analyzer) {
    for (let byte = 0; byte < 128; byte++) this.latin[byte] = classOf(analyzer, byte)
    this.dot = loneClass(analyzer, '.')
    this.comma = loneClass(analyzer, ',')
    this.latin[0x2e] = analyzer.patterns.longest('. ', 0, 2) === 2 ? DOT : this.dot
    this.latin[0x2c] = analyzer.patterns.longest(', ', 0, 2) === 2 ? COMMA : this.comma
    this.foreign = this.latin.slice()
    for (let letter = 0x41; letter <= 0x5a; letter++) {
      this.foreign[letter] = LETTER
      this.foreign[letter | 0x20] = LETTER
    }
  }
}

function classOf(analyzer: Analyzer, byte: number): number {
  const char = String.fromCharCode(byte)
  if (analyzer.patterns.starts[byte] === SINGLE) {
    const kind = separatorClass(analyzer, char)
    return kind === SOFT && isGlue(byte) ? GLUE : kind
  }
  return byte < 0x20 || byte === 0x7f ? CONTROL : WORD
}

function loneClass(analyzer: Analyzer, char: string): number {
  const isPattern = analyzer.patterns.longest(char, 0, 1) === 1
  const isSingle = analyzer.patterns.starts[char.charCodeAt(0)] === SINGLE
  return isPattern || isSingle ? separatorClass(analyzer, char) : WORD
}

function separatorClass(analyzer: Analyzer, char: string): number {
  const kind = analyzer.kindOf(char, normalizerFor(LATIN, null))
  if (kind === 'softSeparator') return SOFT
  return kind === 'hardSeparator' ? HARD : SOLO
}

/** Returns true if all bytes are ASCII without blanks and control characters. */
export function isPrintable(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i]! <= 0x20 || bytes[i]! >= 0x7f) return false
  return true
}

/** Writes ASCII in lower case to the start of `target`. */
export function writeLowered(
  bytes: Uint8Array,
  from: number,
  to: number,
  target: Uint8Array,
): void {
  for (let i = from; i < to; i++) {
    const byte = bytes[i]!
    target[i - from] = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
  }
}
