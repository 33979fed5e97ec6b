// Reading long lists in any order, lengths, buckets and stored prefixes, against plain arrays.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../bytes/index.ts'
import { InvariantError } from '../errors.ts'
import { Frame } from '../frame/index.ts'
import { encodeFrame } from '../frame/writer-v1.ts'
import { IdSet } from '../idset/index.ts'
import { LengthsBuilder, LengthsReader } from './lengths-v1.ts'
import {
  BUCKET_INDEX,
  BUCKETS,
  hasBucketSets,
  POSITION_MAX,
  positionBucket,
  STORED_PREFIX_TERMS_MIN,
} from './limits.ts'
import { bucketsKept } from './occurrence-sets.ts'
import { Occurrences } from './occurrences.ts'
import { PostingReader } from './posting-decode-v1.ts'
import { PostingEncoder } from './posting-encode-v1.ts'
import { PrefixCollector, prefixKey } from './prefixes.ts'

type Posting = ReadonlyMap<number, readonly number[]>

/** Deterministic occurrences in up to three fields: document → packed values, ascending. */
function postingOf(documents: number, step: number, fields = [0, 2, 4]): Posting {
  const posting = new Map<number, number[]>()
  for (let d = 0; d < documents; d++) {
    const packed = fields
      .slice(0, 1 + (d % 3))
      .map((field, i) => field * 65_536 + ((d * 7 + i) % 200))
    posting.set(10 + d * step, packed)
  }
  return posting
}

function readerOf(posting: Posting): PostingReader {
  const docs = [...posting].flatMap(([id, packed]) => packed.map(() => id))
  const packed = [...posting.values()].flat()
  const encoder = new PostingEncoder(10)
  encoder.encode(Uint32Array.from(docs), Uint32Array.from(packed), 0, docs.length)
  return new PostingReader(encoder.flush().slice(), 10, posting.size)
}

function read(reader: PostingReader, candidates: Uint32Array): readonly (readonly number[])[] {
  const out = new Occurrences()
  out.clear()
  reader.readFor(0, candidates, candidates.length, out)
  return listOf(out)
}

/** Each document with its occurrences. */
const listOf = (out: Occurrences): readonly (readonly number[])[] =>
  Array.from({ length: out.count }, (_, d) => [
    out.docs[d]!,
    ...out.packed.subarray(out.starts[d], out.starts[d + 1]),
  ])

const sortedIds = (ids: Iterable<number>): Uint32Array => Uint32Array.from(new Set(ids)).sort()

describe.each([
  [40, 3, [0, 2, 4]],
  [40, 200, [200, 500, 501]],
  [700, 1, [0, 2, 4]],
  [700, 90, [0, 2, 4]],
  [1100, 2, [200, 500, 501]],
])('a posting of %d documents, every %dth id, in the fields %j', (documents, step, fields) => {
  const posting = postingOf(documents, step, fields)
  const ids = [...posting.keys()]
  const fewIds = fc.array(fc.oneof(fc.constantFrom(...ids), fc.nat(documents * step + 20)), {
    maxLength: 60,
  })
  /** Each document of some distance, and as many ids beside them. */
  const manyIds = fc
    .tuple(fc.integer({ min: 1, max: 20 }), fc.nat(600))
    .map(([each, from]) => ids.filter((id, i) => i % each === 0 && id >= from))
    .map((some) => some.flatMap((id) => [id, id + 1]))
  const anyIds = fc.oneof(fewIds, manyIds)
  const expectedOf = (candidates: Uint32Array) =>
    [...candidates].filter((id) => posting.has(id)).map((id) => [id, ...posting.get(id)!])

  it('gives the same occurrences for any sequence of reads', () => {
    fc.assert(
      fc.property(fc.array(anyIds, { minLength: 1, maxLength: 6 }), (reads) => {
        const reader = readerOf(posting)
        for (const wanted of reads) {
          const candidates = sortedIds(wanted)
          expect(read(reader, candidates)).toEqual(expectedOf(candidates))
        }
      }),
      { numRuns: 30 },
    )
  })

  it('gives the same occurrences by bits as by candidates', () => {
    fc.assert(
      fc.property(anyIds, (wanted) => {
        const candidates = sortedIds(wanted)
        const bits = new Uint32Array(((documents * step + 30) >>> 5) + 1)
        for (const id of candidates) bits[id >>> 5]! |= 1 << (id & 31)
        const reader = readerOf(posting)
        const out = new Occurrences()
        out.clear()
        if (reader.heads.isLarge(0)) reader.readLargeAmong(0, bits, candidates, out)
        else reader.readSmallAmong(0, bits, out)
        expect(listOf(out)).toEqual(expectedOf(candidates))
      }),
      { numRuns: 30 },
    )
  })

  it('has all documents as ids, bits and a set', () => {
    const reader = readerOf(posting)
    expect(reader.heads.documentCount(0)).toBe(documents)
    expect([...reader.documents(0).toArray()]).toEqual(ids)
    const words = new Uint32Array(((documents * step + 30) >>> 5) + 1)
    reader.orDocuments(0, words)
    expect(IdSet.ofWords(words).equals(IdSet.of(ids))).toBe(true)
  })
})

