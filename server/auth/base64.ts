// Decodes the parts of a token: base64 for URLs without padding, with exact messages for errors.
// Node's own decoder ignores unknown symbols.
import { undecodable } from './faults.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const PADDING = 0x3d

const VALUES = new Int8Array(256).fill(-1)
for (let i = 0; i < ALPHABET.length; i++) VALUES[ALPHABET.charCodeAt(i)] = i

/** Unused bits of the last symbol, by the number of symbols after the last full group. */
const SPARE_BITS = [0, 0, 0b1111, 0b11]

/** @throws ApiError invalid_api_key */
export function decodePart(text: string): Uint8Array {
  const problem = problemOf(text)
  if (problem !== null) throw undecodable(`Base64 error: ${problem}`)
  return Buffer.from(text, 'base64url')
}

function problemOf(text: string): string | null {
  const { length } = text
  const rest = length % 4
  if (rest === 1 && !isKnown(text, length - 1)) return invalidSymbol(text, length - 1)
  // Padding can only occur in the last group, after at least two symbols.
  const last = length - (rest === 0 ? Math.min(4, length) : rest)
  let padding = -1
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === PADDING && i >= last + 2) {
      if (padding < 0) padding = i
    } else if (padding >= 0) return invalidSymbol(text, padding)
    else if ((VALUES[unit] ?? -1) < 0) return invalidSymbol(text, i)
  }
  if (rest === 1) return `Invalid input length: ${length}`
  if (padding >= 0) return 'Invalid padding'
  const spare = SPARE_BITS[rest]!
  if (length > 0 && (VALUES[text.charCodeAt(length - 1)]! & spare) !== 0) {
    return `Invalid last symbol ${text.charCodeAt(length - 1)}, offset ${length - 1}.`
  }
  return null
}

const isKnown = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at)
  return unit === PADDING || (VALUES[unit] ?? -1) >= 0
}

const invalidSymbol = (text: string, at: number): string =>
  `Invalid symbol ${text.charCodeAt(at)}, offset ${at}.`
