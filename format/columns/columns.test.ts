// A segment returns the content of its documents: every query against plain arrays.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  anyDocs,
  anyValue,
  builderOf,
  compareUtf8,
  distinctNumbers,
  docOf,
  encodeDocs,
  FIELD_IDS,
  isBlank,
  type ModelDoc,
  normaliseText,
  numbersOf,
  openColumns,
  readerOf,
  stringsOf,
  textOf,
  utf8,
} from '../../fixtures/format/columns/model.ts'
import { type ExactNumber, isBelow, isExactNumber } from '../bytes/index.ts'
import { IdUnion } from '../idset/index.ts'
import { type FieldReader, NO_KEY } from './index.ts'

const idsOf = (docs: readonly ModelDoc[], test: (doc: ModelDoc) => boolean): number[] =>
  docs.filter(test).map((doc) => doc.id)

const union = (add: (union: IdUnion) => void): number[] => {
  const all = new IdUnion(64)
  add(all)
  return [...all.take().toArray()]
}

/** All distinct normalised strings of a field, in order. */
const stringsIn = (docs: readonly ModelDoc[], fieldId: number): string[] =>
  [...new Set(docs.flatMap((doc) => [...stringsOf(doc.fields.get(fieldId)).keys()]))].sort(
    compareUtf8,
  )

const numbersIn = (docs: readonly ModelDoc[], fieldId: number): ExactNumber[] =>
  distinctNumbers(docs.flatMap((doc) => numbersOf(doc.fields.get(fieldId))))

const hasNothing = (docs: readonly ModelDoc[], fieldId: number): boolean =>
  docs.every((doc) => {
    const field = doc.fields.get(fieldId)
    if (field === undefined) return true
    if (field.exists || field.isNull || field.isEmpty || isBlank(field)) return false
    return numbersOf(field).length === 0 && stringsOf(field).size === 0
  })

function expectSets(field: FieldReader, docs: readonly ModelDoc[], id: number): void {
  const sets = {
    exists: idsOf(docs, (doc) => doc.fields.get(id)?.exists === true),
    nulls: idsOf(docs, (doc) => doc.fields.get(id)?.isNull === true),
    empties: idsOf(docs, (doc) => doc.fields.get(id)?.isEmpty === true),
    blanks: idsOf(docs, (doc) => isBlank(doc.fields.get(id))),
    numberHolders: idsOf(docs, (doc) => numbersOf(doc.fields.get(id)).length > 0),
    stringHolders: idsOf(docs, (doc) => stringsOf(doc.fields.get(id)).size > 0),
  }
  for (const [name, ids] of Object.entries(sets)) {
    expect([...field[name as keyof typeof sets]().toArray()], name).toEqual(ids)
  }
}

function expectNumbers(field: FieldReader, docs: readonly ModelDoc[], id: number): void {
  const values = numbersIn(docs, id)
  expect(field.numberCount).toBe(values.length)
  for (const [ordinal, value] of values.entries()) {
    const holders = idsOf(docs, (doc) =>
      numbersOf(doc.fields.get(id)).some((v) => Object.is(v, value)),
    )
    expect(field.numberAt(ordinal)).toBe(value)
    expect([...field.numberPosting(ordinal).toArray()]).toEqual(holders)
    expect(field.numberLowerBound(value)).toBe(ordinal)
    expect(field.numberUpperBound(value)).toBe(ordinal + 1)
    expect(field.findNumber(value)).toBe(ordinal)
  }
  for (const doc of docs) {
    const own = [...field.numbersOf(doc.id)].map((ordinal) => field.numberAt(ordinal))
    expect(own).toEqual(numbersOf(doc.fields.get(id)))
  }
}

