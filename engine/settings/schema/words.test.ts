// Words of settings that are too long are refused when the request is checked.
import { describe, expect, it } from 'vitest'
import { checkPatch } from '../check.ts'
import type { SettingsPatch } from '../types.ts'
import { SYNONYM_WORDS_MAX, WORD_UNITS_MAX } from './limits.ts'

const CASES: readonly (readonly [string, (word: string) => SettingsPatch])[] = [
  ['invalid_settings_stop_words', (word) => ({ stopWords: ['a', word] })],
  ['invalid_settings_dictionary', (word) => ({ dictionary: [word] })],
  ['invalid_settings_separator_tokens', (word) => ({ separatorTokens: [word] })],
  ['invalid_settings_non_separator_tokens', (word) => ({ nonSeparatorTokens: [word] })],
  ['invalid_settings_synonyms', (word) => ({ synonyms: { [word]: ['a'] } })],
  ['invalid_settings_synonyms', (word) => ({ synonyms: { a: ['b', word] } })],
  [
    'invalid_settings_typo_tolerance',
    (word) => ({ typoTolerance: { disableOnWords: [word] } }) as SettingsPatch,
  ],
]

describe('a word of settings', () => {
  it.each(CASES)('has a limit: %s', (code, patchOf) => {
    expect(() => checkPatch(patchOf('é'.repeat(WORD_UNITS_MAX)))).not.toThrow()
    expect(() => checkPatch(patchOf('é'.repeat(WORD_UNITS_MAX + 1)))).toThrow(
      expect.objectContaining({ code }),
    )
  })
})

describe('a synonym', () => {
  const refuses = (phrase: string) => {
    expect(() => checkPatch({ synonyms: { [phrase]: ['a'] } })).toThrow(refusal)
    expect(() => checkPatch({ synonyms: { a: ['b', phrase] } })).toThrow(refusal)
  }
  const refusal = expect.objectContaining({
    code: 'invalid_settings_synonyms',
    message: expect.stringMatching(/^The synonym `.+` has \d+ words: at most 8 are allowed\.$/),
  })

  it.each([' ', '-', '. ', '\u2014', '\u00a0'])(
    'has eight words at most, with %j between',
    (gap) => {
      const words = Array.from({ length: SYNONYM_WORDS_MAX }, () => 'ré')
      expect(() => checkPatch({ synonyms: { [words.join(gap)]: [words.join(gap)] } })).not.toThrow()
      refuses([...words, 'a'].join(gap))
    },
  )

  it('counts a stretch without spaces as a word, and is shown in part', () => {
    expect(() => checkPatch({ synonyms: { 国際連合教育科学文化機関: ['unesco'] } })).not.toThrow()
    refuses('東、西、南、北、上、下、左、右、中')
    refuses('a '.repeat(500))
  })

  it('is shown up to a length', () => {
    const message = (phrase: string): string => {
      try {
        checkPatch({ synonyms: { [phrase]: ['a'] } })
      } catch (error) {
        return (error as Error).message
      }
      return ''
    }
    const whole = 'a b '.repeat(50)
    expect(message(whole)).toMatch(`\`${whole}\` has 100 words`)
    expect(message(`${whole}c`)).toMatch(`\`${whole}…\` has 101 words`)
  })

  it('may have many signs that are no words', () => {
    const signs = [...'0123456789', ...'azAZ', 'é', 'À', '東', 'ァ', 'Ａ']
    const words = signs.map((sign) => sign + '-.!/:@[`{~'.repeat(3))
    for (const word of words) {
      const phrase = Array(SYNONYM_WORDS_MAX).fill(word).join('')
      expect(() => checkPatch({ synonyms: { [phrase]: ['a'] } })).not.toThrow()
      refuses(`${phrase} a`)
    }
  })
})
