// The form in which string facets are compared and sorted: lower case, accents kept as marks.
import { pointBytes, trimWhitespace, wellFormed } from './characters/index.ts'
import { FACET_BYTES_MAX, FACET_UNITS_READ_MAX } from './limits.ts'

/**
 * Returns the text trimmed, decomposed character by character, in lower case; at most
 * FACET_BYTES_MAX bytes of UTF-8. Costs as much as FACET_UNITS_READ_MAX units for longer texts.
 */
export function normalizeFacet(text: string): string {
  const head = trimWhitespace(text).slice(0, FACET_UNITS_READ_MAX)
  if (/^[ -~]*$/.test(head)) return head.slice(0, FACET_BYTES_MAX).toLowerCase()
  let form = ''
  for (const char of wellFormed(head)) form += char.normalize('NFKD')
  return cut(form.toLowerCase())
}

function cut(text: string): string {
  if (text.length * 3 <= FACET_BYTES_MAX) return text
  let bytes = 0
  for (let i = 0; i < text.length; ) {
    const point = text.codePointAt(i)!
    bytes += pointBytes(point)
    if (bytes > FACET_BYTES_MAX) return text.slice(0, i)
    i += point > 0xffff ? 2 : 1
  }
  return text
}