function expectStrings(field: FieldReader, docs: readonly ModelDoc[], id: number): void {
  const values = stringsIn(docs, id)
  expect(field.stringCount).toBe(values.length)
  const walk = field.walkStrings()
  for (const [ordinal, value] of values.entries()) {
    const holders = idsOf(docs, (doc) => stringsOf(doc.fields.get(id)).has(value))
    expect(textOf(field.stringAt(ordinal))).toBe(value)
    expect(walk!.next()).toBe(true)
    expect(textOf(walk!.bytes.subarray(0, walk!.length))).toBe(value)
    expect([...field.stringPosting(ordinal).toArray()]).toEqual(holders)
    expect(field.findString(utf8(value))).toBe(ordinal)
    const originals = new Set(holders.map((h) => docs.find((d) => d.id === h)!.fields.get(id)))
    const texts = new Set([...originals].map((f) => stringsOf(f).get(value)))
    expect(field.strings!.isSingle(ordinal)).toBe(texts.size === 1)
  }
  expect(walk?.next() ?? false).toBe(false)
  for (const doc of docs) {
    const own = [...field.variantsOf(doc.id)].map((variant) => [
      values[field.normalisedOf(variant)],
      textOf(field.originalOf(variant)),
    ])
    expect(own).toEqual([...stringsOf(doc.fields.get(id))])
    for (const [ordinal, value] of values.entries()) {
      const variant = field.variantIn(doc.id, ordinal)
      const original = stringsOf(doc.fields.get(id)).get(value)
      expect(variant < 0 ? undefined : textOf(field.originalOf(variant))).toBe(original)
    }
  }
}

