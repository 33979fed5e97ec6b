// Words of settings that are too long are refused when the request is checked.
import { describe, expect, it } from 'vitest'
import { checkPatch } from '../check.ts'
import { WORD_UNITS_MAX } from '../schema/limits.ts'
import type { SettingsPatch } from '../types.ts'

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