it('a long posting has sets of the fields in which it occurs, and of no field between', () => {
  const { heads } = readerOf(postingOf(5000, 1))
  expect(heads.isLarge(0)).toBe(true)
  const found = [0, 1, 2, 3, 4, 5].filter((field) => heads.fieldSetAt(0, field) >= 0)
  expect(found).toEqual([0, 2, 4])
})

describe('position buckets', () => {
  it('contain their own name and partition the positions', () => {
    for (let position = 0; position <= POSITION_MAX; position++) {
      const name = positionBucket(position)
      if (BUCKETS[BUCKET_INDEX[position]!] !== name) expect.fail(`position ${position}`)
      if (name < position && name !== POSITION_MAX) expect.fail(`position ${position} in ${name}`)
    }
    expect(BUCKETS.map(positionBucket)).toEqual(BUCKETS.map((name) => positionBucket(name)))
  })

  it('have sets in lists of the size that readers expect', () => {
    for (const documents of [1, 1023, 1024, 4095, 4096, 10_000]) {
      const kept = BUCKETS.slice(0, bucketsKept(documents))
      const expected = BUCKETS.filter((bucket) => hasBucketSets(documents, bucket))
      expect(kept, `${documents} documents`).toEqual(expected)
    }
  })
})

function lengthsOf(model: ReadonlyMap<number, ReadonlyMap<number, number>>): LengthsReader {
  const builder = new LengthsBuilder()
  for (const [field, lengths] of model) {
    for (const [doc, words] of lengths) builder.add(doc, field, words)
  }
  const bytes = encodeFrame('TEXT', (writer) => writer.section('LENG', 1, builder.encode()))
  return new LengthsReader(Frame.open(bytes, 'TEXT').section('LENG'))
}

describe('field lengths', () => {
  const anyLengths = fc
    .array(fc.tuple(fc.nat(70_000), fc.oneof(fc.nat(9), fc.nat(300), fc.nat(90_000))), {
      minLength: 1,
      maxLength: 60,
    })
    .map((list) => new Map(list.sort(([a], [b]) => a - b)))

  it('are found by document and by length', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(65_534), { maxLength: 3 }), anyLengths, (fields, docs) => {
        const reader = lengthsOf(new Map(fields.map((field) => [field, docs])))
        expect(reader.fields).toEqual([...fields].sort((a, b) => a - b))
        for (const field of [...fields, 7]) {
          const expected = fields.includes(field) ? docs : new Map<number, number>()
          const ids = sortedIds([...docs.keys(), 3, 69_999])
          const out = new Uint16Array(ids.length)
          reader.lengthsOf(field, ids, ids.length, out)
          const lengths = [...ids].map((id) => Math.min(65_535, expected.get(id) ?? 0))
          expect([...out]).toEqual(lengths)
          expect(reader.wordsOf(field)).toBe(lengths.reduce((sum, length) => sum + length, 0))
          for (const words of new Set([1, 5, ...[...docs.values()].slice(0, 3)])) {
            if (words === 0 || words > 65_534) continue
            const found = [...expected].filter(([, length]) => length === words)
            expect([...reader.docsOfLength(field, words).toArray()]).toEqual(
              found.map(([id]) => id),
            )
          }
        }
      }),
      { numRuns: 40 },
    )
  })

  it('assert the order of documents and the range of fields', () => {
    const builder = new LengthsBuilder()
    builder.add(5, 1, 2)
    expect(() => builder.add(5, 1, 2)).toThrow(InvariantError)
    expect(() => builder.add(6, 65_536, 2)).toThrow(InvariantError)
  })
})