describe('a segment of columns', () => {
  it('returns the content of documents, field by field', () => {
    fc.assert(
      fc.property(anyDocs(), (docs) => {
        const reader = readerOf(docs)
        expect([...reader.docs().toArray()]).toEqual(docs.map((doc) => doc.id))
        for (const id of FIELD_IDS) {
          const field = reader.field(id)
          expect(field === null).toBe(hasNothing(docs, id))
          if (field === null) continue
          expectSets(field, docs, id)
          expectNumbers(field, docs, id)
          expectStrings(field, docs, id)
        }
        expect([...reader.fieldIds]).toEqual(FIELD_IDS.filter((id) => !hasNothing(docs, id)))
        expect(reader.field(1)).toBeNull()
      }),
      { numRuns: 100 },
    )
  })

  it('answers any range of values', () => {
    fc.assert(
      fc.property(anyDocs(), anyValue, anyValue, (docs, a, b) => {
        const reader = readerOf(docs)
        for (const id of FIELD_IDS) {
          const field = reader.field(id)
          if (field === null) continue
          if (isExactNumber(a) && isExactNumber(b)) {
            if (Number.isNaN(Number(a)) || Number.isNaN(Number(b))) continue
            const got = union((all) =>
              field.addNumbers(field.numberLowerBound(a), field.numberUpperBound(b), all),
            )
            const between = (v: ExactNumber) => !isBelow(v, a) && !isBelow(b, v)
            expect(got).toEqual(idsOf(docs, (doc) => numbersOf(doc.fields.get(id)).some(between)))
          } else {
            const [from, to] = [normaliseText(String(a)), normaliseText(String(b))]
            const keys = (doc: ModelDoc) => [...stringsOf(doc.fields.get(id)).keys()]
            const got = union((all) =>
              field.addStrings(
                field.stringLowerBound(utf8(from)),
                field.stringUpperBound(utf8(to)),
                all,
              ),
            )
            const between = (v: string) => compareUtf8(v, from) >= 0 && compareUtf8(v, to) <= 0
            expect(got).toEqual(idsOf(docs, (doc) => keys(doc).some(between)))
            const prefixed = union((all) =>
              field.addStrings(
                field.stringLowerBound(utf8(from)),
                field.stringPrefixEnd(utf8(from)),
                all,
              ),
            )
            expect(prefixed).toEqual(
              idsOf(docs, (doc) => keys(doc).some((key) => key.startsWith(from))),
            )
          }
        }
      }),
      { numRuns: 150 },
    )
  })

  it('gives sort keys in order of the values, in both directions', () => {
    fc.assert(
      fc.property(anyDocs(), fc.boolean(), (docs, descending) => {
        const reader = readerOf(docs)
        const ids = Uint32Array.from([...docs.map((doc) => doc.id), 1_000_000])
        for (const id of FIELD_IDS) {
          const field = reader.field(id)
          if (field === null) continue
          const keys = new Uint32Array(ids.length)
          field.sortKeys(ids, 0, ids.length, descending, keys)
          const values = [...keys].map((key) => {
            const value = field.keyValue(key, descending)
            return value instanceof Uint8Array ? textOf(value) : value
          })
          const expected = docs.map((doc) => {
            const numbers = numbersOf(doc.fields.get(id))
            const strings = [...stringsOf(doc.fields.get(id)).keys()]
            return (numbers.length > 0 ? numbers : strings).at(descending ? -1 : 0) ?? null
          })
          expect(values).toEqual([...expected, null])
          const sorted = [...keys].sort((a, b) => a - b).filter((key) => key !== NO_KEY)
          const inOrder = sorted.map((key) => field.keyValue(key, descending))
          for (let i = 1; i < inOrder.length; i++) {
            const [x, y] = descending
              ? [inOrder[i]!, inOrder[i - 1]!]
              : [inOrder[i - 1]!, inOrder[i]!]
            if (isExactNumber(x) && isExactNumber(y)) {
              expect(isBelow(y, x)).toBe(false)
            } else if (!isExactNumber(inOrder[i - 1])) {
              expect(Buffer.compare(x as Uint8Array, y as Uint8Array)).toBeLessThanOrEqual(0)
            }
          }
        }
      }),
      { numRuns: 150 },
    )
  })

  it('keeps the places of documents', () => {
    fc.assert(
      fc.property(anyDocs(150), (docs) => {
        const geo = readerOf(docs).geo()
        const placed = docs.filter((doc) => doc.geo !== null)
        expect(geo === null).toBe(placed.length === 0)
        if (geo === null) return
        expect([...geo.holders().set.toArray()]).toEqual(placed.map((doc) => doc.id))
        for (const doc of placed) {
          const rank = geo.holders().rankOf(doc.id)
          expect([geo.latitude(rank), geo.longitude(rank)]).toEqual(doc.geo)
          expect(geo.holders().idAt(rank)).toBe(doc.id)
        }
        const ranks = Array.from({ length: geo.blockCount > 0 ? geo.count : 0 }, (_, slot) =>
          geo.rankAt(slot),
        )
        if (ranks.length > 0) expect(new Set(ranks).size).toBe(geo.count)
      }),
      { numRuns: 40 },
    )
  })

  it('returns shapes and their boxes', () => {
    fc.assert(
      fc.property(anyDocs(12), (docs) => {
        const shapes = readerOf(docs).shapes()
        const shaped = docs.filter((doc) => doc.shape !== undefined)
        expect(shapes === null).toBe(shaped.length === 0)
        if (shapes === null) return
        expect([...shapes.holders().set.toArray()]).toEqual(shaped.map((doc) => doc.id))
        const boxes = shapes.boxes()
        for (const [rank, { shape }] of shaped.entries()) {
          expect(shapes.parts(rank)).toEqual(shape)
          const all = shape!.flatMap(({ points }) => [...points])
          const latitudes = all.filter((_, i) => i % 2 === 0)
          const longitudes = all.filter((_, i) => i % 2 === 1)
          expect([...boxes.subarray(rank * 4, rank * 4 + 4)]).toEqual([
            Math.min(...latitudes),
            Math.max(...latitudes),
            Math.min(...longitudes),
            Math.max(...longitudes),
          ])
        }
      }),
      { numRuns: 60 },
    )
  })

  it('reads from an unaligned offset in its buffer', () => {
    fc.assert(
      fc.property(anyDocs(), fc.integer({ min: 1, max: 7 }), (docs, shift) => {
        const bytes = encodeDocs(docs)
        const shifted = new Uint8Array(bytes.length + shift)
        shifted.set(bytes, shift)
        const reader = openColumns(shifted.subarray(shift))
        for (const id of reader.fieldIds) {
          expectNumbers(reader.field(id)!, docs, id)
          expectStrings(reader.field(id)!, docs, id)
        }
        const geo = reader.geo()
        if (geo !== null) expect(geo.latitude(0)).toBe(docs.find((doc) => doc.geo)!.geo![0])
      }),
      { numRuns: 30 },
    )
  })
})

