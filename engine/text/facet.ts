// The form in which string facets are compared and sorted: lower case, accents kept as marks. A form
// that is too long to be stored is cut, and a hash of the whole form follows, so that different texts
// stay different values:
//
//   head (FACET_HEAD_BYTES at most) · MARK · 10 characters of 12 bits each
import { createHash } from 'node:crypto'
import { pointBytes, trimWhitespace, wellFormed } from './characters/index.ts'
import { FACET_BYTES_MAX, FACET_HEAD_BYTES, FACET_UNITS_READ_MAX } from './limits.ts'

/** Private characters, which texts do not contain. */
const MARK = '\ue000'
const FIRST_DIGIT = 0xe100
const DIGIT_BITS = 12
const TAIL = /\ue000[\ue100-\uf0ff]{10}$/
const TAIL_UNITS = 11

/**
 * Returns the text trimmed, decomposed character by character, in lower case; at most
 * FACET_BYTES_MAX bytes of UTF-8. Reads long texts as a whole, by functions of the platform.
 */
export function normalizeFacet(text: string): string {
  const trimmed = trimWhitespace(text)
  if (/^[ -~]*$/.test(trimmed)) {
    const form = trimmed.toLowerCase()
    return form.length <= FACET_BYTES_MAX ? form : longForm(form, form)
  }
  const read = trimmed.slice(0, FACET_UNITS_READ_MAX)
  let form = ''
  for (const char of wellFormed(read)) form += char.normalize('NFKD')
  form = form.toLowerCase()
  if (trimmed.length === read.length && isWithin(form, FACET_BYTES_MAX)) return form
  // Marks may be in another order here; the head tells such texts apart.
  return longForm(form, wellFormed(trimmed).normalize('NFKD').toLowerCase())
}

const isWithin = (text: string, bytes: number): boolean =>
  text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes

function longForm(form: string, whole: string): string {
  const hash = createHash('sha256').update(whole).digest()
  let tail = MARK
  let bits = 0
  let held = 0
  for (const byte of hash.subarray(0, 15)) {
    bits = (bits << 8) | byte
    held += 8
    if (held < DIGIT_BITS) continue
    held -= DIGIT_BITS
    tail += String.fromCharCode(FIRST_DIGIT + (bits >>> held))
    bits &= (1 << held) - 1
  }
  return cut(form, FACET_HEAD_BYTES) + tail
}

/**
 * Returns the beginnings of stored forms whose texts may begin with a text, of which `form` is the
 * form. Of texts that are too long to be stored no more than the head is compared.
 */
export function facetPrefixes(form: string): readonly string[] {
  const head = facetHead(form)
  if (head !== form) return [head + MARK]
  return isWithin(form, FACET_HEAD_BYTES) ? [form] : [form, cut(form, FACET_HEAD_BYTES) + MARK]
}

/** Returns a form without the hash at its end. */
export const facetHead = (form: string): string =>
  TAIL.test(form) ? form.slice(0, -TAIL_UNITS) : form

function cut(text: string, bytesMax: number): string {
  let bytes = 0
  for (let i = 0; i < text.length; ) {
    const point = text.codePointAt(i)!
    bytes += pointBytes(point)
    if (bytes > bytesMax) return text.slice(0, i)
    i += point > 0xffff ? 2 : 1
  }
  return text
}
