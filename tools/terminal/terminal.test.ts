// Output of commands: numbers, tables, bars, failures.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StorageError } from '../../engine/model/index.ts'
import { CorruptionError, InvariantError, VersionError } from '../../format/errors.ts'
import {
  bytesText,
  countOf,
  countText,
  microsText,
  openProgress,
  printable,
  safeTerminal,
  shareText,
  shorten,
  type Terminal,
  ToolError,
  table,
  toolErrorOf,
} from './index.ts'

describe('numbers', () => {
  it('are formatted for people', () => {
    expect([bytesText(0), bytesText(1536), bytesText(5 << 20)]).toEqual(['0 B', '1.5 KiB', '5 MiB'])
    expect([countText(25068), countOf(1, 'term'), countOf(0, 'term')]).toEqual([
      '25,068',
      '1 term',
      '0 terms',
    ])
    expect([1, 2].map((count) => countOf(count, 'index', 'indexes'))).toEqual([
      '1 index',
      '2 indexes',
    ])
    expect([shareText(1, 8), shareText(0, 0)]).toEqual(['12.5 %', '0.0 %'])
    expect(microsText(1_700_000_000_500_000)).toBe('2023-11-14T22:13:20.5Z')
  })

  it('are aligned in columns', () => {
    const columns = [{ title: 'name' }, { title: 'n', align: 'right' as const }]
    expect(
      table(columns, [
        ['a', '1'],
        ['longer', '1,000'],
      ]),
    ).toBe('  name        n\n  a           1\n  longer  1,000\n')
    expect(table([{ title: '' }, { title: '' }], [['a', 'b']], '')).toBe('a  b\n')
    expect(table(columns, [])).toBe('')
  })
})

describe('a text', () => {
  it('is cut, and has no control characters', () => {
    expect(shorten('short', 5)).toBe('short')
    expect(shorten('longer', 5)).toBe('long…')
    expect(shorten('a\n\x1b[2Jb', 20)).toBe('a��[2Jb')
  })
})

describe('what is not printable', () => {
  const texts = '\u001b]0;x\u0007 \u009b31m \u202e \u2066 \r \u007f'
  const shown = '\\u001b]0;x\\u0007 \\u009b31m \\u202e \\u2066 \\u000d \\u007f'

  it('is written as escapes of JSON, which keep the value', () => {
    expect(printable(`${texts}\n\tgröße 日本 👍 שלום`)).toBe(`${shown}\n\tgröße 日本 👍 שלום`)
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value, null, 2)
        expect(JSON.parse(printable(text))).toEqual(JSON.parse(text))
      }),
    )
  })

  it('is replaced in cells, so that columns and rows stay', () => {
    expect(table([{ title: 'a' }, { title: 'b' }], [['x\n\u001by', '1']])).toBe(
      '  a     b\n  x��y  1\n',
    )
  })

  it('does not pass to a safe terminal, except as data and to erase the line of a bar', () => {
    const written: string[] = []
    const write = (text: string): void => void written.push(text)
    const terminal = safeTerminal({
      out: write,
      err: write,
      isWatched: true,
      columns: 80,
      now: () => 0,
    })
    terminal.out(texts)
    terminal.err(texts)
    terminal.data?.(texts)
    const progress = openProgress(terminal, 1)
    progress.at(1, texts)
    progress.end()
    const erase = '\r\u001b[K'
    expect(written.slice(0, 3)).toEqual([shown, shown, texts])
    expect(written[3]!.startsWith(`${erase}[`)).toBe(true)
    expect(written[3]!.slice(erase.length)).not.toContain('\u001b')
    expect(written[4]).toBe(erase)
  })
})

describe('a bar', () => {
  function watched(isWatched = true) {
    const written: string[] = []
    const clock = { ms: 0 }
    const terminal: Terminal = {
      out: () => undefined,
      err: (text) => written.push(text),
      isWatched,
      columns: 80,
      now: () => clock.ms,
    }
    return { terminal, written, clock }
  }

  it('shows the amount done, the total, and the time left', () => {
    const { terminal, written, clock } = watched()
    const progress = openProgress(terminal, 2000)
    progress.at(0, 'first')
    progress.at(500, 'too soon')
    clock.ms = 2000
    progress.at(500, 'second')
    progress.end()
    progress.end()
    expect(written).toEqual([
      '\r\x1b[K[                        ] 0 % · 0 B of 1.95 KiB · first',
      '\r\x1b[K[======                  ] 25 % · 500 B of 1.95 KiB · 6 s left · second',
      '\r\x1b[K',
    ])
  })

  it('fits the line', () => {
    const { terminal, written } = watched()
    openProgress({ ...terminal, columns: 30 }, 0).at(0, 'x'.repeat(50))
    expect(written[0]!.length).toBe('\r\x1b[K'.length + 29)
  })

  it('writes nothing without a terminal', () => {
    const { terminal, written } = watched(false)
    const progress = openProgress(terminal, 10)
    progress.at(5, 'x')
    progress.end()
    expect(written).toEqual([])
  })
})

describe('a failure', () => {
  it('covers errors of the system and the caller', () => {
    const place = { section: 's', offset: 1 }
    for (const error of [
      new ToolError('words'),
      new StorageError('missing', 'x', 'words'),
      new CorruptionError('bad_value', place, 1, 2),
      new VersionError('s', 2, 1, 1),
    ]) {
      expect(toolErrorOf(error)?.message).toBe(error.message)
    }
    expect(toolErrorOf(new InvariantError('ours'))).toBeNull()
    expect(toolErrorOf(new TypeError('ours'))).toBeNull()
  })
})
