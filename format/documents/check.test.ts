// The full check of a documents segment: sound segments pass, damaged ones are refused with a typed
// error. A wrong segment under right checksums is refused, or is itself another sound segment.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compressRuns,
  decompressRuns,
  reframed,
  sectionsOf,
} from '../../fixtures/format/documents/stand-ins.ts'
import { sectionsOf as damagedSections, expectRefusals } from '../../fixtures/refusals.ts'
import { ByteWriter } from '../bytes/index.ts'
import { CorruptionError, VersionError } from '../errors.ts'
import { Frame } from '../frame/index.ts'
import { IdSet } from '../idset/index.ts'
import { BlockRecords } from './blocks-v1.ts'
import type { DocumentsCheckOptions } from './check.ts'
import {
  checkDocuments,
  DOCUMENTS_KIND,
  DocumentsReader,
  DocumentsWriter,
  encodeRecord,
  mergeDocuments,
} from './index.ts'
import { BLOCK_EXPANSION_MAX, BLOCK_RAW_BYTES_MAX, BLOCK_TARGET_BYTES } from './limits.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

type Doc = readonly [id: number, key: string, fields: readonly (readonly [number, string])[]]

function write(docs: readonly Doc[]): Uint8Array {
  const out = new ByteWriter()
  const writer = new DocumentsWriter((bytes) => out.bytes(bytes), compressRuns)
  for (const [id, key, fields] of docs) {
    writer.add(id, encode(key), encodeRecord(fields.map(([f, json]) => [f, encode(json)] as const)))
  }
  writer.finish()
  return out.finish()
}

const small = write([
  [
    3,
    '7',
    [
      [0, '7'],
      [2, '"x"'],
    ],
  ],
  [
    4,
    'heat',
    [
      [0, '"heat"'],
      [1, '["a",{"b":1.5}]'],
      [2, '1999'],
      [5, '7.5'],
      [6, 'true'],
      [7, 'null'],
    ],
  ],
  [9, '-1', [[300, '{}']]],
])

/** Several blocks, one of them with a single large document. */
const large = write(
  Array.from({ length: 60 }, (_, i): Doc => {
    const text = 'abcdefg'.repeat(i === 30 ? 2000 : 60 + (i % 7))
    return [i * 3, `key-${i}`, [[0, `"${text}"`]]]
  }),
)

const check = (bytes: Uint8Array, options?: DocumentsCheckOptions): void =>
  checkDocuments(Frame.open(bytes, DOCUMENTS_KIND), decompressRuns, options)

type Verdict = 'sound' | 'refused'

/** Returns the verdict of the check; any error but a typed refusal fails the test. */
function verdict(bytes: Uint8Array): Verdict {
  try {
    check(bytes)
    return 'sound'
  } catch (error) {
    if (error instanceof CorruptionError || error instanceof VersionError) return 'refused'
    throw error
  }
}

function withSection(bytes: Uint8Array, tag: string, change: (section: Uint8Array) => Uint8Array) {
  const sections = sectionsOf(bytes)
  return reframed(new Map(sections).set(tag, change(sections.get(tag)!.slice())))
}

const flipped = (bytes: Uint8Array, bit: number): Uint8Array => {
  const copy = bytes.slice()
  copy[bit >>> 3]! ^= 1 << (bit & 7)
  return copy
}

const tags = [...sectionsOf(small).keys()]

describe('a sound segment', () => {
  it('passes, and every document is visited', () => {
    const seen: string[] = []
    check(small, {
      visit: ({ id, externalId, fields }) => {
        const ids = fields.ids.subarray(0, fields.count)
        seen.push(`${id} ${new TextDecoder().decode(externalId)} ${[...ids]}`)
      },
    })
    expect(seen).toEqual(['3 7 0,2', '4 heat 0,1,2,5,6,7', '9 -1 300'])
    expect([verdict(large), verdict(write([]))]).toEqual(['sound', 'sound'])
  })

  it('reports progress', () => {
    const seen: number[] = []
    check(large, { progress: (bytes) => seen.push(bytes) })
    for (const [i, bytes] of seen.slice(1).entries()) expect(bytes).toBeGreaterThan(seen[i]!)
    expect(seen.length).toBeGreaterThan(3)
    expect(seen.at(-1)!).toBeLessThanOrEqual(large.length)
  })
})

