// The text layer against a naive model: random documents are written, read back by every method and
// merged.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ByteWriter, compareBytes } from '../bytes/index.ts'
import { Frame } from '../frame/index.ts'
import { IdSet } from '../idset/index.ts'
import {
  LengthsBuilder,
  mergeText,
  Occurrences,
  positionBucket,
  TextReader,
  TextWriter,
} from './index.ts'

const encoder = new TextEncoder()

/** Document id → term → occurrences as [field, position], ascending. */
type Model = Map<number, Map<string, [number, number][]>>

function build(model: Model, analysis = 2, infixFields: readonly number[] = []): Uint8Array {
  const ids = Uint32Array.from([...model.keys()].sort((a, b) => a - b))
  const out = new ByteWriter()
  const writer = new TextWriter(ids, (bytes) => out.bytes(bytes), analysis, infixFields)
  const lengths = new LengthsBuilder()
  const terms = new Map<string, { readonly docs: number[]; readonly packed: number[] }>()
  for (const id of ids) {
    const counts = new Map<number, number>()
    for (const [term, occurrences] of model.get(id)!) {
      const own = terms.get(term) ?? { docs: [], packed: [] }
      terms.set(term, own)
      for (const [field, position] of occurrences) {
        counts.set(field, (counts.get(field) ?? 0) + 1)
        own.docs.push(id)
        own.packed.push(field * 65536 + position)
      }
    }
    for (const [field, count] of counts) lengths.add(id, field, count)
  }
  const sorted = [...terms]
    .map(([term, own]) => ({ term: encoder.encode(term), ...own }))
    .sort((a, b) => compareBytes(a.term, b.term))
  for (const { term, docs, packed } of sorted) {
    writer.term(term, Uint32Array.from(docs), Uint32Array.from(packed), 0, docs.length)
  }
  writer.finish(lengths)
  return out.finish()
}

const open = (bytes: Uint8Array): TextReader => TextReader.open(Frame.open(bytes, 'TEXT'))

const occurrence = fc.tuple(fc.nat(3), fc.oneof(fc.nat(40), fc.nat(65535)))
const occurrences = fc
  .uniqueArray(occurrence, { minLength: 1, maxLength: 5, selector: ([f, p]) => f * 65536 + p })
  .map((list) => list.sort((a, b) => a[0] - b[0] || a[1] - b[1]))
const term = fc
  .array(fc.constantFrom('a', 'b', 'c', 'é', '日'), { minLength: 1, maxLength: 4 })
  .map((chars) => chars.join(''))
const models = (idMin: number, idMax: number): fc.Arbitrary<Model> =>
  fc
    .uniqueArray(
      fc.tuple(
        fc.integer({ min: idMin, max: idMax }),
        fc.uniqueArray(fc.tuple(term, occurrences), { maxLength: 6, selector: ([t]) => t }),
      ),
      { minLength: 1, maxLength: 25, selector: ([id]) => id },
    )
    .map((docs) => new Map(docs.map(([id, terms]) => [id, new Map(terms)])))

const termsOf = (model: Model): string[] => [
  ...new Set([...model.values()].flatMap((terms) => [...terms.keys()])),
]
const holders = (model: Model, has: (list: [number, number][]) => boolean, t: string): number[] =>
  [...model]
    .filter(([, terms]) => terms.has(t) && has(terms.get(t)!))
    .map(([id]) => id)
    .sort((a, b) => a - b)

function membersOf(words: Uint32Array): number[] {
  return [...IdSet.ofWords(words).toArray()]
}

