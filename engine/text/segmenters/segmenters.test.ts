// Which segmenter cuts which script and language, and where each cuts.
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { CJ, SCRIPTS, type Script } from '../characters/index.ts'
import { isNumberPiece, segmenterFor, WHOLE } from './segmenters.ts'

const scriptOf = (name: Script): number => SCRIPTS.indexOf(name)

/** Cuts a text that stands between other characters. */
function cut(script: number, language: string | null, text: string): string[] {
  const ends: number[] = []
  segmenterFor(script, language).cut(`ab${text}cd`, 2, 2 + text.length, ends)
  return ends.map((end, i) => text.slice((ends[i - 1] ?? 2) - 2, end - 2))
}

describe('Arabic script', () => {
  const arabic = scriptOf('Arabic')
  it.each([
    ['الكتاب', ['ال', 'كتاب']],
    ['ألف', ['أل', 'ف']],
    ['ال', ['ال']],
    ['كتاب', ['كتاب']],
    ['بال', ['بال']],
  ])('%s', (text, parts) => {
    for (const language of [null, 'ara', 'pes']) expect(cut(arabic, language, text)).toEqual(parts)
    expect(cut(arabic, 'urd', text)).toEqual([text])
  })
})

describe('Korean', () => {
  const hangul = scriptOf('Hangul')
  it.each([
    ['안녕', ['안녕']],
    ['안녕ㅋㅋ', ['안녕', 'ㅋㅋ']],
    ['ㅋㅋ', ['ㅋㅋ']],
    ['ㅠㅠ안녕', ['ㅠㅠ', '안녕']],
    ['안ㅋ1ㅋ', ['안', 'ㅋ1ㅋ']],
    ['안1ㅋ', ['안1', 'ㅋ']],
    ['ㅋ1안', ['ㅋ1', '안']],
    ['\u3130가', ['\u3130', '가']],
    ['힣\u318f', ['힣', '\u318f']],
  ])('%s', (text, parts) => {
    expect(cut(hangul, null, text)).toEqual(parts)
  })
})

describe('scripts of the platform', () => {
  it.each([
    ['Thai', 'th', 'ภาษาไทย'],
    ['Lao', 'lo', 'ພາສາລາວ'],
    ['Khmer', 'km', 'ភាសាខ្មែរសួស្តីពិភពលោក'],
  ] as const)('%s', (script, locale, text) => {
    const units = new Intl.Segmenter(locale, { granularity: 'word' })
    const parts = Array.from(units.segment(text), ({ segment }) => segment)
    expect(parts.length).toBeGreaterThan(1)
    expect(cut(scriptOf(script), null, text)).toEqual(parts)
    expect(segmenterFor(scriptOf(script), null).takesRuns).toBe(true)
  })

  it.each([
    ['Thai', 'ราคา100บาท', ['ราคา', '100', 'บาท']],
    ['Thai', '๑๐๐บาท', ['๑๐๐', 'บาท']],
    ['Khmer', 'តម្លៃ100រៀល', ['តម្លៃ', '100', 'រៀល']],
    ['Lao', 'ລາຄາ100ກີບ', ['ລາຄາ', '100', 'ກີບ']],
  ] as const)('%s: digits are words of their own in %s', (script, text, parts) => {
    expect(cut(scriptOf(script), null, text)).toEqual(parts)
  })

  it('cut long texts as if they were passed whole', () => {
    const words = ['ภาษา', 'ไทย', 'ประเทศ', 'สวัสดี', '😀']
    const units = new Intl.Segmenter('th', { granularity: 'word' })
    const texts = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(texts, (chosen) => {
        const text = `${chosen.join(' ')} `.repeat(400)
        expect(cut(scriptOf('Thai'), null, text)).toEqual(
          Array.from(units.segment(text), ({ segment }) => segment),
        )
      }),
      { numRuns: 10 },
    )
  })
})

describe('Chinese characters', () => {
  it.each([
    ['cmn', ['北京', '大学']],
    ['zho', ['北京', '大学']],
    ['jpn', ['北京', '大学']],
    [null, ['北京大学']],
    ['kor', ['北京大学']],
  ])('in the language %s', (language, parts) => {
    expect(cut(CJ, language, '北京大学')).toEqual(parts)
  })

  it.each([
    ['日本語を話す', ['日本', '語', 'を', '話す']],
    ['時々', ['時', '々']],
    ['ｶﾞｲﾄﾞを読む', ['ｶﾞｲﾄﾞ', 'を', '読む']],
  ])('in Japanese: %s', (text, parts) => {
    const found = cut(CJ, 'jpn', text)
    expect(found.join('')).toBe(text)
    expect(found).toEqual(parts)
  })

  it('are cut in the composed form of their kana', () => {
    for (const [raw, composed] of [
      ['か\u3099くせい', 'がくせい'],
      ['ﾀﾜｰへ', 'タワーへ'],
    ] as const) {
      const parts = cut(CJ, 'jpn', raw).map((part) => part.normalize('NFKC'))
      expect(parts).toEqual(cut(CJ, 'jpn', composed))
    }
  })

  it('join to the text again, for any Japanese text', () => {
    const units = fc.constantFrom('日', '本', 'を', 'ｶ', 'ﾞ', 'か', '\u3099', 'タ', 'ー', 'a', '〇')
    fc.assert(
      fc.property(fc.string({ unit: units, minLength: 1, maxLength: 30 }), (text) => {
        const parts = cut(CJ, 'jpn', text)
        expect(parts.join('')).toBe(text)
        expect(parts).not.toContain('')
      }),
    )
  })
})

test.each([
  ['deu', 'Hauptbahnhof', ['Haupt', 'bahn', 'hof']],
  ['nld', 'fietspomp', ['fiets', 'pomp']],
  ['dan', 'sommerhus', ['sommer', 'hus']],
  ['swe', 'arbetsplats', ['arbets', 'plats']],
  ['nob', 'sykkelhjul', ['sykkel', 'hjul']],
])('compounds of %s are cut, and of no other language', (language, text, parts) => {
  const latin = scriptOf('Latin')
  expect(cut(latin, language, text)).toEqual(parts)
  expect(cut(latin, 'eng', text)).toEqual([text])
  expect(cut(latin, null, text)).toEqual([text])
})

test('other scripts are left whole', () => {
  expect(segmenterFor(scriptOf('Cyrillic'), 'deu')).toBe(WHOLE)
  expect(cut(scriptOf('Cyrillic'), null, 'слово')).toEqual(['слово'])
})

test.each([
  ['12', true],
  ['1.5e', false],
  ['١٢', true],
  ['3½', true],
  ['-/:;@[`{~', true],
  ['a', false],
  ['1a', false],
  ['', false],
])('%s is a number: %s', (text, isNumber) => {
  expect(isNumberPiece(`x${text}y`, 1, 1 + text.length)).toBe(isNumber)
})
