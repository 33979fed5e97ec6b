// Texts inside of words, compared with a scan of the words; golden bytes; damage.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectGolden } from '../../fixtures/golden.ts'
import { ByteWriter, encoder } from '../bytes/index.ts'
import { CorruptionError } from '../errors.ts'
import { buildFst } from '../fst/index.ts'
import { FIELDS_MAX } from '../ids.ts'
import { characterStarts } from './characters.ts'
import { GRAM_CHARS } from './index.ts'
import { InfixReader } from './reader-v1.ts'
import { infixNotes } from './test-notes.ts'
import {
  byBytes,
  dictionaryOf,
  inMemory,
  readerOf,
  sectionOf,
  type TestWord,
} from './test-support.ts'

const WORDS: readonly TestWord[] = (
  [
    ['\u0001\u0001\u0001fussball', 2],
    ['ab', 2],
    ['banana', 2, 7],
    ['fussballtrikot', 1],
    ['abcxbcd', 2],
    ['xabcdx', 7],
    ['ананас', 2],
    ['足球赛程', 2],
  ] as TestWord[]
).sort(byBytes)

const find = (reader: InfixReader, text: string, words: readonly TestWord[]): string[] =>
  [...reader.termsWith(encoder.encode(text))].map((ordinal) => words[ordinal]![0])

describe('terms that contain a text', () => {
  const reader = readerOf(sectionOf(WORDS, [2, 7, 9])!, WORDS)

  it('are found at the beginning, in the middle and at the end', () => {
    for (const text of ['ban', 'nan', 'ana', 'banana', 'anana']) {
      expect(find(reader, text, WORDS), text).toEqual(['banana'])
    }
    expect(find(reader, 'анана', WORDS)).toEqual(['ананас'])
    expect(find(reader, '球赛程', WORDS)).toEqual(['足球赛程'])
    expect(find(reader, 'bananas', WORDS)).toEqual([])
    expect(find(reader, 'x'.repeat(300), WORDS)).toEqual([])
  })

  it('have the text in one piece, not only its grams', () => {
    expect(find(reader, 'abc', WORDS)).toEqual(['abcxbcd', 'xabcdx'])
    expect(find(reader, 'abcd', WORDS)).toEqual(['xabcdx'])
    // The end of the term before stands behind a shorter one.
    const words: readonly TestWord[] = [
      ['aaaaaabcd', 1],
      ['bcdxxabc', 1],
    ]
    expect(find(readerOf(sectionOf(words, [1])!, words), 'abcd', words)).toEqual(['aaaaaabcd'])
  })

  it('are those of the covered fields, without terms of the engine', () => {
    expect(reader.fields).toEqual([2, 7])
    expect(find(reader, 'fuss', WORDS)).toEqual([])
    expect(sectionOf(WORDS, [3])).toBeNull()
    expect(sectionOf([['ab', 2]], [2])).toBeNull()
  })
})

describe('limits', () => {
  it('grams are counted in characters, from the first byte on', () => {
    const starts = new Uint16Array(5)
    expect(characterStarts(encoder.encode('aßb'), 4, starts)).toBe(3)
    expect([...starts]).toEqual([0, 1, 3, 4, 0])
    expect(characterStarts(Uint8Array.of(0x80, 0x61), 2, starts)).toBe(2)
  })

  it('the longest term and the longest text are found', () => {
    const word = `${'x'.repeat(247)}abc`
    const words: readonly TestWord[] = [[word, 1]]
    const reader = readerOf(sectionOf(words, [1])!, words)
    expect(find(reader, 'abc', words)).toEqual([word])
    expect(find(reader, word, words)).toEqual([word])
  })

  it('a term is listed once for a gram, of however many', () => {
    const words = Array.from({ length: 1100 }, (_, i): TestWord => {
      return [String.fromCharCode(0x4e00 + i).repeat(4), 1]
    })
    const reader = readerOf(sectionOf(words, [1])!, words)
    expect([...reader.termsWith(encoder.encode(words[1099]![0].slice(1)))]).toEqual([1099])
  })

  it('all fields can be covered', () => {
    const fields = Array.from({ length: FIELDS_MAX }, (_, field) => field)
    const words: readonly TestWord[] = [['abc', ...fields]]
    expect(readerOf(sectionOf(words, fields)!, words).fields).toEqual(fields)
  })
})

