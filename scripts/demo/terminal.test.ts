// Tables, bars and colours.
import { describe, expect, it } from 'vitest'
import { bar, cut, grouped, milliseconds, openTerminal, tableLines, textWidth } from './terminal.ts'

const recording = (isTTY: boolean) => {
  const written: string[] = []
  return { written, stream: { isTTY, columns: 80, write: (text: string) => written.push(text) } }
}

describe('a terminal', () => {
  it('has colours if it is a terminal and NO_COLOR is not set', () => {
    const paint = (isTTY: boolean, environment: Record<string, string>): string =>
      openTerminal(recording(isTTY).stream, environment).palette.bold('x')
    expect(paint(true, {})).toBe('\x1b[1mx\x1b[0m')
    expect(paint(true, { NO_COLOR: '' })).toBe('\x1b[1mx\x1b[0m')
    expect(paint(true, { NO_COLOR: '1' })).toBe('x')
    expect(paint(true, { TERM: 'dumb' })).toBe('x')
    expect(paint(false, {})).toBe('x')
  })

  it('replaces a line of progress, and prints none elsewhere', () => {
    const own = recording(true)
    const terminal = openTerminal(own.stream, {})
    terminal.progress('one')
    terminal.progress('two')
    terminal.line('done')
    expect(own.written.join('')).toBe('one\r\x1b[Ktwo\r\x1b[Kdone\n')
    const other = recording(false)
    openTerminal(other.stream, {}).progress('one')
    expect(other.written).toEqual([])
  })
})

describe('a table', () => {
  const terminal = openTerminal(recording(false).stream, {})
  const columns = [
    { title: 'name', align: 'left' },
    { title: 'n', align: 'right' },
    { title: 'text', align: 'left' },
  ] as const

  it('aligns columns, wide characters included, and cuts the last column', () => {
    const rows = [
      ['東京', '7', 'short'],
      ['e\u0301te\u0301', '1,234', 'long '.repeat(40)],
    ]
    const lines = tableLines(columns, rows, terminal)
    expect(lines.slice(0, 2)).toEqual(['name      n  text', '東京      7  short'])
    expect(lines[2]).toMatch(/^e\u0301te\u0301 {3}1,234 {2}long long .*…$/u)
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(terminal.columns)
  })
})

it('bars show shares in eighths, and anything above zero', () => {
  expect(bar(10, 10, 3)).toBe('███')
  expect(bar(5, 10, 3)).toBe('█▌')
  expect(bar(1, 1_000_000, 3)).toBe('▏')
  expect(bar(0, 10, 3)).toBe('')
  expect(bar(1, 0, 3)).toBe('')
})

it('texts are cut by columns and lose their line breaks', () => {
  expect(cut('a\n\tb', 10)).toBe('a b')
  expect(cut('abcdef', 4)).toBe('abc…')
  expect(cut('東京都', 5)).toBe('東京…')
  expect(textWidth('🦊a')).toBe(3)
  expect(textWidth('…█é')).toBe(3)
})

it('numbers are readable', () => {
  expect([grouped(1234567), grouped(999), grouped(0)]).toEqual(['1,234,567', '999', '0'])
  expect([1.234, 12.34, 123.4].map(milliseconds)).toEqual(['1.23', '12.3', '123'])
})
