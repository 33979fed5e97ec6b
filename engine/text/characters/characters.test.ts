// The tables of characters, and what is built from them.
import { describe, expect, it } from 'vitest'
import { normalizerFor } from '../normalize.ts'
import { VARIANT_PAIRS } from '../variants.table.ts'
import {
  astralSeparators,
  character,
  HARD,
  isWhitespace,
  MARK,
  SCRIPT_MASK,
  SCRIPTS,
  SEPARATOR,
  trimWhitespace,
} from './characters.ts'
import { parseRanges } from './ranges.ts'

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
    expect(trimWhitespace('\u200ba')).toBe('\u200ba')
  })
})
