// The full check of a text segment: sound segments pass, damaged ones are refused with a typed
// error. A wrong segment under right checksums is refused, or is itself another sound segment.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectRefusals, sectionsOf } from '../../fixtures/refusals.ts'
import { ByteWriter, compareBytes } from '../bytes/index.ts'
import { CorruptionError, VersionError } from '../errors.ts'
import { Frame } from '../frame/index.ts'
import { encodeFrame } from '../frame/writer-v1.ts'
import { FIELDS_MAX } from '../ids.ts'
import { IdSet } from '../idset/index.ts'
import { checkText, LengthsBuilder, mergeText, TextReader, TextWriter } from './index.ts'
import { FIELD_ID_MAX, POSITION_MAX } from './limits.ts'

const encoder = new TextEncoder()

/** Term → ascending [document, field, position]. */
type Terms = ReadonlyMap<string, readonly (readonly [number, number, number])[]>

function build(
  ids: readonly number[],
  terms: Terms,
  infixFields: readonly number[] = [],
): Uint8Array {
  const out = new ByteWriter()
  const sink = (bytes: Uint8Array): void => out.bytes(bytes)
  const writer = new TextWriter(Uint32Array.from(ids), sink, 2, infixFields)
  const keys = [...terms.keys()].sort((a, b) => compareBytes(encoder.encode(a), encoder.encode(b)))
  for (const key of keys) {
    const list = terms.get(key)!
    const docs = Uint32Array.from(list, ([doc]) => doc)
    const packed = Uint32Array.from(list, ([, field, position]) => field * 65536 + position)
    writer.term(encoder.encode(key), docs, packed, 0, list.length)
  }
  const lengths = new LengthsBuilder()
  for (const id of ids) lengths.add(id, 1, id % 7 === 0 ? 300 : id % 5)
  writer.finish(lengths)
  return out.finish()
}

/**
 * A segment with long lists, with and without position sets, and enough words for a stored prefix.
 */
function large(count: number): Uint8Array {
  const ids = Array.from({ length: count }, (_, i) => 20 + i * 2)
  const terms = new Map<string, [number, number, number][]>()
  terms.set(
    'common',
    ids.flatMap((id): [number, number, number][] => [
      [id, 1, id % 20],
      [id, id % 3 === 0 ? 4 : 7, id % 5000],
    ]),
  )
  for (let i = 0; i < 110; i++) terms.set(`word${i}`, [[ids[i % count]!, 1, i]])
  terms.set('größe', [[ids[0]!, 2, 0]])
  return build(ids, terms)
}

const tiny = build(
  [3, 8, 9],
  new Map([
    [
      'fox',
      [
        [3, 0, 1],
        [3, 0, 4],
        [8, 1, 0],
      ],
    ],
    ['red', [[3, 0, 0]]],
  ]),
  [0],
)

type Verdict = 'sound' | 'refused'

/** Returns the verdict of the check; any error but a typed refusal fails the test. */
function verdict(bytes: Uint8Array): Verdict {
  try {
    checkText(Frame.open(bytes, 'TEXT'))
    return 'sound'
  } catch (error) {
    if (error instanceof CorruptionError || error instanceof VersionError) return 'refused'
    throw error
  }
}

/** Returns a frame with the same sections, one of them changed, and right checksums. */
function withSection(bytes: Uint8Array, tag: string, change: (section: Uint8Array) => Uint8Array) {
  return encodeFrame('TEXT', (frame) => {
    for (const section of Frame.open(bytes, 'TEXT').sections) {
      const own = section.bytes.slice()
      frame.section(section.tag, section.version, section.tag === tag ? change(own) : own)
    }
  })
}

const flipped = (bytes: Uint8Array, bit: number): Uint8Array => {
  const copy = bytes.slice()
  copy[bit >>> 3]! ^= 1 << (bit & 7)
  return copy
}

const tags = [...Frame.open(tiny, 'TEXT').sections].map(({ tag }) => tag)

