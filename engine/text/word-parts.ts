// The parts of Latin words with capitals inside: `getElementById`, `HTTPServer`, `iPhone15Pro`. Each
// part has a term of its own at the position of the word. Marks stand before it, so that no query
// word reaches it by a prefix or a typo (./stop-term.ts).
import { LATIN } from './characters/index.ts'
import { normalizerFor } from './normalize.ts'

const MARKS = '\u0004\u0004\u0004'
/**
 * The tail of `DVDs` is no part. A function: V8 reads the classes of Unicode at the first
 * use, not at the start.
 */
const border = (): RegExp =>
  /(?<=\p{Ll}\p{M}*)(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})|(?<=\p{L}\p{M}*)(?=\p{N})|(?<=\p{N})(?=\p{L})/u
const INNER_CAPITAL = /.\p{Lu}/su

/** A part of a word, in its UTF-16 units, and its normal form. */
export type WordPart = { readonly from: number; readonly to: number; readonly lemma: string }

/** Returns the term of a part. */
export const partTerm = (lemma: string): string => MARKS + lemma

/** Returns the part of a term of one. */
export const partOf = (term: string): string => term.slice(MARKS.length)

/** Returns true if the word in valid UTF-8 bytes[from, to) may have parts; mostly false, and cheap. */
export function mayHaveParts(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from + 1; i < to; i++) {
    const byte = bytes[i]!
    if ((byte >= 0x41 && byte <= 0x5a) || byte >= 0x80) return true
  }
  return false
}

/**
 * Returns the parts of a Latin word: those of two characters or more, and first the beginning of
 * `iPhone15`, of which a single letter is no part.
 */
export function partsOf(word: string): WordPart[] {
  if (!INNER_CAPITAL.test(word)) return []
  const pieces = word.split(border())
  const parts: WordPart[] = []
  const add = (from: number, text: string): void => {
    const lemma = normalizerFor(LATIN, null).lemma(text)
    if (text.length > 1 && lemma !== '') parts.push({ from, to: from + text.length, lemma })
  }
  const [first, second] = pieces
  if (pieces.length > 2 && /^\p{Ll}$/u.test(first!)) add(0, first! + second!)
  let at = 0
  for (const piece of pieces.length > 1 ? pieces : []) {
    add(at, piece)
    at += piece.length
  }
  return parts
}

/** Returns how many units of a part the beginning `lemma` of its normal form covers. */
export function unitsOfBeginning(part: string, lemma: string): number {
  let units = 0
  for (const char of part) {
    units += char.length
    if (normalizerFor(LATIN, null).lemma(part.slice(0, units)).startsWith(lemma)) break
  }
  return units
}