function checkTerm(reader: TextReader, model: Model, t: string): void {
  const ordinal = reader.fst.ordinalOf(encoder.encode(t))
  expect(ordinal).toBeGreaterThanOrEqual(0)
  const all = holders(model, () => true, t)
  expect([...reader.documents(ordinal).toArray()]).toEqual(all)
  expect(reader.documentFrequency(ordinal)).toBe(all.length)
  const list = new Occurrences()
  list.clear()
  reader.allOccurrences(ordinal, list)
  const got = Array.from({ length: list.count }, (_, d) => [
    list.docs[d]!,
    [...list.packed.subarray(list.starts[d]!, list.starts[d + 1]!)],
  ])
  expect(got).toEqual(
    all.map((id) => [
      id,
      model
        .get(id)!
        .get(t)!
        .map(([f, p]) => f * 65536 + p),
    ]),
  )
  expect(reader.postingBytes(ordinal)).toBeGreaterThan(all.length)
  const inside = new Set<number>()
  reader.collectFields(ordinal, inside)
  const found = all.flatMap((id) =>
    model
      .get(id)!
      .get(t)!
      .map(([f]) => f),
  )
  expect(inside).toEqual(new Set(found))
  for (const fields of [[0], [1, 3], [7], [0, 1, 2, 3, 4]]) {
    expect(reader.occursOutside(ordinal, fields)).toBe(found.some((f) => !fields.includes(f)))
    const words = new Uint32Array((reader.idMax >>> 5) + 1)
    reader.orDocumentsInFields(ordinal, fields, words)
    expect(membersOf(words)).toEqual(holders(model, (l) => l.some(([f]) => fields.includes(f)), t))
  }
  for (const bucket of [0, 3, 24, 32, 65535]) {
    const words = new Uint32Array((reader.idMax >>> 5) + 1)
    reader.orDocumentsInBucket(ordinal, bucket, words)
    const has = (l: [number, number][]) => l.some(([, p]) => positionBucket(p) === bucket)
    expect(membersOf(words)).toEqual(holders(model, has, t))
  }
}

test('written terms are read back one by one', () => {
  fc.assert(
    fc.property(models(0, 4000), (model) => {
      if (termsOf(model).length === 0) return
      const reader = open(build(model))
      expect([...reader.ids().toArray()]).toEqual([...model.keys()].sort((a, b) => a - b))
      for (const t of termsOf(model)) checkTerm(reader, model, t)
    }),
    { numRuns: 60 },
  )
})

/** Documents with long lists: `common` occurs in all of them, and many words share a prefix. */
function largeModel(count: number, step: number): Model {
  const model: Model = new Map()
  for (let i = 0; i < count; i++) {
    const terms = new Map<string, [number, number][]>()
    const list: [number, number][] = [[i % 3, i % 50]]
    if (i % 4 === 0) list.push([i % 3, (i % 50) + 7], [(i % 3) + 2, i % 70])
    terms.set('common', list)
    terms.set(`pre${i % 300}`, [[1, 3]])
    if (i % 2 === 0) terms.set('half', [[0, i % 2000]])
    model.set(17 + i * step, terms)
  }
  return model
}

/** Each document has a term at 700 positions far from each other. */
function longModel(count: number): Model {
  const places = Array.from({ length: 700 }, (_, i): [number, number] => [0, i * 90])
  const model: Model = new Map()
  for (let d = 0; d < count; d++) model.set(d * 50, new Map([['common', places]]))
  return model
}

