// Language codes.
import { expect, it } from 'vitest'
import { LOCALES } from './locales.ts'

it('locales stand for three-letter codes, short ones first', () => {
  expect(LOCALES.size).toBe(139)
  const codes = [...LOCALES.keys()]
  expect(codes.slice(0, 7)).toEqual(['af', 'ak', 'am', 'ar', 'az', 'be', 'bn'])
  expect(codes.slice(68, 71)).toEqual(['zu', 'afr', 'aka'])
  expect(codes.at(-1)).toBe('cmn')
  expect(codes.every((code, i) => code.length === (i < 69 ? 2 : 3))).toBe(true)
  expect(['fa', 'zh', 'ja', 'sv', 'de', 'cmn', 'zho', 'pes'].map((c) => LOCALES.get(c))).toEqual([
    'pes',
    'zho',
    'jpn',
    'swe',
    'deu',
    'cmn',
    'zho',
    'pes',
  ])
  expect(LOCALES.get('japan')).toBeUndefined()
  for (const code of LOCALES.values()) expect(LOCALES.get(code)).toBe(code)
})
