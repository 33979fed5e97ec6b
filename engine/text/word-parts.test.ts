// The parts of words with capitals inside.
import { describe, expect, it } from 'vitest'
import { Analyzer, DEFAULT_ANALYZER_SETTINGS } from './analyzer.ts'
import { mayHaveParts, partsOf, unitsOfBeginning } from './word-parts.ts'

const encoder = new TextEncoder()
const analyzer = new Analyzer(DEFAULT_ANALYZER_SETTINGS)

describe('the parts', () => {
  it.each([
    ['getElementById', 'get element by id'],
    ['HTTPServer', 'http server'],
    ['XMLHttpRequest2', 'xml http request'],
    ['iPhone15Pro', 'iphone phone 15 pro'],
    ['iPhone', 'phone'],
    ['McDonald', 'mc donald'],
    ['RTX4090', 'rtx 4090'],
    ['übergrößeÄrmel', 'ubergrosse armel'],
    ['re\u0301sume\u0301Page', 'resume page'],
    ['aBbCcDd', 'abb bb cc dd'],
  ])('of %s are %s', (word, parts) => {
    const found = partsOf(word)
    expect(found.map(({ lemma }) => lemma).join(' ')).toBe(parts)
    for (const { from, to, lemma } of found) {
      expect(analyzer.words(word.slice(from, to))).toEqual([lemma])
    }
    expect(mayHaveParts(encoder.encode(word), 0, encoder.encode(word).length)).toBe(true)
  })

  it.each(['', 'a', 'Word', 'WORD', 'DVDs', '3D', 'iphone15', 'mp3', 'été', 'x-ray', '1984'])(
    'of %o do not exist',
    (word) => {
      expect(partsOf(word)).toEqual([])
    },
  )

  it('of words without capitals inside are not looked for', () => {
    for (const word of ['a', 'Word', 'iphone15', '1984']) {
      expect(mayHaveParts(encoder.encode(word), 0, word.length)).toBe(false)
    }
  })

  it('begin with as many units as their normal form needs', () => {
    expect(unitsOfBeginning('Element', 'el')).toBe(2)
    expect(unitsOfBeginning('Größe', 'gros')).toBe(4)
    expect(unitsOfBeginning('Größe', 'groß')).toBe(5)
  })
})