test('sound segments pass', () => {
  expect(verdict(tiny)).toBe('sound')
  expect(checkText(Frame.open(tiny, 'TEXT'))).toEqual({ fieldMax: 1 })
  expect(checkText(Frame.open(large(20), 'TEXT'))).toEqual({ fieldMax: 7 })
  for (const count of [1, 100, 129, 1500]) expect(verdict(large(count)), `${count}`).toBe('sound')
})

test('a term of 250 bytes passes, one with the byte 0 does not', () => {
  const withTerm = (term: string): Uint8Array => build([3], new Map([[term, [[3, 0, 0]]]]))
  expect(verdict(withTerm('x'.repeat(250)))).toBe('sound')
  expect(() => checkText(Frame.open(withTerm('a\0b'), 'TEXT'))).toThrow(
    'TERM @0: bad_value, expected 1 to 250 bytes but 0 in term 0, got 3',
  )
})

test('lists are checked in the form of their length', () => {
  // A list has another form from 129 documents on.
  expect(verdict(large(128))).toBe('sound')
  const long = withSection(large(129), 'POST', (section) => flipped(section, 0))
  const reader = TextReader.open(Frame.open(long, 'TEXT'))
  expect(() => reader.orDocuments(0, new Uint32Array(20))).toThrow('expected 128, got 129')
  const otherForm = withSection(tiny, 'POST', (section) => flipped(section, 0))
  expect(() => checkText(Frame.open(otherForm, 'TEXT'))).toThrow('expected the form of 2 documents')
})

describe('the highest field and position', () => {
  const write = (field: number, lengthField = field): Uint8Array => {
    const out = new ByteWriter()
    const writer = new TextWriter(Uint32Array.of(3), (bytes) => out.bytes(bytes), 2)
    const packed = Uint32Array.of(field * 65536 + POSITION_MAX)
    writer.term(encoder.encode('a'), Uint32Array.of(3), packed, 0, 1)
    const lengths = new LengthsBuilder()
    lengths.add(3, lengthField, 1)
    writer.finish(lengths)
    return out.finish()
  }
  const highest = write(FIELD_ID_MAX)
  const check = (bytes: Uint8Array) => checkText(Frame.open(bytes, 'TEXT'))

  test('pass', () => {
    expect(check(highest)).toEqual({ fieldMax: FIELD_ID_MAX })
  })

  test('are followed by none', () => {
    const refusal = (field: number, position: number): string =>
      `expected a field and a position of 16 bits, got ${field}, ${position}`
    expect(() => check(write(FIELD_ID_MAX + 1, FIELD_ID_MAX))).toThrow(
      refusal(FIELD_ID_MAX + 1, POSITION_MAX),
    )
    const nextPosition = withSection(highest, 'POST', (section) => {
      // The position is the last number of the posting.
      section.set([0x80, 0x80, 0x04], section.lastIndexOf(0x03) - 2)
      return section
    })
    expect(() => check(nextPosition)).toThrow(refusal(FIELD_ID_MAX, POSITION_MAX + 1))
    const nextLength = withSection(highest, 'LENG', (section) => {
      new DataView(section.buffer).setUint32(4, FIELD_ID_MAX + 1, true)
      return section
    })
    expect(() => check(nextLength)).toThrow(
      `LENG @4: bad_value, expected up to ${FIELD_ID_MAX}, got ${FIELD_ID_MAX + 1}`,
    )
  })

  test('are in one of as many entries of lengths as there are fields', () => {
    const withEntries = (count: number) =>
      withSection(highest, 'LENG', (section) => {
        new DataView(section.buffer).setUint32(0, count, true)
        return section
      })
    expect(() => check(withEntries(FIELDS_MAX))).toThrow(/^LENG @4: bad_length/)
    expect(() => check(withEntries(FIELDS_MAX + 1))).toThrow(
      `LENG @0: bad_value, expected at most ${FIELDS_MAX} fields, got ${FIELDS_MAX + 1}`,
    )
  })
})