describe('random words and texts', () => {
  const alphabets = [
    'abc',
    'abcdefghijklmnopqrstuvwxyz',
    'абвгд',
    '漢字仮名交',
    '0123456789',
    'aéß漢😀',
  ]
  it.each(alphabets)('of "%s" are found as by a scan', (alphabet) => {
    const letter = fc.constantFrom(...alphabet)
    const text = (minLength: number, maxLength: number) =>
      fc.array(letter, { minLength, maxLength }).map((letters) => letters.join(''))
    const words = fc.uniqueArray(fc.tuple(text(1, 14), fc.nat(2)), {
      selector: ([word]) => word,
      minLength: 1,
      maxLength: 150,
    })
    const place = fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: GRAM_CHARS, max: 7 }))
    fc.assert(
      fc.property(words, fc.array(place, { maxLength: 30 }), text(3, 6), (list, places, other) => {
        const sorted = list.map(([word, field]): TestWord => [word, field]).sort(byBytes)
        const section = sectionOf(sorted, [0, 2])
        const parts = places.map(([which, from, length]) => {
          const letters = [...sorted[which % sorted.length]![0]]
          return letters.slice(from % letters.length).slice(0, length)
        })
        for (const part of [...parts, [...other]]) {
          if (part.length < GRAM_CHARS || section === null) continue
          const wanted = part.join('')
          const scanned = sorted.filter(([word, field]) => field !== 1 && word.includes(wanted))
          expect(find(readerOf(section, sorted), wanted, sorted)).toEqual(
            scanned.map(([word]) => word),
          )
        }
      }),
    )
  })
})

