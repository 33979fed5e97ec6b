// The annotated bytes of small segments: three documents with three fields and one place; two
// shapes.
import { describe, expect, it } from 'vitest'
import { docOf, encodeDocs, openColumns, textOf } from '../../fixtures/format/columns/model.ts'
import { expectGolden } from '../../fixtures/golden.ts'
import type { Note } from '../annotate/index.ts'
import { PART_HOLE, PART_POINTS, PART_RING } from './index.ts'

const DOCS = [
  docOf(10, { 2: 1999, 5: ['Drama', 'Comedy'], 9: null }),
  docOf(11, { 2: 2001, 5: ['drama'], 9: [] }, [48.5, 2.25]),
  docOf(13, { 2: [1999, 2001], 5: 'Science Fiction', 9: 'éa' }),
]

/** Notes that follow one another without gaps: lengths and meanings. */
function notes(lines: readonly (readonly [number, string])[]): Note[] {
  let at = 0
  return lines.map(([length, text]) => {
    at += length
    return { from: at - length, to: at, text }
  })
}

const NOTES = notes([
  [16, 'frame header: "SVCF", kind "COLS", version 1'],
  [6, 'DATA: field 2, sets: all exist, all have numbers'],
  [2, 'listed sets: no entries, no sets'],
  [2, '2 numbers, 0 strings'],
  [3, 'values: width 1, base 1999 (zigzag)'],
  [2, 'rows: 3 holders, 4 values'],
  [3, 'postings: no levels; 4 bytes of entries, no sets'],
  [2, 'values: 1999 + 0, 1999 + 2'],
  [4, 'starts: 0, 1, 2, 4'],
  [4, 'ordinals: 0 | 1 | 0, 1'],
  [2, 'sizes: 2, 2'],
  [4, 'entries: 10 + 0, + 2 + 1; 10 + 1, + 1 + 1'],
  [6, 'padding'],
  [6, 'field 5, sets: all exist, all have strings'],
  [2, 'listed sets: no entries, no sets'],
  [2, '0 numbers, 3 strings'],
  [1, 'dictionary: 31 bytes'],
  [3, 'originals: 1 further variant, various forms, 4 bytes'],
  [2, 'rows: 3 holders, 4 values'],
  [3, 'postings: no levels; 4 bytes of entries, no sets'],
  [7, '"comedy"'],
  [7, 'shares 0: "drama"'],
  [17, 'shares 0: "science fiction"'],
  [1, 'further variant: 2'],
  [4, 'forms: Comedy 1, Drama 1, drama 0, Science Fiction 1'],
  [4, 'starts: 0, 2, 3, 4'],
  [4, 'ordinals: 0, 1 | 2 | 3'],
  [3, 'sizes: 1, 2, 1'],
  [4, 'entries: 10; 10, 11; 13'],
  [2, 'padding'],
  [6, 'field 9, sets: all exist, nulls, empties and strings are listed'],
  [2, 'listed sets: 3 bytes of entries, no sets'],
  [2, '0 numbers, 1 string'],
  [1, 'dictionary: 5 bytes'],
  [3, 'originals: no further variant, various forms, 4 bytes'],
  [2, 'rows: 1 holder, 1 value'],
  [3, 'postings: no levels; 1 byte of entries, no sets'],
  [3, 'sizes of the listed sets: 1, 1, 1'],
  [3, 'their entries: 10; 11; 13'],
  [5, '"e", combining acute, "a"'],
  [4, 'form 5, 3 bytes: "éa"'],
  [1, 'ordinals: 0'],
  [1, 'sizes: 1'],
  [1, 'entries: 13'],
  [3, 'padding'],
  [16, 'FLDS: 3 documents, 10 to 13, 3 fields'],
  [12, 'field 2: head of 18 bytes, at 0, 34 bytes'],
  [12, 'field 5: head of 19 bytes, at 40, 70 bytes'],
  [12, 'field 9: head of 19 bytes, at 112, 37 bytes'],
  [22, 'documents: {10, 11, 13}'],
  [6, 'padding'],
  [16, 'GEOP: 1 place, holders given, 18 bytes of set, 0 blocks'],
  [16, 'latitude 48.5, longitude 2.25'],
  [18, 'holders: {11}'],
  [32, 'section table: DATA'],
  [32, 'FLDS'],
  [32, 'GEOP'],
  [4, 'page checksum'],
  [32, 'footer'],
])

const SHAPED = [
  docOf(4, {}, null, [
    { kind: PART_RING, points: Float64Array.of(0, 0, 0, 8, 8, 0) },
    { kind: PART_HOLE, points: Float64Array.of(1, 1, 1, 2, 2, 1) },
  ]),
  docOf(6, {}),
  docOf(7, {}, null, [{ kind: PART_POINTS, points: Float64Array.of(48.5, 2.25) }]),
]