describe('long lists', () => {
  for (const [count, step] of [
    [129, 1],
    [1500, 1],
    [5000, 3],
    [9000, 1],
  ] as const) {
    test(`${count} documents, every ${step}th id`, () => {
      const model = largeModel(count, step)
      const reader = open(build(model))
      for (const t of ['common', 'half', 'pre7']) checkTerm(reader, model, t)
    })
  }

  test.each([
    ['5,000 documents', () => largeModel(5000, 3)],
    ['documents of which 128 take more than 64 KiB', () => longModel(300)],
  ])('occurrences of some candidates alone: %s', (_, make) => {
    const model = make()
    const reader = open(build(model))
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(16_000), { maxLength: 200 }), (ids) => {
        const candidates = Uint32Array.from(ids).sort()
        for (const t of ['common', 'half', 'pre7']) {
          const list = new Occurrences()
          list.clear()
          const ordinal = reader.fst.ordinalOf(encoder.encode(t))
          if (ordinal < 0) continue
          reader.occurrencesFor(ordinal, candidates, candidates.length, list)
          const expected = [...candidates].filter((id) => model.get(id)?.has(t))
          expect([...list.docs.subarray(0, list.count)]).toEqual(expected)
          const packed = expected.map((_, d) => [
            ...list.packed.subarray(list.starts[d]!, list.starts[d + 1]!),
          ])
          const placesOf = (id: number) =>
            model
              .get(id)!
              .get(t)!
              .map(([f, p]) => f * 65536 + p)
          expect(packed).toEqual(expected.map(placesOf))
        }
      }),
      { numRuns: 60 },
    )
  })

  test('a stored prefix is the union of its terms', () => {
    const model = largeModel(5000, 1)
    const reader = open(build(model))
    for (const prefix of ['p', 'pr', 'pre', 'pre1']) {
      const index = reader.storedPrefix(encoder.encode(prefix))
      expect(index, prefix).toBeGreaterThanOrEqual(0)
      const words = new Uint32Array((reader.idMax >>> 5) + 1)
      reader.orPrefixDocuments(index, words)
      const expected = [...model]
        .filter(([, terms]) => [...terms.keys()].some((t) => t.startsWith(prefix)))
        .map(([id]) => id)
      expect(membersOf(words)).toEqual(expected)
    }
    expect(reader.storedPrefix(encoder.encode('pre12'))).toBe(-1)
    expect(reader.storedPrefix(encoder.encode('c'))).toBe(-1)
    const words = new Uint32Array((reader.idMax >>> 5) + 1)
    reader.orPrefixDocumentsInBucket(reader.storedPrefix(encoder.encode('p')), 3, words)
    expect(membersOf(words)).toHaveLength(5000)
    reader.orPrefixDocumentsInBucket(reader.storedPrefix(encoder.encode('p')), 4, words)
    expect(membersOf(words)).toHaveLength(5000)
  })

  test.each([
    [1023, false, false],
    [1024, true, false],
    [4095, true, false],
    [4096, true, true],
  ])('a stored prefix of %i documents: early sets %s, late sets %s', (count, early, late) => {
    const model: Model = new Map()
    for (let id = 0; id < count; id++)
      model.set(id, new Map([[`x${id % 100}`, [[1 + (id % 2), 3]]]]))
    const reader = open(build(model))
    const index = reader.storedPrefix(encoder.encode('x'))
    expect([reader.prefixCount, reader.termCount, reader.occurrenceCount]).toEqual([1, 100, count])
    expect(reader.prefixFields(index)).toEqual([1, 2])
    const has = [[], [0], [15, 3], [24], [3, 24]].map((buckets) =>
      reader.prefixHasBucketSets(index, buckets),
    )
    expect(has).toEqual([true, early, early, late, late])
    for (const [fields, found] of [
      [[0, 3], []],
      [[1], [...model.keys()].filter((id) => id % 2 === 0)],
      [[0, 1, 2], [...model.keys()]],
    ] as const) {
      const words = new Uint32Array((reader.idMax >>> 5) + 1)
      reader.orPrefixDocumentsInFields(index, fields, words)
      expect(membersOf(words)).toEqual(found)
    }
  })

  test('occurrences of a range of terms', () => {
    const model = largeModel(2000, 1)
    const reader = open(build(model))
    const { from, to } = reader.fst.range(encoder.encode('pre'))
    const candidates = Uint32Array.from([17, 20, 900, 1500])
    const bits = new Uint32Array((reader.idMax >>> 5) + 1)
    for (const id of candidates) bits[id >>> 5]! |= 1 << (id & 31)
    const list = new Occurrences()
    list.clear()
    reader.occurrencesOfRange(from, to, candidates, bits, list)
    expect([...list.docs.subarray(0, list.count)].sort((a, b) => a - b)).toEqual([...candidates])
    const each = Uint32Array.from({ length: to - from }, (_, i) => from + i)
    const same = new Occurrences()
    same.clear()
    reader.occurrencesOfList(each, candidates, bits, same)
    expect([...same.docs.subarray(0, same.count)]).toEqual([...list.docs.subarray(0, list.count)])
    // Long lists, each document in order.
    const long = Uint32Array.from(
      ['common', 'half'].map((t) => reader.fst.ordinalOf(encoder.encode(t))),
    )
    const both = new Occurrences()
    both.clear()
    reader.occurrencesOfList(long, candidates, bits, both)
    const even = [...candidates].filter((id) => model.get(id)!.has('half'))
    expect([...both.docs.subarray(0, both.count)]).toEqual([...candidates, ...even])
  })
})

