// Facet strings: how values are normalised for comparison.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalizeFacet } from './facet.ts'
import { FACET_UNITS_READ_MAX } from './limits.ts'

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

  it('of any length is cut as the form of the whole text', () => {
    const whole = (text: string): string => {
      const form = Array.from(text.trim(), (char) => char.normalize('NFKD')).join('')
      const bytes = Buffer.from(form.toLowerCase()).subarray(0, 468)
      return bytes.toString().replace(/\ufffd$/, '')
    }
    const unit = fc.constantFrom('a', ' ', 'É', '東', '😀', 'Σ', '\u0301', "'", 'ẞ', '\ufdfa', 'Ⱥ')
    const long = fc.array(unit, { minLength: 400, maxLength: 3000, size: 'max' })
    fc.assert(
      fc.property(long, (units) => {
        const text = units.join('')
        expect(normalizeFacet(text)).toBe(whole(text))
      }),
    )
    expect(normalizeFacet(`a${' '.repeat(5000)}b`)).toBe(`a${' '.repeat(467)}`)
    expect(normalizeFacet(`${' '.repeat(5000)}a${' '.repeat(5000)}`)).toBe('a')
  })

  it('reads no more of a long text than it needs', () => {
    let read = 0
    const normalize = String.prototype.normalize
    String.prototype.normalize = function (this: string, form?: string) {
      read += this.length
      return normalize.call(this, form)
    }
    try {
      expect(normalizeFacet('é'.repeat(1_000_000))).toBe('e\u0301'.repeat(156))
    } finally {
      String.prototype.normalize = normalize
    }
    expect(read).toBeLessThanOrEqual(FACET_UNITS_READ_MAX)
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