const SHAPED_NOTES = notes([
  [16, 'frame header: "SVCF", kind "COLS", version 1'],
  [16, 'FLDS: 3 documents, 4 to 7, no fields'],
  [22, 'documents: {4, 6, 7}'],
  [2, 'padding'],
  [16, 'SHAP: 2 shapes, holders given, 20 bytes of set'],
  [32, 'box: latitudes 0 to 8, longitudes 0 to 8'],
  [32, 'box: latitude 48.5, longitude 2.25'],
  [8, 'ends: 112, 136'],
  [8, 'a ring of 3 points'],
  [48, '(0, 0), (0, 8), (8, 0)'],
  [8, 'a hole of 3 points'],
  [48, '(1, 1), (1, 2), (2, 1)'],
  [8, '1 point'],
  [16, '(48.5, 2.25)'],
  [20, 'holders: {4, 7}'],
  [32, 'section table: DATA'],
  [32, 'FLDS'],
  [32, 'SHAP'],
  [4, 'page checksum'],
  [32, 'footer'],
])

const WHOLE = [
  docOf(4, { 1: 712345678901234561n }),
  docOf(5, { 1: [712345678901234562n, 7] }),
  docOf(6, { 1: 712345678901234560 }),
]

const WHOLE_NOTES = notes([
  [16, 'frame header: "SVCF", kind "COLS", version 1'],
  [6, 'DATA: field 1, sets: all exist, all have numbers'],
  [2, 'listed sets: no entries, no sets'],
  [2, '4 numbers, 0 strings'],
  [1, 'values: width 10, doubles and residues'],
  [2, 'rows: 3 holders, 4 values'],
  [3, 'postings: no levels; 4 bytes of entries, no sets'],
  [32, 'doubles: 7, 712345678901234560 three times'],
  [8, 'residues: 0, 0, 1, 2'],
  [4, 'starts: 0, 1, 3, 4'],
  [4, 'ordinals: 2 | 0, 3 | 1'],
  [4, 'sizes: 1, 1, 1, 1'],
  [4, 'entries: 5; 6; 4; 5'],
  [16, 'FLDS: 3 documents, 4 to 6, 1 field'],
  [12, 'field 1: head of 16 bytes, at 0, 72 bytes'],
  [32, 'section table: DATA, version 2'],
  [32, 'FLDS'],
  [4, 'page checksum'],
  [32, 'footer'],
])

describe('golden bytes', () => {
  it('of whole numbers that are no doubles', () => {
    const bytes = encodeDocs(WHOLE)
    expect(WHOLE_NOTES.at(-1)!.to).toBe(bytes.length)
    const shown = expectGolden('columns/v2/whole-numbers', bytes, WHOLE_NOTES)
    const field = openColumns(shown).field(1)!
    expect([0, 1, 2, 3].map((ordinal) => field.numberAt(ordinal))).toEqual([
      7,
      712345678901234560,
      712345678901234561n,
      712345678901234562n,
    ])
    expect([...field.numberPosting(2).toArray()]).toEqual([4])
  })

  it('of shapes', () => {
    const bytes = encodeDocs(SHAPED)
    expect(SHAPED_NOTES.at(-1)!.to).toBe(bytes.length)
    const shown = expectGolden('columns/v1/shapes', bytes, SHAPED_NOTES)
    const shapes = openColumns(shown).shapes()!
    expect([...shapes.holders().set.toArray()]).toEqual([4, 7])
    expect(shapes.parts(1)).toEqual(SHAPED[2]!.shape)
  })

  it('of a small segment', () => {
    const bytes = encodeDocs(DOCS)
    expect(NOTES.at(-1)!.to).toBe(bytes.length)
    const shown = expectGolden('columns/v1/three-documents', bytes, NOTES)
    const reader = openColumns(shown)
    expect(textOf(reader.field(5)!.originalOf(2))).toBe('drama')
    expect([...reader.field(2)!.numberPosting(1).toArray()]).toEqual([11, 13])
    expect([...reader.field(9)!.nulls().toArray()]).toEqual([10])
    expect(reader.geo()!.latitude(0)).toBe(48.5)
  })

  it('are few for one document alone', () => {
    const bytes = encodeDocs([docOf(900_000, { 0: 'New', 1: 5.25 })])
    expect(bytes.length).toBeLessThan(256)
    expect(openColumns(bytes).field(1)!.numberAt(0)).toBe(5.25)
  })
})
