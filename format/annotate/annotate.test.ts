// Annotated bytes: their text, and that it covers all bytes.
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvariantError } from '../errors.ts'
import { annotate, bytesOfAnnotated } from './annotate.ts'
import type { Note } from './index.ts'

const bytesTo = (n: number): Uint8Array => Uint8Array.from({ length: n }, (_, i) => i)

describe('annotate', () => {
  it('shows ranges, bytes and meanings', () => {
    const notes = [
      { from: 0, to: 4, text: 'magic "SVCF"' },
      { from: 4, to: 4, text: 'nothing' },
      { from: 4, to: 22, text: 'two lines' },
    ]
    expect(annotate(bytesTo(22), notes).split('\n')).toEqual([
      ` 0- 4  00 01 02 03${' '.repeat(36)}  magic "SVCF"`,
      ` 4- 4  ${' '.repeat(47)}  nothing`,
      ' 4-20  04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13  two lines',
      '20-22  14 15',
      '',
    ])
  })

  it('shows bytes that repeat once, with their number', () => {
    const bytes = Uint8Array.of(7, ...Array.from({ length: 200 }, (_, i) => i % 3), 9)
    const text = annotate(bytes, [{ from: 0, to: bytes.length, text: 'threes' }])
    expect(text.split('\n')).toEqual([
      '  0- 16  07 00 01 02 00 01 02 00 01 02 00 01 02 00 01 02  threes',
      ' 16-199  00 01 02 × 61',
      '199-202  00 01 09',
      '',
    ])
    expect(bytesOfAnnotated(text)).toEqual(bytes)
  })

  it('reads back to the same bytes, with any notes', () => {
    const note = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom('ab cd', '0-1  ff', '# x', '× 3', 'ab × 3', ''),
    )
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc
        .tuple(fc.uint8Array({ minLength: 1, maxLength: 20 }), fc.nat({ max: 200 }))
        .map(([unit, length]) => Uint8Array.from({ length }, (_, i) => unit[i % unit.length]!)),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(piece, note), { maxLength: 8 }), (pieces) => {
        const notes: Note[] = []
        const bytes: number[] = []
        for (const [part, words] of pieces) {
          const from = bytes.length
          bytes.push(...part)
          notes.push({ from, to: bytes.length, text: words.replaceAll('\n', ' ') })
        }
        const whole = Uint8Array.from(bytes)
        expect(bytesOfAnnotated(`# a comment\n${annotate(whole, notes)}`)).toEqual(whole)
      }),
    )
  })

  it.each<readonly Note[][]>([
    [[{ from: 2, to: 1, text: '' }]],
    [[{ from: 0, to: 9, text: '' }]],
    [
      [
        { from: 0, to: 3, text: '' },
        { from: 2, to: 4, text: '' },
      ],
    ],
    [
      [
        { from: 0, to: 3, text: '' },
        { from: 4, to: 8, text: '' },
      ],
    ],
    [[{ from: 1, to: 8, text: '' }]],
    [[{ from: 0, to: 7, text: '' }]],
    [[{ from: 0, to: 8, text: 'two\nlines' }]],
  ])('notes that make no sense are our mistake: %j', (notes) => {
    expect(() => annotate(bytesTo(8), notes)).toThrow(InvariantError)
  })
})

describe('golden files', () => {
  const root = new URL('../../fixtures/format/', import.meta.url)
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.txt'),
  )

  it('are found', () => {
    expect(names.length).toBeGreaterThan(30)
  })

  it.each(names)('%s explains every byte', (name) => {
    let at = 0
    for (const line of readFileSync(new URL(name, root), 'utf8').trimEnd().split('\n')) {
      if (line.startsWith('#')) continue
      const [, from, to, meaning] = /^ *(\d+)- *(\d+) {2}.{0,47}(.*)$/.exec(line) ?? []
      expect(Number(from), line).toBe(at)
      expect(meaning, line).not.toMatch(/^ *\?/)
      at = Number(to)
    }
    expect(bytesOfAnnotated(readFileSync(new URL(name, root), 'utf8'))).toHaveLength(at)
  })
})
