// Parses sizes such as `100 MB`, `2GiB`, `1.5 m`, `1000`. Units are powers of 1000, with an `i` of
// 1024; a small `b` means bits.
import { ValueError } from './launch-error.ts'

const PREFIXES = 'KMGTPE'
const SIZE = /^(\d+(?:\.\d*)?) *(?:([kmgtpe])(i)?)?(b|bits?)?$/i

/**
 * Returns whole bytes; fractions are dropped, and sizes beyond the largest exact number are that
 * number. @throws ValueError
 */
export function parseByteSize(text: string): number {
  const match = SIZE.exec(text.trim())
  if (match === null) {
    throw new ValueError('expected a size such as `100MB` or `2GiB`')
  }
  const [, digits, prefix = '', binary, suffix = ''] = match
  const power = prefix === '' ? 0 : PREFIXES.indexOf(prefix.toUpperCase()) + 1
  const unit = (binary === undefined ? 1000 : 1024) ** power
  const isBits = suffix !== '' && suffix !== 'B'
  const bytes = Math.floor((Number(digits) * unit) / (isBits ? 8 : 1))
  return Math.min(bytes, Number.MAX_SAFE_INTEGER)
}