describe('a large segment', () => {
  /**
   * Timestamps, all different; a multiple of 7; words; a few colours; ids in several containers.
   */
  const count = 70_000
  const docs = Array.from({ length: count }, (_, i) =>
    docOf(i * 2, {
      0: (i * 7919) % count,
      1: [i % 7, (i % 1000) + 0.5],
      2: `Word ${(i * 31) % 20_000}`,
      3: ['Red', 'Green', 'blue'][i % 3]!,
    }),
  )
  const reader = readerOf(docs)

  it('covers ranges of any width with its hierarchy', () => {
    const field = reader.field(0)!
    let seed = 12345
    const next = (below: number) => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
      return seed % below
    }
    for (let run = 0; run < 60; run++) {
      const from = next(count)
      const to = from + next(run % 2 === 0 ? 300 : count - from + 1)
      const got = union((all) => field.addNumbers(from, Math.min(to, count), all))
      const expected: number[] = []
      for (const doc of docs) {
        const value = doc.fields.get(0)!.values[0] as number
        if (value >= from && value < to) expected.push(doc.id)
      }
      expect(got.length).toBe(expected.length)
      expect(got).toEqual(expected)
    }
  })

  it('has postings of all sizes', () => {
    expect(reader.field(1)!.numberCount).toBe(1007)
    for (const value of [0, 6, 0.5, 999.5]) {
      const field = reader.field(1)!
      const got = [...field.numberPosting(field.findNumber(value)).toArray()]
      const expected = docs.filter((doc) => doc.fields.get(1)!.values.includes(value))
      expect(got).toEqual(expected.map((doc) => doc.id))
    }
    const colours = reader.field(3)!
    expect([0, 1, 2].map((o) => textOf(colours.stringAt(o)))).toEqual(['blue', 'green', 'red'])
    expect([0, 1, 2].map((v) => textOf(colours.originalOf(v)))).toEqual(['blue', 'Green', 'Red'])
    expect(colours.stringPosting(2).size).toBe(Math.ceil(count / 3))
  })

  it('counts values of candidates', () => {
    const field = reader.field(2)!
    const ids = Uint32Array.from({ length: 20_000 }, (_, i) => i * 6)
    const counts = new Uint32Array(field.strings!.rows.ordinalCount)
    field.strings!.rows.count(ids, 0, ids.length, counts)
    const expected = new Map<string, number>()
    for (const id of ids) {
      const word = docs[id / 2]!.fields.get(2)!.values[0] as string
      expected.set(word, (expected.get(word) ?? 0) + 1)
    }
    const words = [...counts.keys()].filter((variant) => counts[variant]! > 0)
    expect(words.length).toBe(expected.size)
    for (const variant of words) {
      expect(counts[variant]).toBe(expected.get(textOf(field.originalOf(variant))))
    }
  })
})

describe('a builder', () => {
  it('takes documents in ascending order only, and finishes once', () => {
    const builder = builderOf([docOf(5, {})])
    expect(() => builder.begin(5)).toThrow(/ascending/)
    expect(() => builder.begin(2 ** 28)).toThrow(/below/)
    expect(() => builderOf([]).finish(() => undefined)).toThrow(/has a document/)
    builder.finish(() => undefined)
    expect(() => builder.finish(() => undefined)).toThrow(/once/)
  })

  it('takes a thousand fields', () => {
    const docs = Array.from({ length: 20 }, (_, i) =>
      docOf(
        i,
        Object.fromEntries(Array.from({ length: 1000 }, (_, f) => [f * 3, `V${f % (i + 1)}`])),
      ),
    )
    const reader = readerOf(docs)
    expect(reader.fieldIds.length).toBe(1000)
    for (const id of [0, 3, 1500, 2997]) expectStrings(reader.field(id)!, docs, id)
  })
})
