// Where an emoji ends, and that it is a word of its own.
import { describe, expect, it } from 'vitest'
import { Analyzer, DEFAULT_ANALYZER_SETTINGS } from '../analyzer.ts'
import { emojiEnd, isEmoji } from './emoji.ts'

const analyzer = new Analyzer(DEFAULT_ANALYZER_SETTINGS)
const tokens = (text: string): string[] =>
  analyzer.tokenize(text, null).map(({ start, end }) => text.slice(start, end))

describe('an emoji', () => {
  it.each(['🍕', '❤', '❤️', '👍🏽', '👩‍🚀', '❤️‍🔥', '👨‍👩‍👧‍👦', '🇨🇭', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '☀️'])(
    '%s is one word',
    (emoji) => {
      expect(emojiEnd(emoji, 0, emoji.length)).toBe(emoji.length)
      expect(tokens(`a${emoji}b${emoji}${emoji}`)).toEqual(['a', emoji, 'b', emoji, emoji])
      expect(tokens(`中文${emoji}`)).toContain(emoji)
      expect(tokens(`${emoji}привет`)).toEqual([emoji, 'привет'])
    },
  )

  it('ends before a character that does not belong to it, and at the end', () => {
    expect(emojiEnd('🍕\u200da', 0, 4)).toBe(2)
    expect(emojiEnd('🍕\u200d', 0, 3)).toBe(2)
    expect(emojiEnd('👍🏽', 0, 2)).toBe(2)
    expect(emojiEnd('🇨🇭🇩🇪', 4, 8)).toBe(8)
    expect(emojiEnd('🇨a', 0, 3)).toBe(2)
    expect(emojiEnd('a🍕', 0, 3)).toBe(0)
  })

  it('is no letter, digit, sign or separator', () => {
    for (const char of ['a', '1', '#', '©', '™', 'Ⓜ', '㊗', '→', '𝒜', '中', '🄰', '\u200d']) {
      expect(isEmoji(char.codePointAt(0)!), char).toBe(false)
    }
  })

  it('has one normal form with and without a selector', () => {
    const [[plain], [selected]] = [analyzer.words('❤'), analyzer.words('❤️')]
    expect(plain).toBe(selected)
  })

  it('is found beside words, as the words are', () => {
    expect(analyzer.words('pizza🍕 🍕pizza')).toEqual(['pizza', '🍕', '🍕', 'pizza'])
  })
})