test('field lengths', () => {
  const model = largeModel(700, 5)
  const reader = open(build(model))
  const ids = Uint32Array.from([16, 17, 22, 37, 9999])
  const out = new Uint16Array(ids.length)
  for (const field of [0, 1, 2, 9]) {
    reader.lengths.lengthsOf(field, ids, ids.length, out)
    const expected = [...ids].map(
      (id) => [...(model.get(id)?.values() ?? [])].flat().filter(([f]) => f === field).length,
    )
    expect([...out]).toEqual(expected)
    for (const words of [1, 3, 300]) {
      const all = [...model].filter(
        ([, terms]) => [...terms.values()].flat().filter(([f]) => f === field).length === words,
      )
      const found = [...reader.lengths.docsOfLength(field, words).toArray()]
      expect(found).toEqual(all.map(([id]) => id).sort((a, b) => a - b))
    }
  }
})

test.each([[[255, 1]], [[256, 1]], [[255, 65_535, 256]]])(
  'field lengths %j, by documents and together',
  (counts) => {
    const ids = Uint32Array.from(counts, (_, i) => i * 3)
    const lengths = new LengthsBuilder()
    for (const [i, count] of counts.entries()) lengths.add(ids[i]!, 4, count)
    const out = new ByteWriter()
    new TextWriter(ids, (bytes) => out.bytes(bytes), 2, []).finish(lengths)
    const { lengths: found } = open(out.finish())
    expect([...found.all(4).lengths]).toEqual(counts)
    expect(found.wordsOf(4)).toBe(counts.reduce((sum, count) => sum + count, 0))
    for (const [i, count] of counts.entries()) {
      expect([...found.docsOfLength(4, count).toArray()]).toEqual([ids[i]])
    }
  },
)

test('merging live documents gives the same bytes as building from them', () => {
  fc.assert(
    fc.property(
      models(0, 900),
      models(300, 1200),
      fc.array(fc.nat(1200), { maxLength: 300 }),
      fc.constantFrom([], [1], [0, 2], [1, 3]),
      (a, b, killed, infixFields) => {
        const deadA = IdSet.of([...killed, ...b.keys()].filter((id) => a.has(id)))
        const deadB = IdSet.of(killed.filter((id) => id % 2 === 0 && b.has(id)))
        const live: Model = new Map()
        for (const [id, terms] of a) if (!deadA.has(id)) live.set(id, terms)
        for (const [id, terms] of b) if (!deadB.has(id)) live.set(id, terms)
        const out = new ByteWriter()
        const merged = mergeText(
          [
            { reader: open(build(a, 2, infixFields)), dead: deadA },
            { reader: open(build(b, 2, infixFields)), dead: deadB },
          ],
          (bytes) => out.bytes(bytes),
        )
        if (live.size === 0) expect(merged).toBeNull()
        else {
          expect(merged!.bytes).toBe(out.length)
          expect(out.finish()).toEqual(build(live, 2, infixFields))
        }
      },
    ),
    { numRuns: 80 },
  )
})

