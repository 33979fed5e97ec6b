// Dictionaries and originals against plain arrays, and the refusal of damaged entries.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { docOf, encodeDocs, openColumns } from '../../fixtures/format/columns/model.ts'
import { compareBytes } from '../bytes/index.ts'
import { ByteWriter } from '../bytes/varint.ts'
import { CorruptionError } from '../errors.ts'
import { Dictionary, writeDictionary } from '../fields/dictionary-v1.ts'
import type { StringSlices } from '../fields/field-data.ts'
import { Originals, writeOriginals } from '../fields/originals-v1.ts'
import { PartReader, PartWriter } from '../fields/parts.ts'
import { Frame, type Section } from '../frame/index.ts'
import { encodeFrame } from '../frame/writer-v1.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

type Block = { readonly section: Section; readonly head: number; readonly length: number }

/** Returns a section that holds one block. */
function blockOf(write: (head: ByteWriter, parts: PartWriter) => void): Block {
  const head = new ByteWriter()
  const parts = new PartWriter()
  write(head, parts)
  const block = new ByteWriter()
  parts.finish(head.finish(), block)
  const { length } = block
  // Another block follows, as in a file.
  block.bytes(new Uint8Array(8))
  const bytes = encodeFrame('COLS', (writer) => writer.section('DATA', 1, block.view()))
  const section = Frame.open(bytes, 'COLS').section('DATA')
  return { section, head: head.length, length }
}

const readerOf = ({ section, head, length }: Block): PartReader =>
  new PartReader(section, 0, head, length)

function slicesOf(strings: readonly Uint8Array[]): StringSlices {
  const bytes = new ByteWriter()
  const starts: number[] = []
  const ends: number[] = []
  for (const string of strings) {
    starts.push(bytes.length)
    bytes.bytes(string)
    ends.push(bytes.length)
  }
  return {
    bytes: bytes.finish(),
    starts: Uint32Array.from(starts),
    ends: Uint32Array.from(ends),
  }
}

function dictionaryOf(strings: readonly Uint8Array[]): Dictionary {
  const block = blockOf((head, parts) => writeDictionary(slicesOf(strings), head, parts))
  return new Dictionary(block.section, strings.length, readerOf(block))
}

const distinct = (strings: readonly Uint8Array[]): Uint8Array[] =>
  [...strings]
    .sort(compareBytes)
    .filter((string, i, all) => i === 0 || compareBytes(all[i - 1]!, string) !== 0)

/** Short strings over few bytes share prefixes; some are long, so that lengths take two bytes. */
const anyString = fc.oneof(
  fc.uint8Array({ maxLength: 6, max: 2 }),
  fc.uint8Array({ maxLength: 4 }),
  fc.tuple(fc.integer({ min: 120, max: 460 }), fc.nat(2)).map(([length, last]) => {
    const long = new Uint8Array(length).fill(7)
    long[length - 1] = last
    return long
  }),
)
const anyStrings = fc.array(anyString, { minLength: 1, maxLength: 90 }).map(distinct)