describe('a damaged segment', () => {
  it('is refused for every flipped bit', () => {
    for (let bit = 0; bit < small.length * 8; bit++) {
      expect(verdict(flipped(small, bit)), `bit ${bit}`).toBe('refused')
    }
  })
})

describe('under right checksums', () => {
  /** Expects that the documents of a segment that passed can be written again. */
  const expectWhole = (bytes: Uint8Array): void => {
    const reader = DocumentsReader.ofBytes(bytes, decompressRuns)
    const out = new ByteWriter()
    const writer = new DocumentsWriter((part) => out.bytes(part), compressRuns)
    mergeDocuments([{ reader, dead: IdSet.empty }], writer)
    writer.finish()
    expect(verdict(out.finish())).toBe('sound')
  }

  it('a flipped bit is refused or makes another sound segment', () => {
    const counts = { sound: 0, refused: 0 }
    for (const tag of tags) {
      for (let bit = 0; bit < sectionsOf(small).get(tag)!.length * 8; bit++) {
        const bytes = withSection(small, tag, (section) => flipped(section, bit))
        const found = verdict(bytes)
        counts[found]++
        if (found === 'sound') expectWhole(bytes)
      }
    }
    // A changed letter of a text, or a changed id of a lone document, makes another sound segment.
    expect(counts.sound).toBeGreaterThan(0)
    expect(counts.refused).toBeGreaterThan(counts.sound)
  })

  it('each check has its message', () => {
    expectRefusals(
      'documents',
      damagedSections('DOCS', small, (bytes) => check(bytes)),
    )
  })

  it('random damage as well', () => {
    fc.assert(
      fc.property(fc.constantFrom(...tags), fc.nat(), fc.nat(255), (tag, place, value) => {
        const bytes = withSection(large, tag, (section) => {
          section[place % section.length] = value
          return section
        })
        if (verdict(bytes) === 'sound') expectWhole(bytes)
      }),
      { numRuns: 800 },
    )
  })

  it('sections cut short are refused', () => {
    for (const tag of tags) {
      for (let cut = 0; cut < sectionsOf(small).get(tag)!.length; cut++) {
        const bytes = withSection(small, tag, (section) => section.subarray(0, cut))
        // Without its last entry, the last run but one becomes longer: other ids, and a sound
        // segment.
        const expected = tag === 'RUNS' && cut === 8 ? 'sound' : 'refused'
        expect(verdict(bytes), `${tag} cut at ${cut}`).toBe(expected)
      }
    }
  })

  it('a further section, external id or slot is refused', () => {
    const more = new Map(sectionsOf(small)).set('MORE', Uint8Array.of(1))
    expect(() => check(reframed(more))).toThrow('DOCS @0: bad_value, expected sections BLKS BIDX')
    const longer = withSection(small, 'XIDS', (ids) => Uint8Array.from([...ids, 0]))
    expect(() => check(longer)).toThrow('XEND @8: bad_value')
    const full = withSection(small, 'XHSH', (slots) => {
      for (let at = 3; at < slots.length; at += 4) if (slots[at] === 0) slots[at] = 0xee
      return slots
    })
    expect(() => check(full)).toThrow('expected 3 slots in use, got 4')
  })

  it('a wrong size of the second block is refused at its place', () => {
    const withRaw = (raw: number): Uint8Array =>
      withSection(large, 'BIDX', (index) => {
        new DataView(index.buffer).setUint32(20, raw, true)
        return index
      })
    expect(() => check(withRaw(1))).toThrow('BIDX @24: bad_value, expected 1 to 1')
    for (const raw of [2 ** 30, 2 ** 30 + 1]) {
      expect(() => check(withRaw(raw))).toThrow(
        /^BIDX @20: bad_value, expected at most \d+ × 32768/,
      )
    }
    expect(() => new BlockRecords().read(Uint8Array.of(1, 9, 9), 1)).toThrow(
      'BLKS @1: bad_length, expected 3, got 2',
    )
    // A length of five bytes is read, one of six is refused.
    const records = new BlockRecords()
    records.read(Uint8Array.of(0x81, 0x80, 0x80, 0x80, 0, 9), 1)
    expect([records.starts[0], records.starts[1]]).toEqual([5, 6])
    const long = Uint8Array.of(0x81, 0x80, 0x80, 0x80, 0x80, 0, 9)
    expect(() => records.read(long, 1)).toThrow('the length of a record')
  })

  it('a block may be as large as the limit, and no larger', () => {
    // Without runs, so that its stored bytes are enough to expand to the limit.
    const text = Array.from({ length: 40_000 }, (_, i) => 'abcdefg'[i % 7]).join('')
    const blocks = (raw: number, of = text): number => {
      const bytes = write([[1, 'a', [[0, `"${of}"`]]]])
      const changed = withSection(bytes, 'BIDX', (index) => {
        new DataView(index.buffer).setUint32(4, raw, true)
        return index
      })
      return DocumentsReader.ofBytes(changed, decompressRuns).blocks.count
    }
    expect(blocks(BLOCK_RAW_BYTES_MAX)).toBe(1)
    expect(() => blocks(BLOCK_RAW_BYTES_MAX + 1)).toThrow('BIDX @4: bad_value')
    // This record takes seven stored bytes, which expand to less.
    const most = 7 * BLOCK_EXPANSION_MAX
    expect(blocks(most, 'a')).toBe(1)
    expect(() => blocks(most + 1, 'a')).toThrow('BIDX @4: bad_value')
  })

  it.each([1, 64, 65, 66, 300])('the %i records of a block are at their places', (count) => {
    const records = new BlockRecords()
    // Each has a byte, and before them each has its length.
    records.read(new Uint8Array(2 * count).fill(1), count)
    const starts = Array.from({ length: count + 1 }, (_, i) => count + i)
    expect([records.count, [...records.starts.subarray(0, count + 1)]]).toEqual([count, starts])
  })

  it('a block that decompresses to another length is refused', () => {
    const packed = write([[1, 'a', [[0, `"${'x'.repeat(500)}"`]]]])
    const read = (by: number): unknown =>
      DocumentsReader.ofBytes(packed, (_, length) => new Uint8Array(length + by)).record(1)
    for (const by of [-1, 1]) expect(() => read(by)).toThrow('BLKS @0: bad_length')
  })

  it('values that are not compact JSON are refused', () => {
    /**
     * One document whose block is stored uncompressed: two lengths, the table of fields, the value.
     */
    const withValue = (value: string): Uint8Array =>
      withSection(write([[1, 'a', [[0, '"01234567"']]]]), 'BLKS', (block) => {
        block.set(encode(value), block.length - 10)
        return block
      })
    expect(verdict(withValue('"23456789"'))).toBe('sound')
    const bad = [
      '"2345678"9',
      '1,"a":2345',
      ' "3456789"',
      '{"a": 1e1}',
      '"2\u0001345678"',
      '"\\u00zz78"',
    ]
    for (const value of bad) {
      expect(encode(value), value).toHaveLength(10)
      expect(verdict(withValue(value)), value).toBe('refused')
    }
  })

  it('blocks that end too early or too late are refused', () => {
    const reader = DocumentsReader.ofBytes(large, decompressRuns)
    expect(reader.blocks.count).toBeGreaterThan(3)
    /**
     * The records of a block, each with a length that takes a varint of two bytes, in blocks of
     * `size`.
     */
    const inBlocksOf = (size: number): Uint8Array => {
      const docs = Array.from({ length: 40 }, (_, i) => {
        return encodeRecord([[0, encode(`"${String(i % 10).repeat(400)}"`)]])
      })
      const index = new ByteWriter()
      const blocks = new ByteWriter()
      for (let first = 0; first < docs.length; first += size) {
        const part = docs.slice(first, first + size)
        const block = new ByteWriter()
        for (const record of part) block.varint(record.length)
        for (const record of part) block.bytes(record)
        index.u32(first)
        index.u32(block.length)
        index.u64(blocks.length)
        blocks.bytes(block.view())
      }
      index.u32(docs.length)
      index.u32(0)
      index.u64(blocks.length)
      const plain = write(docs.map((_, i): Doc => [i, `k${i}`, [[0, '1']]]))
      const sections = sectionsOf(plain).set('BLKS', blocks.finish()).set('BIDX', index.finish())
      return reframed(sections)
    }
    const fits = Math.floor(BLOCK_TARGET_BYTES / 405)
    expect(verdict(inBlocksOf(fits))).toBe('sound')
    expect(verdict(inBlocksOf(fits - 1))).toBe('refused')
    expect(verdict(inBlocksOf(fits + 1))).toBe('refused')
  })
})
