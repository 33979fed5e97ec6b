// Borders beside marks, joiners and modifiers, compared with the platform on whole texts.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { graphemeEnd, graphemeStart } from './graphemes.ts'
import { formatText } from './test-support.ts'

const encoder = new TextEncoder()
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Pieces with few signs in a row, so that the window around a border reaches an ASCII letter. */
const anyPiece = fc.constantFrom(
  'a',
  'e\u0301',
  'u\u0308\u0323',
  '👩🏽',
  '👩‍🚀',
  '🇨🇭🇩🇪',
  'क्षि',
  'न्‍',
  'ด้ำ',
  '한',
  '\u1112\u1161\u11ab',
  'ﾊﾟ',
  '❤️',
  '1️⃣',
  '中',
  ' ',
)

describe('borders', () => {
  it('are those of whole texts', () => {
    fc.assert(
      fc.property(fc.array(anyPiece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('')
        const bytes = encoder.encode(`"${text}"`)
        const end = bytes.length - 1
        const borders = [...segmenter.segment(text)].map(
          ({ index }) => 1 + Buffer.byteLength(text.slice(0, index)),
        )
        borders.push(end)
        for (let at = 1; at <= end; at++) {
          if ((bytes[at]! & 0xc0) === 0x80) continue
          expect(graphemeStart(bytes, 1, end, at)).toBe(borders.filter((one) => one <= at).at(-1))
          expect(graphemeEnd(bytes, 1, end, at)).toBe(borders.find((one) => one >= at))
        }
      }),
      { numRuns: 300 },
    )
  })

  it('are found up to 256 bytes away', () => {
    const startAfter = (marks: string): number => {
      const before = `e${marks}`
      const bytes = encoder.encode(`${before}${'\u0301'.repeat(1000)}`)
      return graphemeStart(bytes, 0, bytes.length, Buffer.byteLength(before))
    }
    expect(startAfter(`\u20dd${'\u0301'.repeat(126)}`)).toBe(0)
    // The letter is 257 bytes away: the first mark that is read becomes the border.
    expect(startAfter('\u0301'.repeat(128))).toBe(1)
    const endOf = (marks: number): number => {
      const bytes = encoder.encode(`e${'\u0301'.repeat(marks)}`)
      return graphemeEnd(bytes, 0, bytes.length, 1)
    }
    expect([endOf(127), endOf(128), endOf(129), endOf(10_000)]).toEqual([255, 257, 257, 257])
  })
})

describe('matches', () => {
  it.each([
    ['re\u0301sume\u0301', 're', '<em>re\u0301</em>sume\u0301'],
    ['👍🏽 yes', '👍', '<em>👍🏽</em> yes'],
    ['👩‍🚀', '👩', '<em>👩‍🚀</em>'],
    ['किताब', 'क', '<em>कि</em>ताब'],
    ['u\u0308ber', 'u', '<em>u\u0308</em>ber'],
  ])('of %j under %s end behind a character', (text, query, formatted) => {
    expect(formatText(text, query)).toBe(formatted)
  })

  it('are cropped behind characters', () => {
    const request = { attributesToCrop: ['*'], cropLength: 1, cropMarker: '~' }
    expect(formatText('a \u0301b c', 'b', request)).toBe('~ \u0301b~')
    expect(formatText('a™️ b c', 'b', request)).toBe('~b~')
    // A letter and its mark, which are two words beside Chinese ones.
    const two = '\u{11099}\u{110ba}'
    expect(formatText(`日本${two} b`, '日本', { ...request, cropLength: 2 })).toBe(`日本${two}~`)
  })
})
