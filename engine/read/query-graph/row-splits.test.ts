// Splits in words that follow each other, compared with trying all ways to cut the text.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SPLIT_CHARS_MAX, SPLIT_LIST_MAX } from './limits.ts'
import { type RowSplitOptions, splitsInRow } from './row-splits.ts'
import { SmallText } from './test-support.ts'

const word = fc.constantFrom('a', 'b', 'ab', 'ba', 'aba', 'bab', 'c𐌰')
const row = fc.array(word, { minLength: 1, maxLength: 8 })

/** All ways to cut a text between characters. */
function cuts(text: readonly string[], parts: number): string[][] {
  if (parts === 1) return text.length === 0 ? [] : [[text.join('')]]
  return text.flatMap((_, i) =>
    cuts(text.slice(i + 1), parts - 1).map((rest) => [text.slice(0, i + 1).join(''), ...rest]),
  )
}

function holds(words: readonly string[], parts: readonly string[], isPrefix: boolean): boolean {
  return words.some((_, at) =>
    parts.every((part, i) =>
      isPrefix && i === parts.length - 1
        ? words[at + i]?.startsWith(part) === true
        : words[at + i] === part,
    ),
  )
}

function expected(rows: readonly (readonly string[])[], text: string, options: RowSplitOptions) {
  const all: string[][] = []
  for (let parts = options.partsMin; parts <= options.partsMax; parts++) {
    const needsTwo = parts === 2 && options.isPrefix && !options.isRun
    const found = cuts([...text], parts)
      .filter((cut) => !needsTwo || [...cut.at(-1)!].length > 1)
      .map((cut) => ({
        cut,
        count: rows.filter((words) => holds(words, cut, options.isPrefix)).length,
      }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count)
    all.push(...found.map(({ cut }) => cut))
    if (all.length > 0 && (!options.isRun || all.length >= SPLIT_LIST_MAX)) break
  }
  return all.slice(0, SPLIT_LIST_MAX)
}

const found = (small: SmallText, text: string, options: RowSplitOptions) =>
  splitsInRow(small.index, text, options).map(({ words }) => words)

describe('splits in a row', () => {
  it('are those of a scan, the fewest parts and the most documents first', () => {
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 12 }),
        row,
        fc.record({ isPrefix: fc.boolean(), isRun: fc.boolean(), partsMin: fc.constantFrom(2, 3) }),
        fc.integer({ min: 1, max: 3 }),
        (rows, words, drawn, segments) => {
          const small = new SmallText(
            rows.map((each) => ({ t: each.join(' ') })),
            {},
            segments,
          )
          const text = words
            .join('')
            .slice(0, 9)
            .replace(/[\ud800-\udbff]$/, '')
          const options = { ...drawn, partsMax: 5 }
          const splits = splitsInRow(small.index, text, options)
          expect(splits.map((split) => split.words)).toEqual(expected(rows, text, options))
          expect(splits.every(({ isPrefix }) => isPrefix === options.isPrefix)).toBe(true)
        },
      ),
    )
  })

  const WORD = { isPrefix: false, partsMin: 3, partsMax: 5, isRun: false }

  it('do not take a word at the end of one field and one at the beginning of the next', () => {
    const small = new SmallText([
      { t: ['qx 12', '700'] },
      { t: 'qx 12. 700' },
      { t: 'qx', u: '12 700' },
    ])
    expect(found(small, 'qx12700', WORD)).toEqual([])
  })

  it('of equally many documents come by the length of their parts', () => {
    const small = new SmallText([{ t: 'aa b' }, { t: 'a ab' }, { t: 'a a b' }])
    const two = { ...WORD, partsMin: 2 }
    expect(found(small, 'aab', two)).toEqual([
      ['a', 'ab'],
      ['aa', 'b'],
    ])
    const equal = new SmallText([{ t: 'ba a b' }, { t: 'b aa b' }, { t: 'b a ab' }])
    expect(found(equal, 'baab', WORD)).toEqual([
      ['b', 'a', 'ab'],
      ['b', 'aa', 'b'],
      ['ba', 'a', 'b'],
    ])
  })

  it('of a long text are not looked for', () => {
    const most = ['a'.repeat(20), 'b'.repeat(20), 'c'.repeat(SPLIT_CHARS_MAX - 40)]
    const small = new SmallText([
      { t: most.join(' ') },
      { t: `${most.join(' ')}c` },
      { t: 'a a a a' },
    ])
    expect(found(small, most.join(''), WORD)).toEqual([most])
    expect(found(small, `${most.join('')}c`, WORD)).toEqual([])
    expect(found(small, 'aaaa', WORD)).toEqual([['a', 'a', 'a', 'a']])
  })
})

describe('the beginning of a word finds the word', () => {
  const NAMES = [
    'スマートフォン',
    'プレイステーション',
    'エルメス',
    'ネットフリックス',
    'キッチンペーパー',
    'シュウマイ',
  ]
  const THAI = ['ตัวบ่งชี้ภูมิภาค', 'หน้ายิ้มตาโต', 'เกาะเซาท์จอร์เจีย', 'สหรัฐอาหรับเอมิเรตส์']
  const KHMER = ['កម្ពុជា', 'អារ៉ាប់រួម', 'សាធារណរដ្ឋដូមីនីកែន']
  const OTHERS = ['圣诞老人', '哈萨克斯坦共和国', '대한민국', '카자흐스탄']
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

  it.each([...NAMES, ...THAI, ...KHMER, ...OTHERS])('%s', (name) => {
    const all = [...NAMES, ...THAI, ...KHMER, ...OTHERS]
    const small = new SmallText(all.map((t) => ({ t })))
    const clusters = [...graphemes.segment(name)].map(({ segment }) => segment)
    for (let length = 2; length <= clusters.length; length++) {
      const query = clusters.slice(0, length).join('')
      const docs = small.graph(query)!.docs(small.ids)
      expect(docs.has(all.indexOf(name)), query).toBe(true)
    }
  })
})