describe('stored prefixes', () => {
  it('are those with enough terms that end between characters, with the union of documents', () => {
    const collector = new PrefixCollector(0, 999)
    const holders = new Map<string, Set<number>>()
    const counts = new Map<string, number>()
    const letters = ['ab', 'aé', 'b']
    for (const first of letters) {
      const terms = first === 'b' ? STORED_PREFIX_TERMS_MIN - 1 : STORED_PREFIX_TERMS_MIN
      for (let t = 0; t < terms; t++) {
        const term = `${first}${String(t).padStart(3, '0')}`
        const bytes = new TextEncoder().encode(term)
        const docs = Uint32Array.of(t, t + 500)
        collector.add(bytes, docs, Uint32Array.of(65_536, 65_537), 0, 2)
        for (let length = 1; length <= 4; length++) {
          const prefix = Buffer.from(bytes.subarray(0, length))
          if (prefix.toString().includes('\ufffd')) continue
          const name = prefix.toString()
          counts.set(name, (counts.get(name) ?? 0) + 1)
          const set = holders.get(name) ?? new Set()
          for (const doc of docs) set.add(doc)
          holders.set(name, set)
        }
      }
    }
    const expected = [...counts].filter(([, terms]) => terms >= STORED_PREFIX_TERMS_MIN)
    const keyOf = (name: string): number => prefixKey(new TextEncoder().encode(name))
    const stored = [...collector.finish().sorted()]
    expect(stored.map(({ key }) => key)).toEqual(
      expected.map(([name]) => keyOf(name)).sort((a, b) => a - b),
    )
    for (const [name] of expected) {
      const { posting } = stored.find(({ key }) => key === keyOf(name))!
      const reader = new PostingReader(posting, 0, 1000)
      expect(posting.length % 4).toBe(0)
      expect([...reader.documents(0).toArray()]).toEqual([...sortedIds(holders.get(name)!)])
      expect(reader.heads.largeFields(0)).toEqual([1])
    }
  })

  it('have keys in the order of their bytes', () => {
    const prefix = fc.uint8Array({ min: 1, minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(prefix, prefix, (a, b) => {
        expect(Math.sign(prefixKey(a) - prefixKey(b))).toBe(Buffer.compare(a, b))
      }),
    )
    expect(() => prefixKey(new Uint8Array(5))).toThrow(InvariantError)
  })
})

describe('an encoder', () => {
  it('aligns long postings to multiples of 4 across flushes', () => {
    const encoder = new PostingEncoder(10)
    const out = new ByteWriter()
    const starts: number[] = []
    for (const documents of [3, 200, 1, 300]) {
      const posting = postingOf(documents, 2)
      const docs = Uint32Array.from([...posting].flatMap(([id, packed]) => packed.map(() => id)))
      const packed = Uint32Array.from([...posting.values()].flat())
      starts.push(encoder.at)
      encoder.encode(docs, packed, 0, docs.length)
      out.bytes(encoder.flush())
    }
    const reader = new PostingReader(out.finish(), 10, 300)
    const counts = starts.map((at) => reader.documents(at).size)
    expect(counts).toEqual([3, 200, 1, 300])
    expect(() => encoder.encode(new Uint32Array(0), new Uint32Array(0), 0, 0)).toThrow(
      InvariantError,
    )
  })
})
