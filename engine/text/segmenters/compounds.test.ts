// Compounds of Dutch, Danish, Swedish and Norwegian: examples, words that stay whole, words that are
// typed halfway. German has a file of its own.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addForm, BEFORE_OTHERS, CompoundParts, LAST } from './compounds.ts'
import { dutchParts } from './dutch.ts'
import { danishParts, norwegianParts, swedishParts } from './scandinavian.ts'

function cut(parts: CompoundParts, word: string): string {
  const ends: number[] = []
  parts.cut(word, 0, word.length, ends)
  return ends.map((end, i) => word.slice(ends[i - 1] ?? 0, end)).join('|')
}

type Language = {
  readonly parts: CompoundParts
  readonly split: readonly string[]
  readonly whole: readonly string[]
  /** A beginning of a word, and how it is cut. */
  readonly typed: readonly (readonly [string, string])[]
}

const LANGUAGES: { readonly [language: string]: Language } = {
  Dutch: {
    parts: dutchParts(),
    split: [
      'fiets|pomp',
      'Zonne|bloem',
      'kinder|wagen',
      'boeken|kast',
      'huizen|markt',
      'verzekerings|polis',
      'regen|jassen',
      'aardappel|soep',
      'ballen|bak',
      'brieven|bus',
      'tafel|lamp',
      'balle|bak',
      'bomen|kast',
      'kast|bomen',
      'brieven|kast',
      'kast|huisje',
    ],
    whole: [
      'minister',
      'kantoor',
      'waardering',
      'moslim',
      'verstand',
      'gemeente',
      'voordeel',
      'belasting',
      'handig',
      'balans',
      'koester',
      'nadeel',
    ],
    typed: [
      ['fietspo', 'fiets|po'],
      ['regenja', 'regen|ja'],
      ['verzeke', 'verzeke'],
    ],
  },
  Danish: {
    parts: danishParts(),
    split: [
      'børne|have',
      'bil|forsikring',
      'skole|bog',
      'Arbejds|plads',
      'cykel|hjul',
      'køkken|bord',
      'sommer|hus',
      'hus|dyret',
      'bus|kort',
      'fiske|retten',
      'busse|kort',
      'kort|bussen',
    ],
    whole: ['parkering', 'kontur', 'træning', 'advokatur', 'sikkerhed', 'formular', 'minister'],
    typed: [
      ['børneha', 'børneha'],
      ['børnehav', 'børne|hav'],
      ['køkkenbo', 'køkken|bo'],
    ],
  },
  Swedish: {
    parts: swedishParts(),
    split: [
      'sjuk|vård',
      'barn|vagn',
      'kyrko|gård',
      'gatu|kök',
      'skol|bok',
      'Bil|försäkring',
      'arbets|plats',
      'cykel|hjul',
      'fot|bolls|lag',
      'sommar|stugor',
      'tak|lampan',
    ],
    whole: ['ordning', 'försäkring', 'parkering', 'andras', 'sekund', 'minister', 'kampanj'],
    typed: [
      ['kyrkogå', 'kyrko|gå'],
      ['barnvag', 'barn|vag'],
      ['försäkr', 'försäkr'],
    ],
  },
  Norwegian: {
    parts: norwegianParts(),
    split: [
      'barne|hage',
      'bil|forsikring',
      'skole|bok',
      'Arbeids|plass',
      'sykkel|hjul',
      'kjøkken|bord',
      'hytte|tur',
      'jule|gaver',
      'snø|sko',
      'fjord|båten',
    ],
    whole: ['parkering', 'konkurs', 'regjering', 'formidle', 'kjærlighet', 'minister', 'nyheten'],
    typed: [
      ['barneha', 'barneha'],
      ['barnehag', 'barne|hag'],
      ['kjøkkenbo', 'kjøkken|bo'],
    ],
  },
}

describe.each<[string, Language]>(Object.entries(LANGUAGES))('%s', (_, language) => {
  const { parts, split, whole, typed } = language

  it.each(split)('%s', (word) => {
    expect(cut(parts, word.replaceAll('|', ''))).toBe(word)
  })

  it.each(whole)('%s stays whole', (word) => {
    expect(cut(parts, word)).toBe(word)
  })

  it.each(typed)('%s is %s while it is typed', (word, expected) => {
    expect(cut(parts, word)).toBe(expected)
  })

  it('joins to the text again, for any text', () => {
    const text = fc.string({ unit: 'binary', maxLength: 100 })
    const made = fc
      .array(fc.constantFrom(...split.map((word) => word.replaceAll('|', ''))), { maxLength: 4 })
      .map((words) => words.join(''))
    fc.assert(
      fc.property(fc.oneof(text, made), (given) => {
        expect(cut(parts, given).replaceAll('|', '')).toBe(given.replaceAll('|', ''))
      }),
    )
  })
})