describe('bytes', () => {
  const words: readonly TestWord[] = [
    ['abca', 1],
    ['banana', 1],
    ['cabca', 4],
  ]
  const section = sectionOf(words, [1, 4])!

  it('are golden', () => {
    const shown = expectGolden(
      'infix/v1/three-words',
      section,
      infixNotes(
        section,
        words.map(([word]) => word),
      ),
    )
    expect(find(readerOf(shown, words), 'abca', words)).toEqual(['abca', 'cabca'])
  })

  it('depend on the words alone, not on the order of occurrences', () => {
    const turned = words.map(([word, ...fields]): TestWord => [word, ...fields, 4, ...fields])
    const back = words.map(([word, ...fields]): TestWord => [word, 4, ...fields])
    expect(sectionOf(turned, [4, 1])).toEqual(sectionOf(back, [1, 4]))
  })

  const asked = (bytes: Uint8Array): unknown => {
    const reader = new InfixReader(
      {
        length: bytes.length,
        read: (at, length) => {
          if (at + length > bytes.length)
            throw new CorruptionError('bad_length', { section: '', offset: at }, 0, 0)
          return inMemory(bytes).read(at, length)
        },
      },
      dictionaryOf(words),
    )
    return ['abc', 'abca', 'banana', 'cab'].map((text) => [
      ...reader.termsWith(encoder.encode(text)),
    ])
  }

  it('cut off anywhere are refused', () => {
    for (let end = 0; end < section.length; end++) {
      expect(() => asked(section.subarray(0, end)), String(end)).toThrow(CorruptionError)
    }
  })

  const with32 = (at: number, value: number): Uint8Array => {
    const bytes = section.slice()
    new DataView(bytes.buffer).setUint32(at, value, true)
    return bytes
  }
  // Two fields at 16, then one offset for each of six grams and their end.
  it.each([
    ['no field', with32(0, 0)],
    ['more fields than there are', with32(0, 65_536)],
    ['no gram', with32(4, 0)],
    ['other grams than in the dictionary', with32(4, 5)],
    ['a dictionary beyond the end', with32(8, section.length)],
    ['a reserved field', with32(12, 1)],
    ['fields that do not ascend', with32(20, 1)],
    ['a field beyond all', with32(20, 65_535)],
    ['lists that do not begin at 0', with32(24, 1)],
    ['an empty list', with32(28, 0)],
    ['lists that end elsewhere', with32(48, 99)],
  ])('with %s are refused', (_, bytes) => {
    expect(() => asked(bytes)).toThrow(CorruptionError)
  })

  it('with a wrong number of fields are refused for it', () => {
    expect(() => asked(with32(0, 0))).toThrow(`expected 1 to ${FIELDS_MAX} fields, got 0`)
    const count = FIELDS_MAX + 1
    expect(() => asked(with32(0, count))).toThrow(
      `expected 1 to ${FIELDS_MAX} fields, got ${count}`,
    )
  })

  /** A section of one field, whose dictionary has these grams. */
  const withGrams = (offsets: readonly number[], ...grams: readonly string[]): Uint8Array => {
    const dictionary = buildFst(grams.map((gram) => encoder.encode(gram)))
    const out = new ByteWriter()
    for (const n of [1, offsets.length - 1, dictionary.length, 0, 1, ...offsets]) out.u32(n)
    out.bytes(dictionary)
    out.bytes(new Uint8Array(2))
    return out.finish()
  }

  it('with another dictionary are refused', () => {
    expect(() => asked(withGrams([0, 2], 'abcdefghijkl'))).not.toThrow()
    expect(() => asked(withGrams([0, 2], 'abcdefghijklm'))).toThrow('expected 12, got 13')
    expect(() => asked(withGrams([0, 1, 2], 'abc'))).toThrow('expected 1 grams, at least 1, got 2')
  })

  it('with a number that is too long are refused', () => {
    const start = withGrams([0, 6], 'abc').slice(0, -2)
    const bytes = Uint8Array.from([...start, 0x80, 0x80, 0x80, 0x80, 0x80, 0])
    expect(() => asked(bytes)).toThrow('bad_value, expected below 3, got 0')
  })

  it('with lists that end elsewhere or do not ascend are refused at their place', () => {
    expect(() => asked(withGrams([0, 1], 'abc'))).toThrow('INFX @20: bad_length, expected 2, got 1')
    expect(() => asked(withGrams([0, 1, 1], 'abc', 'abd'))).toThrow(
      'INFX @28: bad_order, expected above 1, got 1',
    )
    expect(() => asked(with32(24, 1))).toThrow('INFX @24: bad_order, expected 0, got 1')
    expect(() => asked(with32(8, section.length))).toThrow(`expected at most ${section.length}`)
  })

  it('with terms that the segment lacks are refused', () => {
    const reader = new InfixReader(inMemory(section), dictionaryOf(words.slice(0, 2)))
    expect(() => reader.termsWith(encoder.encode('cab'))).toThrow(CorruptionError)
    const bytes = section.slice()
    bytes[bytes.length - 1] = 0x80
    const last = new InfixReader(inMemory(bytes), dictionaryOf(words))
    const shown = `INFX @${bytes.length}: bad_value, expected below 3`
    expect(() => last.termsWith(encoder.encode('nan'))).toThrow(shown)
  })

  it('with a wrong bit are refused or give other words', () => {
    let refused = 0
    for (let bit = 0; bit < section.length * 8; bit++) {
      const bytes = section.slice()
      bytes[bit >>> 3]! ^= 1 << (bit & 7)
      try {
        asked(bytes)
      } catch (error) {
        if (!(error instanceof CorruptionError)) throw error
        refused++
      }
    }
    expect(refused).toBeGreaterThan(section.length * 4)
  })
})
