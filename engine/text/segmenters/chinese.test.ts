// Chinese words: examples, and the cheapest segmentation compared with all segmentations.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ChineseWords, chineseWords } from './chinese.ts'
import { packWords, unpackWords, wordList } from './word-list.ts'
import { WordTrie } from './word-trie.ts'

function cut(words: ChineseWords, text: string): string[] {
  const ends: number[] = []
  words.cut(text, 0, text.length, ends)
  return ends.map((end, i) => text.slice(ends[i - 1] ?? 0, end))
}

const listed = (words: Record<string, number>): ChineseWords =>
  new ChineseWords(new WordTrie(unpackWords(packWords(new Map(Object.entries(words))))))

describe('Chinese words', () => {
  it.each([
    ['我们在北京大学读书', '我们 在 北京 大学 读书'],
    ['中华人民共和国', '中华 人民 共和 国'],
    ['研究生命起源', '研究 生命 起源'],
    ['图书馆', '图书 馆'],
    ['12345号房间', '12345 号 房间'],
    ['の人', 'の 人'],
    ['龘𠮷', '龘 𠮷'],
  ])('are cut from %s', (text, words) => {
    expect(cut(chineseWords(), text).join(' ')).toBe(words)
  })

  it('are those that are most frequent together', () => {
    const words = listed({ 甲乙: 10, 乙丙: 1000, 甲: 50, 丙: 50 })
    expect(cut(words, '甲乙丙')).toEqual(['甲', '乙丙'])
  })

  it('of equal probability are those whose first word is longer', () => {
    expect(cut(listed({ 甲乙: 3, 乙丙: 3, 甲: 3, 丙: 3 }), '甲乙丙')).toEqual(['甲乙', '丙'])
  })

  it('of three and more characters are split again: two, else three, else one', () => {
    const words = listed({ 甲乙丙丁戊: 9, 乙丙: 1, 丁戊: 1, 甲乙丙: 1 })
    expect(cut(words, '甲乙丙丁戊')).toEqual(['甲乙丙', '丁戊'])
  })

  it.each([
    ['abcd', 'abcd'],
    ['abcd甲', 'abcd 甲'],
    ['甲abcd', '甲 abcd'],
    ['abcd+', 'abcd +'],
    ['a+cd', 'a+ c d'],
  ])('of letters and digits only are not split again: %s', (text, words) => {
    const some = listed({ abcd: 900, ab: 9, 'a+cd': 900, 'a+': 9, 甲: 9 })
    expect(cut(some, text).join(' ')).toBe(words)
  })

  it('consist of Chinese characters, ASCII letters, digits and some signs', () => {
    const units = Array.from({ length: 0xd800 }, (_, unit) => unit)
    for (let unit = 0xe000; unit < 0x10000; unit++) units.push(unit)
    const pairs = units.map((unit) => String.fromCharCode(unit, unit))
    const wholeIn = (words: ChineseWords): string[] =>
      pairs.filter((pair) => cut(words, pair).length === 1)
    const joining = /^[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff0-9A-Za-z+#&._%-]/
    const every = new Map(pairs.map((pair) => [pair, 2]))
    expect(wholeIn(new ChineseWords(new WordTrie(wordList(every))))).toEqual(
      pairs.filter((pair) => joining.test(pair)),
    )
    // Letters and digits stay together without a word.
    expect(wholeIn(listed({ 甲: 2 }))).toEqual(pairs.filter((pair) => /^[0-9A-Za-z]/.test(pair)))
  })

  it('are the cheapest of all segmentations', () => {
    const counts = { 甲: 7, 乙: 2, 甲乙: 5, 乙丙: 4, 丙: 1, 丙丁: 30, 丁: 6 }
    const words = listed(counts)
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
    const cost = (parts: readonly string[]): number =>
      parts.reduce((sum, part) => {
        return sum + Math.log(total) - Math.log(counts[part as keyof typeof counts] ?? 1)
      }, 0)
    const ways = (text: string): string[][] => {
      if (text === '') return [[]]
      const first = [text.slice(0, 1), text.slice(0, 2)].filter(
        (part, i) => i === 0 || (part.length === 2 && part in counts),
      )
      return first.flatMap((part) => ways(text.slice(part.length)).map((rest) => [part, ...rest]))
    }
    const texts = fc.string({ unit: fc.constantFrom('甲', '乙', '丙', '丁', '戊'), maxLength: 8 })
    fc.assert(
      fc.property(texts, (text) => {
        const least = Math.min(...ways(text).map(cost))
        expect(cost(cut(words, text))).toBeCloseTo(least, 9)
      }),
    )
  })

  it('are those of the list in a long text, too', () => {
    const times = 1500
    const words = Array.from({ length: times }, () => ['北京', '大学']).flat()
    expect(cut(chineseWords(), '北京大学'.repeat(times))).toEqual(words)
  })

  it('cover long arbitrary texts without gaps and without splitting surrogate pairs', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (piece) => {
        const text = `${piece}中国${piece}a1`.repeat(100)
        expect(cut(chineseWords(), text).join('')).toBe(text)
        for (const word of cut(chineseWords(), text)) {
          if (!/[\ud800-\udfff]/.test(word)) continue
          expect([...word]).toEqual([word])
        }
      }),
      { numRuns: 20 },
    )
  })
})
