// German compounds: examples, words that stay whole, words that are typed halfway.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GermanParts, germanParts } from './german.ts'

function cut(parts: GermanParts, word: string): string {
  const ends: number[] = []
  parts.cut(word, 0, word.length, ends)
  return ends.map((end, i) => word.slice(ends[i - 1] ?? 0, end)).join('|')
}

describe('German compounds', () => {
  it.each([
    'Haupt|bahn|hof',
    'HAUPT|BAHN|HOF',
    'Dampf|schifffahrts|kapitän',
    'lebens|mittel|geschäft',
    'Straßen|bahn',
    'Strassen|bahn',
    'Rechts|schutz|versicherungs|gesellschaften',
    'Kinder|ärzte',
    'Schul|bücher',
    'Sprach|wissenschaft',
    'Museums|insel',
    'Inter|kulturalität',
  ])('are cut: %s', (word) => {
    expect(cut(germanParts(), word.replaceAll('|', ''))).toBe(word)
  })

  it.each([
    'Partei',
    'Minister',
    'Wohnung',
    'fährt',
    'arbeitet',
    'Bankier',
    'Sonntag',
    'Fahrzeug',
    'langsame',
    'Unterrichtende',
    'Goethestraße',
    'Bahnhofstraße',
    'Donau',
    'xyz',
    '',
    'Straße-Bahn',
  ])('and other words are not: %s', (word) => {
    expect(cut(germanParts(), word)).toBe(word)
  })

  it('are cut while they are typed', () => {
    expect(cut(germanParts(), 'Hauptbahnh')).toBe('Haupt|bahn|h')
    expect(cut(germanParts(), 'Straßenba')).toBe('Straßen|ba')
    expect(cut(germanParts(), 'Versicheru')).toBe('Versicheru')
  })

  it('are cut into few parts, of them the longest first', () => {
    const parts = new GermanParts('stau becken staub ecken staubecken', '', '')
    expect(cut(parts, 'Staubecken')).toBe('Staubecken')
    const pair = new GermanParts('stau becken staub ecken', '', '')
    expect(cut(pair, 'Staubecken')).toBe('Staub|ecken')
  })

  const NOUNS = 'fenster schule farbe ende ergebnis museum firma veda haus amt straße'
  const some = new GermanParts(NOUNS, 'neu', 'allee gasse')

  it.each([
    // A final e is dropped, or an s takes its place, in words of five letters and more.
    ...['schul|fenster', 'schuls|fenster', 'farb|fenster', 'farbs|fenster', 'schulen|fenster'],
    ...['endfenster', 'endsfenster', 'fensterschul', 'fenster|schulen'],
    ...['ergebnisse|fenster', 'ergebnissen|fenster', 'fenster|ergebnisse', 'fenster|ergebnisses'],
    ...['schulese', 'museen|fenster', 'fenster|museen', 'firmen|fenster', 'vedenfenster'],
    // Vowels change in plurals.
    ...['häuser|fenster', 'fenster|häusern', 'ämter|fenster', 'fenster|ämtern', 'hausernfenster'],
    ...['strasse|fenster', 'straßen|fenster', 'fenster|strassen'],
    // Modifiers and streets are not last.
    ...['neu|fenster', 'fensterneu', 'allee|fenster', 'gassen|fenster', 'fensterallee'],
  ])('have these forms of nouns: %s', (word) => {
    expect(cut(some, word.replaceAll('|', ''))).toBe(word)
  })

  it('consist completely of forms of the list, for any word', () => {
    const nouns = ['haus', 'tür', 'schule', 'arbeit', 'amt']
    const parts = new GermanParts(nouns.join(' '), '', '')
    const joined = fc.array(
      fc.tuple(fc.constantFrom(...nouns), fc.constantFrom('', 's', 'es', 'n', 'en')),
      { minLength: 2, maxLength: 5 },
    )
    fc.assert(
      fc.property(joined, (chosen) => {
        const word = chosen.map(([noun, joint], i) => noun + (i < chosen.length - 1 ? joint : ''))
        const text = word.join('')
        const found = cut(parts, text)
        expect(found.replaceAll('|', '')).toBe(text)
        expect(found.split('|').length).toBeGreaterThan(1)
        expect(found.split('|').length).toBeLessThanOrEqual(chosen.length)
      }),
    )
  })

  it('join to the text again, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
        expect(cut(germanParts(), text).replaceAll('|', '')).toBe(text.replaceAll('|', ''))
      }),
    )
  })
})
