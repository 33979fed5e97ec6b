// Facet strings: how values are normalised for comparison.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { facetHead, facetPrefixes, normalizeFacet } from './facet.ts'

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

  it('of up to 468 bytes is whole; a longer one is cut between characters, and has a hash', () => {
    const parts = (text: string): readonly [string, number] => {
      const form = normalizeFacet(text)
      return [facetHead(form), form.length - facetHead(form).length]
    }
    for (const text of ['a'.repeat(468), '東'.repeat(156), '😀'.repeat(117)]) {
      expect(normalizeFacet(text)).toBe(text)
    }
    expect(parts('a'.repeat(469))).toEqual(['a'.repeat(435), 11])
    expect(parts('東'.repeat(157))).toEqual(['東'.repeat(145), 11])
    expect(parts(`a${'東'.repeat(500)}`)).toEqual([`a${'東'.repeat(144)}`, 11])
    expect(parts('😀'.repeat(200))).toEqual(['😀'.repeat(108), 11])
    expect(bytesOf(normalizeFacet('a'.repeat(469)))).toBe(468)
    expect(normalizeFacet('a'.repeat(469)).slice(435)).toBe(
      '\ue000\ueed8\uec2d\ue6df\ue151\ue359\ue104\ue8a8\ue6e7\ue64b\uef0e',
    )
  })

  it('is the same for texts that differ in case, form and outer blanks alone', () => {
    const long = 'Éclair ﬁn '.repeat(500)
    const same = [` ${long}`, long.toUpperCase(), long.normalize('NFD'), long.normalize('NFKC')]
    for (const text of same) expect(normalizeFacet(text)).toBe(normalizeFacet(long))
    for (const text of [`${long}a`, long.slice(1), long.replaceAll('É', 'E')]) {
      expect(normalizeFacet(text)).not.toBe(normalizeFacet(long))
    }
  })

  it('of any length begins as the form of the whole text', () => {
    const whole = (text: string): string => {
      const form = Array.from(text.trim(), (char) => char.normalize('NFKD'))
        .join('')
        .toLowerCase()
      if (bytesOf(form) <= 468) return form
      return Buffer.from(form)
        .subarray(0, 435)
        .toString()
        .replace(/\ufffd$/, '')
    }
    const unit = fc.constantFrom('a', ' ', 'É', '東', '😀', 'Σ', '\u0301', "'", 'ẞ', '\ufdfa', 'Ⱥ')
    const long = fc.array(unit, { minLength: 100, maxLength: 3000 })
    fc.assert(
      fc.property(long, (units) => {
        const text = units.join('')
        expect(facetHead(normalizeFacet(text))).toBe(whole(text))
      }),
    )
    expect(facetHead(normalizeFacet(`a${' '.repeat(5000)}b`))).toBe(`a${' '.repeat(434)}`)
    expect(normalizeFacet(`${' '.repeat(5000)}a${' '.repeat(5000)}`)).toBe('a')
  })

  it('has the beginnings of the forms of all texts that begin with its own', () => {
    fc.assert(
      fc.property(fc.nat(600), fc.nat(600), fc.constantFrom('a', '東'), (length, more, unit) => {
        const prefix = unit.repeat(length)
        const form = normalizeFacet(prefix + 'b'.repeat(more))
        const found = facetPrefixes(normalizeFacet(prefix)).some((one) => form.startsWith(one))
        expect(found).toBe(true)
      }),
    )
    const other = normalizeFacet('b'.repeat(500))
    expect(
      facetPrefixes(normalizeFacet('a'.repeat(500))).some((one) => other.startsWith(one)),
    ).toBe(false)
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
