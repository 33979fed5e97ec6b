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

  it('is a picture that stands for no letter', () => {
    const different: number[] = []
    for (let point = 0; point <= 0x10ffff; point++) {
      const char = String.fromCodePoint(point)
      const isIn = (first: number, last: number) => point >= first && point <= last
      const isPicture =
        (isIn(0x2300, 0x2bff) || isIn(0x1f000, 0x1faff)) &&
        /\p{Extended_Pictographic}|\p{S}/u.test(char) &&
        !isIn(0x2800, 0x28ff) &&
        char === char.normalize('NFKD')
      // The second answer is read from a table.
      if ([1, 2].some(() => isEmoji(point) !== isPicture)) different.push(point)
    }
    expect(different).toEqual([])
  })

  it.each([
    [0xfe0e, 0xfe0f],
    [0x20e3, 0x20e3],
    [0x1f3fb, 0x1f3ff],
    [0xe0020, 0xe007f],
  ])('contains the characters from %i to %i behind its picture', (first, last) => {
    for (let point = first - 1; point <= last + 1; point++) {
      const text = `☀${String.fromCodePoint(point)}☀`
      const isPart = point >= first && point <= last
      expect([point, emojiEnd(text, 0, text.length)]).toEqual([point, isPart ? text.length - 1 : 1])
    }
  })

  it.each([
    ['☀\u200d☀', 3],
    ['☀\u200d🍕', 4],
    ['☀\u200d🍕\u200d☀', 6],
    ['☀\u200d\u200d☀', 1],
    ['☀☀', 1],
    ['🇨🇭🇩🇪', 4],
    ['🇨🍕', 2],
    ['🍕🇨', 2],
  ])('%s ends at %i, and not behind the end of its text', (text, end) => {
    expect(emojiEnd(text, 0, text.length)).toBe(end)
    expect(emojiEnd(`${text}b`, 0, text.length)).toBe(end)
    expect(emojiEnd(`a${text}`, 1, text.length + 1)).toBe(end + 1)
  })

  it('has one normal form with and without a selector', () => {
    const [[plain], [selected]] = [analyzer.words('❤'), analyzer.words('❤️')]
    expect(plain).toBe(selected)
  })

  it('is found beside words, as the words are', () => {
    expect(analyzer.words('pizza🍕 🍕pizza')).toEqual(['pizza', '🍕', '🍕', 'pizza'])
    expect(analyzer.words('★★hotel♪ C♯')).toEqual(['★', '★', 'hotel', '♪', 'c', '♯'])
  })
})
