// The small parts of the text index: sorted ids, splits, hashes of terms, novel terms, grouped
// occurrences, pairs that are read whole.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encoder } from '../../../format/bytes/index.ts'
import { buildFst, Fst, hashOf } from '../../../format/fst/index.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { Occurrences, TextReader } from '../../../format/postings/index.ts'
import { gather } from './local-occurrences.ts'
import { isReadWhole, partsOf, WHOLE_DOCUMENTS_MAX } from './pair-cache.ts'
import { forwardDistance, shareField } from './pairs.ts'
import { sortDistinct } from './range-bits.ts'
import { hashOfText, SmallTerms } from './small-terms.ts'
import { SplitParts } from './split-parts.ts'
import { scopeOf, whereOfBuckets, whereOfScope } from './where.ts'
import { clearMembers, withoutMembers } from './without-members.ts'
import { textWithin, wordsWith } from './word.ts'

const readerWith = (...words: string[]): TextReader =>
  ({ fst: new Fst(buildFst(words.map((word) => encoder.encode(word)))) }) as TextReader

it('ids are sorted, each once, in few and in many', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40), { maxLength: 60 }), (ids) => {
      expect([...sortDistinct(Uint32Array.from(ids))]).toEqual(
        [...new Set(ids)].sort((a, b) => a - b),
      )
    }),
  )
})

it('dead documents are removed from ids and from bits', () => {
  // Dense sets hold words, sparse ones ids.
  const dead = fc.oneof(
    fc.array(fc.nat(300)).map((ids) => IdSet.of(ids)),
    fc.tuple(fc.nat(200), fc.nat(200)).map(([from, count]) => IdSet.range(from, from + count)),
  )
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(255)), dead, (ids, gone) => {
      const given = Uint32Array.from(ids)
      expect([...withoutMembers(given, gone)]).toEqual(ids.filter((id) => !gone.has(id)))
      expect([...given]).toEqual(ids)
      const bits = new Uint32Array(8)
      for (const id of ids) bits[id >>> 5]! |= 1 << (id & 31)
      // Members beyond the bits are other documents.
      clearMembers(bits, gone.ids === null ? gone : gone.and(IdSet.range(0, 256)))
      expect([...IdSet.ofWords(bits).toArray()]).toEqual(
        ids.filter((id) => !gone.has(id)).sort((a, b) => a - b),
      )
    }),
  )
})

describe('splits', () => {
  const frequencies: Readonly<Record<string, number>> = { a: 5, bc: 3, ab: 2, c: 0 }
  it('have the rarer of both parts, and are the same objects when asked again', () => {
    const asked: string[] = []
    const splits = new SplitParts((text) => {
      asked.push(text)
      return frequencies[text] ?? 0
    })
    const parts = splits.of('abc')
    expect(parts).toEqual([
      expect.objectContaining({ at: 1, bothMax: 3, adjacentKey: null, sharedFieldKey: null }),
      expect.objectContaining({ at: 2, bothMax: 0 }),
    ])
    expect(parts.map(({ leftHash }) => leftHash)).toEqual([hashOfText('a'), hashOfText('ab')])
    expect(parts.map(({ rightHash }) => rightHash)).toEqual([hashOfText('bc'), hashOfText('c')])
    expect(splits.of('abc')).toBe(parts)
    expect(asked).toEqual(['a', 'bc', 'ab', 'c'])
  })

  it('are not inside of a character, and not kept for long words', () => {
    const splits = new SplitParts(() => 1)
    expect(splits.of('x𝒜y').map(({ at }) => at)).toEqual([1, 3])
    expect(splits.of('\ud835').length).toBe(0)
    const [kept, long] = ['x'.repeat(32), 'x'.repeat(33)]
    expect(splits.of(kept)).toBe(splits.of(kept))
    expect(splits.of(long)).not.toBe(splits.of(long))
  })

  it('of many words are dropped', () => {
    const splits = new SplitParts(() => 1)
    const first = splits.of('first')
    for (let i = 0; i < 2047; i++) splits.of(`w${i}`)
    expect(splits.of('first')).toBe(first)
    splits.of('one more')
    expect(splits.of('first')).not.toBe(first)
  })
})

describe('terms of a small segment', () => {
  it('have the hash of their bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const bytes = encoder.encode(text)
        expect(hashOfText(text)).toBe(hashOf(bytes, bytes.length))
      }),
    )
  })

  it('are found by it, others mostly not', () => {
    const words = Array.from({ length: 500 }, (_, i) => `w${i}`).sort()
    const terms = SmallTerms.of(readerWith(...words))
    expect(words.every((word) => terms.mayHave(hashOfText(word)))).toBe(true)
    const others = Array.from({ length: 500 }, (_, i) => `x${i}`)
    expect(others.filter((word) => terms.mayHave(hashOfText(word)))).toEqual([])
    expect(SmallTerms.of(readerWith()).mayHave(hashOfText('a'))).toBe(false)
  })

  it('are novel if no other dictionary has them', () => {
    const reader = readerWith('a', 'b', 'c')
    const terms = SmallTerms.of(reader)
    expect(SmallTerms.of(reader)).toBe(terms)
    const [ofA, ofC] = [readerWith('a', 'x').fst, readerWith('c').fst]
    const novel = (...others: Fst[]) =>
      terms.novelTo(others).map((bytes) => Buffer.from(bytes).toString())
    expect(novel(ofA, ofC)).toEqual(['b'])
    expect(terms.novelTo([ofA, ofC])).toBe(terms.novelTo([ofA, ofC]))
    expect(novel(ofA)).toEqual(['b', 'c'])
    expect(novel(ofC)).toEqual(['a', 'b'])
    expect(novel()).toEqual(['a', 'b', 'c'])
  })
})