test('merging reports every 4,096 terms; without live documents it writes nothing', () => {
  const terms = (count: number): Model =>
    new Map([[7, new Map(Array.from({ length: count }, (_, i) => [`t${i}`, [[0, i % 9]]]))]])
  const progressOf = (count: number, dead = IdSet.empty) => {
    const seen: number[] = []
    const input = { reader: open(build(terms(count))), dead }
    const merged = mergeText(
      [input],
      () => undefined,
      (done) => seen.push(done),
    )
    return { merged, seen }
  }
  expect(progressOf(4094).seen).toEqual([])
  expect(progressOf(8192).seen).toEqual([4096, 8192])
  expect(progressOf(5, IdSet.of([7]))).toEqual({ merged: null, seen: [] })
})

test('occurrences give back memory beyond the requested limit', () => {
  const filled = (): Occurrences => {
    const list = new Occurrences()
    list.clear()
    const reader = open(build(largeModel(2000, 1)))
    reader.allOccurrences(reader.fst.ordinalOf(encoder.encode('common')), list)
    return list
  }
  const { docs, packed } = filled()
  const lengths = (most?: number) => {
    const list = filled()
    list.clear(most)
    expect([list.count, list.starts[0]]).toEqual([0, 0])
    return [list.docs.length, list.starts.length, list.packed.length]
  }
  const whole = [docs.length, docs.length + 1, packed.length]
  expect(packed.length).toBeGreaterThan(docs.length)
  expect(lengths()).toEqual(whole)
  expect(lengths(packed.length)).toEqual(whole)
  expect(lengths(packed.length - 1)).toEqual([docs.length, docs.length + 1, 256])
  expect(lengths(docs.length)).toEqual([docs.length, docs.length + 1, 256])
  expect(lengths(docs.length - 1)).toEqual([64, 65, 256])
})

test('merging long lists', () => {
  const a = largeModel(3000, 2)
  const b: Model = new Map([...largeModel(2500, 2)].map(([id, terms]) => [id + 1, terms]))
  const out = new ByteWriter()
  mergeText(
    [
      { reader: open(build(a)), dead: IdSet.empty },
      { reader: open(build(b)), dead: IdSet.empty },
    ],
    (bytes) => out.bytes(bytes),
  )
  expect(out.finish()).toEqual(build(new Map([...a, ...b])))
})

test('a merged segment has the oldest analysis of its inputs', () => {
  const one = (id: number): Model => new Map([[id, new Map([['a', [[0, 0]]]])]])
  const inputs = [3, 1, 2].map((analysis, id) => {
    return { reader: open(build(one(id), analysis)), dead: IdSet.empty }
  })
  const out = new ByteWriter()
  mergeText(inputs, (bytes) => out.bytes(bytes))
  expect(open(out.finish()).analysis).toBe(1)
})

test('every bit flip and truncation of a small segment is refused, or changes nothing that is read', () => {
  const model: Model = new Map([
    [
      3,
      new Map([
        ['fox', [[0, 1]] as [number, number][]],
        ['red', [[0, 0]] as [number, number][]],
      ]),
    ],
    [8, new Map([['fox', [[1, 0]] as [number, number][]]])],
  ])
  const bytes = build(model)
  const readAll = (input: Uint8Array): void => {
    const frame = Frame.open(input, 'TEXT')
    frame.verifyAll()
    const reader = TextReader.open(frame)
    for (const t of termsOf(model)) checkTerm(reader, model, t)
  }
  readAll(bytes)
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const broken = bytes.slice()
    broken[bit >>> 3]! ^= 1 << (bit & 7)
    expect(() => readAll(broken), `bit ${bit}`).toThrow(/bad_|version/)
  }
  for (let length = 0; length < bytes.length; length++) {
    expect(() => readAll(bytes.slice(0, length)), `length ${length}`).toThrow(/bad_|version/)
  }
})