describe('a dictionary', () => {
  it('finds strings and bounds like a sorted array', () => {
    fc.assert(
      fc.property(anyStrings, fc.array(anyString, { maxLength: 12 }), (strings, others) => {
        const dictionary = dictionaryOf(strings)
        for (const key of [...others, ...strings.slice(0, 20)]) {
          const below = strings.filter((string) => compareBytes(string, key) < 0).length
          const isMember = strings[below] !== undefined && compareBytes(strings[below]!, key) === 0
          expect(dictionary.lowerBound(key)).toBe(below)
          expect(dictionary.upperBound(key)).toBe(below + (isMember ? 1 : 0))
          expect(dictionary.find(key)).toBe(isMember ? below : -1)
        }
      }),
      { numRuns: 60 },
    )
  })

  it.each([127, 128, 129])('finds strings of %i bytes at the begin of blocks', (length) => {
    const strings = Array.from({ length: 40 }, (_, i) => new Uint8Array(length).fill(i))
    const dictionary = dictionaryOf(strings)
    for (const [i, string] of strings.entries()) {
      expect(dictionary.find(string)).toBe(i)
      expect(dictionary.upperBound(string)).toBe(i + 1)
    }
  })

  it('returns any string, in any order', () => {
    fc.assert(
      fc.property(anyStrings, fc.array(fc.nat(1000), { maxLength: 8 }), (strings, picks) => {
        const dictionary = dictionaryOf(strings)
        const walk = dictionary.walk()
        for (const pick of picks) {
          const ordinal = pick % strings.length
          expect(dictionary.get(ordinal)).toEqual(strings[ordinal])
          walk.seek(ordinal)
          expect(walk.bytes.slice(0, walk.length)).toEqual(strings[ordinal])
        }
      }),
      { numRuns: 60 },
    )
  })

  it('skips to ascending keys as a linear scan does', () => {
    fc.assert(
      fc.property(anyStrings, anyStrings, (strings, keys) => {
        const walk = dictionaryOf(strings).walk()
        walk.next()
        for (const key of keys) {
          const expected = strings.findIndex((string) => compareBytes(string, key) >= 0)
          const found = walk.skipTo(key)
          if (expected < 0) {
            expect(found).toBe(false)
            return
          }
          expect(walk.ordinal).toBe(expected)
          expect(found).toBe(compareBytes(strings[expected]!, key) === 0)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('tells whether a string is at least as long', () => {
    const strings = Array.from({ length: 40 }, (_, i) => utf8('x'.repeat(i + 1)))
    const dictionary = dictionaryOf(strings)
    expect([dictionary.hasOf(40), dictionary.hasOf(41)]).toEqual([true, false])
    const columns = openColumns(encodeDocs([docOf(1, { 3: 'four', 5: 'two', 7: 7 })]))
    expect(columns.field(7)!.findString(utf8('four'))).toBe(-1)
    expect([columns.hasStringOf(4), columns.hasStringOf(5)]).toEqual([true, false])
  })

  it('refuses ordinals that do not exist and lengths that leave a block', () => {
    const strings = Array.from({ length: 40 }, (_, i) => utf8(`name ${String(i).padStart(3, '0')}`))
    const dictionary = dictionaryOf(strings)
    expect(() => dictionary.get(40)).toThrow(CorruptionError)
    const block = blockOf((head, parts) => writeDictionary(slicesOf(strings), head, parts))
    const reader = new Dictionary(block.section, 40, readerOf(block))
    const at = reader.blockStart(1)
    block.section.bytes[at] = 127
    expect(() => reader.get(16)).toThrow(CorruptionError)
    expect(() => reader.get(17)).toThrow(CorruptionError)
    block.section.bytes[at] = 0
    block.section.bytes[at + 1] = 9
    expect(() => reader.get(17)).toThrow(CorruptionError)
  })
})

type Pair = { readonly base: string; readonly text: string }

function originalsOf(pairs: readonly Pair[]): { originals: Originals; bases: readonly string[] } {
  const bases = [...new Set(pairs.map(({ base }) => base))]
  const strings = {
    normalised: slicesOf(bases.map(utf8)),
    originals: slicesOf(pairs.map(({ text }) => utf8(text))),
    normalisedOf: Uint32Array.from(pairs, ({ base }) => bases.indexOf(base)),
    rows: {
      holders: new Uint32Array(0),
      starts: new Uint32Array(1),
      ordinals: new Uint32Array(0),
    },
  }
  const block = blockOf((head, parts) => writeOriginals(strings, head, parts))
  return { originals: new Originals(block.section, bases.length, readerOf(block)), bases }
}

const CAPITALS: readonly ((base: string) => string)[] = [
  (base) => base,
  (base) => base.toUpperCase(),
  (base) => base.replace(/^[a-z]/, (letter) => letter.toUpperCase()),
  (base) => base.replace(/(^| )[a-z]/g, (letter) => letter.toUpperCase()),
  (base) => base.replace(/b/g, 'B'),
  (base) => ` ${base}`,
]

/** Pairs in the order that the encoder expects: by base, then by text, without repetitions. */
const anyPairs = fc
  .array(
    fc.tuple(
      fc.string({ unit: fc.constantFrom('a', 'b', ' ', '1', "'", 'é'), maxLength: 9 }),
      fc.nat(CAPITALS.length - 1),
    ),
    { minLength: 1, maxLength: 60 },
  )
  .map((list) => {
    const pairs = list.map(([base, form]) => ({ base, text: CAPITALS[form]!(base) }))
    const order = (a: Pair, b: Pair): number =>
      compareBytes(utf8(a.base), utf8(b.base)) || compareBytes(utf8(a.text), utf8(b.text))
    return pairs.sort(order).filter((pair, i) => i === 0 || order(pairs[i - 1]!, pair) !== 0)
  })

describe('originals', () => {
  it('are restored from their normalised strings', () => {
    fc.assert(
      fc.property(anyPairs, (pairs) => {
        const { originals, bases } = originalsOf(pairs)
        expect(originals.count).toBe(pairs.length)
        expect(originals.areSingle).toBe(pairs.length === bases.length)
        for (const [variant, { base, text }] of pairs.entries()) {
          expect(originals.normalisedOf(variant)).toBe(bases.indexOf(base))
          expect(Buffer.from(originals.restore(variant, utf8(base))).toString()).toBe(text)
        }
        for (const [ordinal, base] of bases.entries()) {
          expect(originals.firstVariant(ordinal)).toBe(pairs.findIndex((p) => p.base === base))
        }
      }),
      { numRuns: 80 },
    )
  })

  it('take no entries if one rule holds for all of them', () => {
    const bases = ["aa b'b", 'ab a', 'bb aa']
    const bytesOf = (texts: (base: string) => string): number => {
      const pairs = bases.map((base) => ({ base, text: texts(base) }))
      const strings = slicesOf(pairs.map(({ base }) => utf8(base)))
      return blockOf((head, parts) =>
        writeOriginals(
          {
            normalised: strings,
            originals: slicesOf(pairs.map(({ text }) => utf8(text))),
            normalisedOf: Uint32Array.of(0, 1, 2),
            rows: { holders: strings.starts, starts: strings.starts, ordinals: strings.starts },
          },
          head,
          parts,
        ),
      ).length
    }
    for (const rule of CAPITALS.slice(0, 4)) expect(bytesOf(rule)).toBe(2)
    expect(bytesOf(CAPITALS[4]!)).toBeGreaterThan(2)
  })

  it('are refused for variants that do not exist', () => {
    const { originals } = originalsOf([{ base: 'a', text: 'A' }])
    expect(() => originals.restore(1, utf8('a'))).toThrow(CorruptionError)
  })
})