test('progress ends within the frame', () => {
  const bytes = large(200)
  const seen: number[] = []
  checkText(Frame.open(bytes, 'TEXT'), (at) => seen.push(at))
  expect(seen.length).toBeGreaterThan(0)
  expect(Math.max(...seen)).toBeLessThanOrEqual(bytes.length)
})

test('every flipped bit of a segment is refused', () => {
  for (let bit = 0; bit < tiny.length * 8; bit++) {
    expect(verdict(flipped(tiny, bit)), `bit ${bit}`).toBe('refused')
  }
})

describe('under right checksums', () => {
  /** Expects that merging the segment alone writes the same bytes. */
  const expectWhole = (bytes: Uint8Array): void => {
    const out = new ByteWriter()
    mergeText([{ reader: TextReader.open(Frame.open(bytes, 'TEXT')), dead: IdSet.empty }], (part) =>
      out.bytes(part),
    )
    expect(Buffer.compare(out.finish(), bytes)).toBe(0)
  }

  test('every flipped bit of a small segment is refused or makes another sound one', () => {
    const counts = { sound: 0, refused: 0 }
    for (const tag of tags) {
      const bits = Frame.open(tiny, 'TEXT').section(tag, 1, 2).length * 8
      for (let bit = 0; bit < bits; bit++) {
        const bytes = withSection(tiny, tag, (section) => flipped(section, bit))
        const found = verdict(bytes)
        counts[found]++
        if (found === 'sound') expectWhole(bytes)
      }
    }
    // A changed position or letter of a word makes another sound segment.
    expect(counts.sound).toBeGreaterThan(0)
    expect(counts.refused).toBeGreaterThan(counts.sound * 5)
  })

  test('each check has its message', () => {
    const read = (bytes: Uint8Array) => checkText(Frame.open(bytes, 'TEXT'))
    expectRefusals('postings', sectionsOf('TEXT', tiny, read))
    expectRefusals('postings-long', sectionsOf('TEXT', large(150), read), 61)
  })

  test('random damage to long lists and stored prefixes as well', () => {
    const sources = [large(150), large(1100)]
    fc.assert(
      fc.property(
        fc.constantFrom(...sources),
        fc.constantFrom(...tags),
        fc.nat(),
        fc.nat(255),
        (source, tag, place, value) => {
          const bytes = withSection(source, tag, (section) => {
            if (section.length > 0) section[place % section.length] = value
            return section
          })
          if (verdict(bytes) === 'sound') expectWhole(bytes)
        },
      ),
      { numRuns: 1500 },
    )
  })

  test('sections cut short or made longer are refused', () => {
    for (const tag of tags) {
      const { length } = Frame.open(tiny, 'TEXT').section(tag, 1, 2)
      for (let cut = 0; cut < length; cut++) {
        const bytes = withSection(tiny, tag, (section) => section.subarray(0, cut))
        expect(verdict(bytes), `${tag} cut at ${cut}`).toBe('refused')
      }
      const bytes = withSection(tiny, tag, (section) => Uint8Array.from([...section, 0, 0, 0, 0]))
      expect(verdict(bytes), `${tag} made longer`).toBe('refused')
    }
  })

  test('stored prefixes that do not ascend are refused when the segment is opened', () => {
    const source = large(1100)
    const change = (by: (keys: Uint32Array) => void) =>
      withSection(source, 'PKEY', (section) => {
        const keys = new Uint32Array(section.slice().buffer)
        expect(keys.length).toBeGreaterThan(1)
        by(keys)
        return new Uint8Array(keys.buffer)
      })
    const open = (bytes: Uint8Array) => TextReader.open(Frame.open(bytes, 'TEXT'))
    open(change(() => undefined))
    const bad = [
      change((keys) => keys.reverse()),
      change((keys) => {
        keys[1] = keys[0]!
      }),
    ]
    for (const bytes of bad) expect(() => open(bytes)).toThrow(CorruptionError)
  })

  test('counts and offsets that do not fit are refused when they are read', () => {
    const open = (bytes: Uint8Array) => TextReader.open(Frame.open(bytes, 'TEXT'))
    const withWord = (tag: string, at: number, value: number) =>
      withSection(tiny, tag, (section) => {
        new DataView(section.buffer).setUint32(at, value, true)
        return section
      })
    // Three documents of the ids 3 to 9.
    for (const [documents, message] of [
      [0, 'META @0: bad_value, expected 1..7 documents, got 0'],
      [8, 'META @0: bad_value, expected 1..7 documents, got 8'],
    ] as const) {
      expect(() => open(withWord('META', 0, documents))).toThrow(message)
    }
    expect(open(withWord('META', 0, 7)).documentCount).toBe(7)
    expect(() => open(withWord('META', 0, 4)).ids()).toThrow(
      'DIDS @0: bad_value, expected 4, got 3',
    )
    expect(() => open(withWord('META', 12, 1))).toThrow(CorruptionError)
    const head = (value: number) =>
      open(
        withSection(tiny, 'POST', (section) => {
          section[0] = value
          return section
        }),
      ).documentFrequency(0)
    expect(head(6)).toBe(3)
    for (const documents of [0, 4]) {
      expect(() => head(documents * 2)).toThrow(
        `posting @1: bad_value, expected 1..3 documents, got ${documents}`,
      )
    }
    const first = open(tiny).postingBytes(0)
    for (const end of [0, first]) {
      const reader = open(withWord('TOFF', 4, end))
      if (end === first) expect(reader.documentFrequency(0)).toBe(2)
      else {
        expect(() => reader.documentFrequency(0)).toThrow('POST @0: bad_order, expected > 0, got 0')
      }
    }
    const oldAnalysis = (analysis: number) =>
      encodeFrame('TEXT', (frame) => {
        for (const { tag, version, bytes } of Frame.open(tiny, 'TEXT').sections) {
          const own = bytes.slice()
          if (tag === 'META') new DataView(own.buffer).setUint32(20, analysis, true)
          frame.section(tag, tag === 'META' ? 1 : version, own)
        }
      })
    expect(open(oldAnalysis(0)).analysis).toBe(0)
    expect(() => open(oldAnalysis(2))).toThrow('META @20: bad_value, expected 0, got 2')
  })

  test('header counts of long lists that do not fit are refused', () => {
    const { fst } = TextReader.open(Frame.open(large(1100), 'TEXT'))
    const ordinal = fst.ordinalOf(encoder.encode('common'))
    // `common` is the first term; its header begins behind the varint of its head.
    expect(ordinal).toBe(0)
    const withCount = (word: number, count: number) => {
      const bytes = withSection(large(1100), 'POST', (section) => {
        new DataView(section.buffer).setUint32(4 + word * 4, count, true)
        return section
      })
      return TextReader.open(Frame.open(bytes, 'TEXT'))
    }
    const words = new Uint32Array(100)
    expect(() => withCount(2, 1 << 20).orDocumentsInFields(ordinal, [1], words)).toThrow(
      /^posting @12: bad_length, expected \d+, got 8388644$/,
    )
    expect(() => withCount(3, 1 << 20).orDocumentsInBucket(ordinal, 3, words)).toThrow(
      /^posting @16: bad_length, expected \d+, got 8388644$/,
    )
  })

  test('a surplus section is refused', () => {
    const bytes = encodeFrame('TEXT', (frame) => {
      for (const { tag, bytes } of Frame.open(tiny, 'TEXT').sections) frame.section(tag, 1, bytes)
      frame.section('MORE', 1, new Uint8Array(4))
    })
    expect(() => checkText(Frame.open(bytes, 'TEXT'))).toThrow('POST TERM')
  })
})