describe('occurrences', () => {
  it('of several words are grouped by document, in order', () => {
    const places = fc.uniqueArray(fc.nat(500), { minLength: 1, maxLength: 90 })
    const term = fc.uniqueArray(fc.tuple(fc.nat(6), places), { selector: ([doc]) => doc })
    fc.assert(
      fc.property(fc.array(term, { maxLength: 4 }), (terms) => {
        const ids = Uint32Array.from({ length: 7 }, (_, i) => i * 10)
        const byDocument = new Map<number, number[]>()
        const docs: number[] = []
        const packed: number[] = []
        const starts = [0]
        for (const entries of terms) {
          for (const [doc, own] of [...entries].sort(([a], [b]) => a - b)) {
            const sorted = [...own].sort((a, b) => a - b)
            docs.push(doc * 10)
            packed.push(...sorted)
            starts.push(packed.length)
            byDocument.set(doc, [...(byDocument.get(doc) ?? []), ...sorted])
          }
        }
        const found = {
          count: docs.length,
          docs: Uint32Array.from(docs),
          packed: Uint32Array.from(packed),
          starts: Uint32Array.from(starts),
        } as unknown as Occurrences
        const grouped = gather(found, ids)
        ids.forEach((_, doc) => {
          const own = grouped.packed.subarray(grouped.starts[doc]!, grouped.starts[doc + 1]!)
          expect([...own]).toEqual((byDocument.get(doc) ?? []).sort((a, b) => a - b))
        })
      }),
    )
  })

  it.each([
    [[1], [2], 1, true],
    [[1], [3], 2, true],
    [[1], [4], 3, true],
    [[1], [5], 4, true],
    [[2], [1], 4, true],
    [[1], [1], 4, true],
    [[1, 7], [4, 8], 1, true],
    [[0xffff], [0x10000], 4, false],
    [[1], [0x10002], 4, false],
    [[0x10001, 0x20001], [0x20002], 1, true],
    [[0x20001], [0x10001, 0x20009], 4, true],
    [[], [1], 4, false],
  ])('at %j and %j are %i apart; in one field: %j', (a, b, distance, shared) => {
    // Of the second of two documents.
    const of = (packed: readonly number[]) => ({
      starts: Uint32Array.of(0, 1, 1 + packed.length),
      packed: Uint32Array.from([9, ...packed]),
    })
    expect(forwardDistance(of(a), of(b), 1)).toBe(distance)
    expect(shareField(of(a), of(b), 1)).toBe(shared)
  })
})

describe('a pair', () => {
  it('of many documents is read whole if half of them are wanted, or the second time', () => {
    const reader = {} as TextReader
    expect(isReadWhole(reader, 'few', 1, 255)).toBe(true)
    expect(isReadWhole(reader, 'half', 128, 256)).toBe(true)
    expect(isReadWhole(reader, 'less', 127, 256)).toBe(false)
    expect(isReadWhole(reader, 'less', 127, 256)).toBe(true)
    expect(isReadWhole(reader, 'other', 1, WHOLE_DOCUMENTS_MAX)).toBe(false)
    expect(isReadWhole({} as TextReader, 'less', 127, 256)).toBe(false)
  })

  it('of very many is read in the parts that are wanted, each once', () => {
    const reader = {} as TextReader
    const asked: number[][] = []
    const even = (ids: Uint32Array): readonly IdSet[] => {
      asked.push([...ids])
      return [
        IdSet.ofSorted(ids.filter((id) => id % 2 === 0)),
        IdSet.ofSorted(ids.filter((id) => id % 2 === 1)),
      ]
    }
    const of = (...wanted: number[]) =>
      partsOf(reader, 'pair', IdSet.of(wanted), even)
        .slice(0, 2)
        .map((set) => [...set.toArray()])
    expect(of(1, 2)).toEqual([[2], [1]])
    expect(of(2, 3, 4)).toEqual([
      [2, 4],
      [1, 3],
    ])
    expect(of(1, 4)).toEqual([
      [2, 4],
      [1, 3],
    ])
    expect(asked).toEqual([
      [1, 2],
      [3, 4],
    ])
  })
})

it('restrictions have different keys unless they are the same', () => {
  expect(scopeOf([10, 9])).toEqual({ key: '9,10', fields: [9, 10] })
  const keys = [
    whereOfScope({ key: 'x', fields: null }),
    whereOfScope(scopeOf([])),
    whereOfScope(scopeOf([1, 2])),
    whereOfScope(scopeOf([12])),
    whereOfBuckets([1, 2]),
    whereOfBuckets([]),
  ].map(({ key }) => key)
  expect(new Set(keys).size).toBe(keys.length)
  expect(whereOfScope({ key: 'other', fields: [1, 2] }).key).toBe(keys[2])
})

it('the name of all words with a text is no word', () => {
  expect(textWithin(wordsWith('ab'))).toBe('ab')
  expect([textWithin('ab'), textWithin('')]).toEqual([null, null])
})
