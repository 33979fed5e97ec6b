// Facet strings: how values are normalised for comparison.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalizeFacet } from './facet.ts'

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

describe('a facet string', () => {
  it('loses case and outer blanks, keeps accents as marks', () => {
    expect(normalizeFacet(' Red \n')).toBe('red')
    expect(normalizeFacet('RED wine')).toBe('red wine')
    expect(normalizeFacet('Éclair')).toBe('e\u0301clair')
    expect(normalizeFacet('\u00a0\u0085\u3000x\u2009')).toBe('x')
    expect(normalizeFacet('\ufeffx')).toBe('\ufeffx')
    expect(normalizeFacet('ﬁ Ⅳ')).toBe('fi iv')
    expect(normalizeFacet('ΛΌΓΟΣ')).toBe('λο\u0301γος')
    expect(normalizeFacet('İ')).toBe('i\u0307')
    expect(normalizeFacet('  ')).toBe('')
    expect(normalizeFacet('\ud800')).toBe('\ufffd')
  })

  it('is cut between characters', () => {
    expect(normalizeFacet('a'.repeat(500))).toBe('a'.repeat(468))
    expect(normalizeFacet('東'.repeat(500))).toBe('東'.repeat(156))
    expect(normalizeFacet(`a${'東'.repeat(500)}`)).toBe(`a${'東'.repeat(155)}`)
    expect(normalizeFacet('😀'.repeat(200))).toBe('😀'.repeat(117))
  })

  it('does not change when normalised again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        const once = normalizeFacet(text)
        expect(bytesOf(once)).toBeLessThanOrEqual(468)
        expect(bytesOf(normalizeFacet(once))).toBeLessThanOrEqual(bytesOf(once))
      }),
    )
  })
})
