// The tables of characters, and what is built from them.
import { describe, expect, it } from 'vitest'
import { normalizerFor } from '../normalize.ts'
import { VARIANT_PAIRS } from '../variants.table.ts'
import {
  astralSeparators,
  character,
  HARD,
  isHiragana,
  isIgnorable,
  isKatakana,
  isWhitespace,
  MARK,
  SCRIPT_MASK,
  SCRIPTS,
  SEPARATOR,
  trimWhitespace,
} from './characters.ts'
import { NONSPACING_MARK_RANGES } from './marks.table.ts'
import { parseRanges } from './ranges.ts'
import { SCRIPT_RANGES } from './scripts.table.ts'
import { HARD_SEPARATOR_RANGES, IGNORABLE_RANGES, SEPARATOR_RANGES } from './separators.table.ts'

const scriptOf = (char: string): string => SCRIPTS[character(char.codePointAt(0)!) & SCRIPT_MASK]!

function count(bit: number): number {
  let points = 0
  for (let point = 0; point <= 0x10ffff; point++) if ((character(point) & bit) !== 0) points++
  return points
}

describe('tables', () => {
  it('have the documented code points', () => {
    expect(count(MARK)).toBe(1281)
    const astral = astralSeparators().reduce((sum, [first, last]) => sum + last - first + 1, 0)
    expect(astral).toBe(187)
    expect(character(0x2e) & SEPARATOR).not.toBe(0)
    expect(character(0x2e) & HARD).toBe(0)
    expect(character(0x21) & HARD).not.toBe(0)
    expect(character(0xb4) & (SEPARATOR | HARD)).toBe(SEPARATOR)
    expect(character(0x2028) & SEPARATOR).toBe(SEPARATOR)
    expect(character(0x200b) & SEPARATOR).toBe(0)
  })

  it('decide about every code point', () => {
    const pointsOf = (ranges: string): Set<number> => {
      const points = new Set<number>()
      for (const range of ranges.trim().split(/\s+/)) {
        const [first, last = first] = range.split('-').map((hex) => Number.parseInt(hex, 16))
        for (let point = first!; point <= last!; point++) points.add(point)
      }
      return points
    }
    const bytes = new Uint8Array(0x110000)
    const rows = Object.values(SCRIPT_RANGES).map(pointsOf)
    for (const [at, row] of [...rows.entries()].reverse()) for (const p of row) bytes[p] = at + 1
    const ignorable = pointsOf(IGNORABLE_RANGES)
    for (const point of ignorable) bytes[point] = 0
    const bits = [
      [SEPARATOR, SEPARATOR_RANGES],
      [HARD, HARD_SEPARATOR_RANGES],
      [MARK, NONSPACING_MARK_RANGES],
    ] as const
    for (const [bit, ranges] of bits) for (const p of pointsOf(ranges)) bytes[p]! |= bit
    const different: number[] = []
    for (let point = 0; point < bytes.length; point++) {
      const isSame = character(point) === bytes[point]
      if (!isSame || isIgnorable(point) !== ignorable.has(point)) different.push(point)
    }
    expect(different).toEqual([])
    const separators = [...pointsOf(SEPARATOR_RANGES)].filter((point) => point >= 0x10000)
    const found = astralSeparators().flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, i) => first + i),
    )
    expect(found).toEqual(separators)
  })

  it('have the blocks of kana', () => {
    const points = Array.from({ length: 0x110000 }, (_, point) => point)
    const blockOf = (is: (point: number) => boolean): number[] => {
      const block = points.filter(is)
      return [block[0]!, block.at(-1)!, block.length]
    }
    expect(blockOf(isHiragana)).toEqual([0x3040, 0x309f, 96])
    expect(blockOf(isKatakana)).toEqual([0x30a0, 0xff9d, 96 + 56])
    expect([0x30ff, 0x3100, 0xff65, 0xff66].map(isKatakana)).toEqual([true, false, false, true])
  })

  it('assign a code point of two rows to the earlier row', () => {
    const scripts: readonly (readonly [string, string])[] = [
      ['°×«\u00a0aZé\u1d2bＡｚⅣⒶ𝐁ﬁ', 'Latin'],
      ['12 !\u0301\u2019…\u00ad\u200f\ufeff１！', 'Other'],
      ['жЀ', 'Cyrillic'],
      ['ب\u0660\u07ca\ufb50\u{1ee00}', 'Arabic'],
      ['ﾡ한\u3131㈀', 'Hangul'],
      ['東ひカ・々〇ﾃｰ', 'Cj'],
      ['Ωͻ𝛀', 'Greek'],
      ['Ხ', 'Other'],
      ['ლ', 'Georgian'],
      ['\u{20bb7}😀ଅ'.slice(0, 4), 'Other'],
      ['ក', 'Khmer'],
      ['ກ', 'Lao'],
      ['Ե', 'Armenian'],
      ['\u1cd0', 'Devanagari'],
    ]
    for (const [chars, script] of scripts) {
      for (const char of chars) expect(scriptOf(char), char).toBe(script)
    }
    expect(SCRIPTS.length).toBeLessThan(32)
  })

  it('read ranges', () => {
    expect([...parseRanges(' 0041-005A 0061\n1F600 ')]).toEqual([
      0x41, 0x5a, 0x61, 0x61, 0x1f600, 0x1f600,
    ])
  })

  it('hold variants whose targets are never sources', () => {
    const chars = VARIANT_PAIRS.replaceAll('\n', '')
    expect(chars.length % 2).toBe(0)
    const map = new Map<string, string>()
    for (let i = 0; i < chars.length; i += 2) map.set(chars[i]!, chars[i + 1]!)
    expect(map.size).toBe(chars.length / 2)
    for (const target of map.values()) expect(map.has(target)).toBe(false)
    const form = (char: string): string =>
      normalizerFor(SCRIPTS.indexOf('Cj'), 'zho').form(char.codePointAt(0)!)
    for (const pair of ['国國', '龙龍', '图圖', '书書', '华華', '学學', '长長', '匀勻', '产產']) {
      expect(form(pair[0]!)).toBe(form(pair[1]!))
    }
    for (const pair of ['云雲', '后後', '机機', '个個']) {
      expect(form(pair[0]!)).not.toBe(form(pair[1]!))
    }
  })
})

describe('white space', () => {
  it('is that of Unicode', () => {
    let points = ''
    for (let point = 0; point < 0x10000; point++) {
      if (isWhitespace(point)) points += String.fromCharCode(point)
    }
    expect(points.length).toBe(25)
    expect(/^\p{White_Space}+$/u.test(points)).toBe(true)
    expect(trimWhitespace(`${points}a b${points}`)).toBe('a b')
    expect(trimWhitespace(points)).toBe('')
    for (const text of ['\u200ba', '', 'a', ' ', 'a  b']) {
      expect(trimWhitespace(text)).toBe(text === ' ' ? '' : text)
      expect(trimWhitespace(`${text} `)).toBe(text === ' ' ? '' : text)
      expect(trimWhitespace(` ${text}`)).toBe(text === ' ' ? '' : text)
    }
  })
})
