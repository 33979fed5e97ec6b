// Annotated bytes: their text, and that it covers all bytes.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvariantError } from '../errors.ts'
import { annotate, bytesOfAnnotated } from './annotate.ts'
import type { Note } from './index.ts'

const bytesTo = (n: number): Uint8Array => Uint8Array.from({ length: n }, (_, i) => i)

describe('annotate', () => {
  it('shows ranges, bytes and meanings, and bytes without notes', () => {
    const notes = [
      { from: 0, to: 4, text: 'magic "SVCF"' },
      { from: 6, to: 6, text: 'nothing' },
      { from: 6, to: 24, text: 'two lines' },
    ]
    const gap = ' '.repeat(36)
    expect(annotate(bytesTo(25), notes).split('\n')).toEqual([
      ` 0- 4  00 01 02 03${gap}  magic "SVCF"`,
      ` 4- 6  04 05${gap}        ?`,
      ` 6- 6  ${' '.repeat(47)}  nothing`,
      ' 6-22  06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 14 15  two lines',
      '22-24  16 17',
      `24-25  18${gap}           ?`,
      '',
    ])
  })

  it('omits the middle of a long run, with a mark', () => {
    const text = annotate(bytesTo(100), [{ from: 0, to: 100, text: 'long' }])
    expect(text).toMatch(/^ {9}… 36 more bytes, checksum [0-9a-f]{8}$/m)
    const bent = bytesTo(100)
    bent[99] = 0
    expect(annotate(bent, [{ from: 0, to: 100, text: 'long' }])).not.toBe(text)
    expect(bytesOfAnnotated(text)).toBeNull()
    const shown = annotate(bytesTo(64), [{ from: 0, to: 64, text: 'not … 5 more bytes' }])
    expect(bytesOfAnnotated(shown)).toEqual(bytesTo(64))
  })

  it('reads back to the same bytes, with any notes', () => {
    const note = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom('ab cd', '0-1  ff', '# x', '… 3 more bytes', ''),
    )
    const parts = fc.array(fc.tuple(fc.uint8Array({ maxLength: 60 }), note), { maxLength: 8 })
    fc.assert(
      fc.property(parts, fc.boolean(), (pieces, all) => {
        const notes: Note[] = []
        const bytes: number[] = []
        for (const [piece, words] of pieces) {
          const from = bytes.length
          bytes.push(...piece)
          const text = words.replaceAll('\n', ' ')
          if (all || words.length % 3 > 0) notes.push({ from, to: bytes.length, text })
        }
        const whole = Uint8Array.from(bytes)
        const read = bytesOfAnnotated(`# a comment\n${annotate(whole, notes)}`)
        // Adjacent bytes without notes form one run, which may be too long to be shown.
        if (all || read !== null) expect(read).toEqual(whole)
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
    [[{ from: 0, to: 1, text: 'two\nlines' }]],
  ])('notes that make no sense are our mistake: %j', (notes) => {
    expect(() => annotate(bytesTo(8), notes)).toThrow(InvariantError)
  })
})