it('a word is covered by forms completely, with as few as possible', () => {
  const forms = ['ab', 'cd', 'abcd', 'ef', 'cdef']
  const all = new Map<string, number>()
  for (const form of forms) addForm(all, form, BEFORE_OTHERS | LAST)
  const parts = new CompoundParts(all, /^$/)
  /** The least number of forms that cover the text, or null. */
  const least = (text: string): number | null => {
    if (text === '') return 0
    const ways = forms
      .filter((form) => text.startsWith(form))
      .map((form) => least(text.slice(form.length)))
    const found = ways.filter((way) => way !== null)
    return found.length === 0 ? null : 1 + Math.min(...found)
  }
  const words = fc.array(fc.constantFrom(...forms), { minLength: 3, maxLength: 6 })
  fc.assert(
    fc.property(words, (chosen) => {
      const word = chosen.join('')
      expect(cut(parts, word).split('|').length).toBe(least(word))
    }),
  )
})

it.each([
  ['abcde', 'abcde'],
  ['abcdef', 'abc|def'],
  ['abcd'.repeat(20), Array(20).fill('abcd').join('|')],
  ['abcde'.padStart(81, 'abcd'), 'abcde'.padStart(81, 'abcd')],
])('%s with six to eighty letters is split: %s', (word, expected) => {
  const forms = ['ab', 'abc', 'abcd', 'abcde', 'cde', 'def']
  const both = BEFORE_OTHERS | LAST
  const parts = new CompoundParts(new Map(forms.map((form) => [form, both])), /^$/)
  expect(cut(parts, word)).toBe(expected)
})

it('an ending has up to nine letters', () => {
  const long = 'a'.repeat(12)
  const forms = new Map([
    ['zzz', BEFORE_OTHERS],
    [long, BEFORE_OTHERS],
  ])
  const parts = new CompoundParts(forms, /^a+$/)
  const [nine, ten] = [9, 10].map((units) => `zzz${'a'.repeat(units)}`)
  expect([cut(parts, nine!), cut(parts, ten!)]).toEqual([nine, `zzz|${'a'.repeat(10)}`])
})

it('a word is cut as by trying all ways: roles, beginnings, endings, upper case', () => {
  const form = fc.string({ unit: fc.constantFrom('a', 'z', 'à', 'þ'), minLength: 1, maxLength: 4 })
  const roles = fc.integer({ min: 1, max: 3 })
  const allForms = fc.array(fc.tuple(form, roles), { minLength: 2, maxLength: 8 })
  const picks = fc.array(fc.tuple(fc.nat(7), fc.nat(4), fc.boolean()), { maxLength: 6 })
  const ending = /^(?:z|a.*)$/
  fc.assert(
    fc.property(allForms, picks, form, (pairs, chosen, last) => {
      const forms = new Map(pairs)
      const word =
        chosen
          .map(([at, units, isUpper]) => {
            const [text] = pairs[at % pairs.length]!
            const part = units === 4 ? text.slice(0, -1) : text
            return isUpper ? part.toUpperCase() : part
          })
          .join('') + last
      expect(cut(new CompoundParts(forms, ending), word)).toBe(cutByTrying(forms, ending, word))
    }),
    { numRuns: 1000 },
  )
})

/** Returns the cheapest cut, of several the one with the longest first part. */
function cutByTrying(forms: ReadonlyMap<string, number>, ending: RegExp, word: string): string {
  const text = word.toLowerCase()
  const begins = (part: string): boolean => [...forms.keys()].some((form) => form.startsWith(part))
  const isTyped = !begins(text)
  const priceOf = (part: string, isFirst: boolean): number | null => {
    const roles = forms.get(part)
    if (roles !== undefined) return (roles & LAST) === 0 ? null : 2
    const isEnding = part.length < 10 && ending.test(part)
    return isTyped && !isFirst && !isEnding && begins(part) ? 3 : null
  }
  type Way = { readonly cost: number; readonly ends: readonly number[] }
  const known = new Map<number, Way | null>()
  const wayFrom = (from: number): Way | null => {
    const found = known.get(from)
    if (found !== undefined) return found
    let best: Way | null = null
    for (let end = from + 1; end <= text.length; end++) {
      const part = text.slice(from, end)
      const isLast = end === text.length
      const rest = isLast ? { cost: 0, ends: [] } : wayFrom(end)
      const isBefore = ((forms.get(part) ?? 0) & BEFORE_OTHERS) !== 0
      const price = isLast ? priceOf(part, from === 0) : isBefore ? 2 : null
      if (price === null || rest === null) continue
      const cost = price + rest.cost
      if (best === null || cost <= best.cost) best = { cost, ends: [end, ...rest.ends] }
    }
    known.set(from, best)
    return best
  }
  const way = text.length < 6 ? null : wayFrom(0)
  return (way?.ends ?? [text.length])
    .map((end, i, ends) => word.slice(ends[i - 1] ?? 0, end))
    .join('|')
}
