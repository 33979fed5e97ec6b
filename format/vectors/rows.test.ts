// The rows of an embedder by document, by fragment and by set of ids, their stored forms, and the
// tables that a reader refuses.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  drawn,
  encodeVectors,
  openVectors,
  type PlainDocument,
  vectorOf,
} from '../../fixtures/format/vectors/model.ts'
import { expectRefusals, sectionsOf } from '../../fixtures/refusals.ts'
import { ByteWriter } from '../bytes/index.ts'
import { VersionError } from '../errors.ts'
import { Frame } from '../frame/index.ts'
import { encodeFrame } from '../frame/writer-v1.ts'
import { IdSet } from '../idset/index.ts'
import { Candidates, CODED_ROWS_MIN, DIMENSIONS_MAX, ROWS_MAX } from '../vector-codes/index.ts'
import type { EmbedderRows } from './embedder-rows.ts'
import { decodeEntries, encodeEntries } from './entry.ts'
import { checkVectors, entriesAt, RowSearch, VectorsReader } from './index.ts'
import { DOCUMENT_IDS_MAX, DOCUMENT_ROWS_MAX, EMBEDDERS_MAX, NO_FRAGMENT } from './limits.ts'
import { readRow, readShownRow, rowBytes, signsApart, writeRow } from './rows.ts'
import { SimilarityTo } from './similarity.ts'

type Model = { readonly id: number; readonly rows: number; readonly isOwn: boolean | null }

const model: fc.Arbitrary<readonly Model[]> = fc
  .uniqueArray(fc.nat(60), { minLength: 1, maxLength: 12 })
  .chain((ids) => {
    const one = fc.record({
      rows: fc.nat(3),
      isOwn: fc.option(fc.boolean(), { nil: null }),
    })
    return fc
      .array(one, { minLength: ids.length, maxLength: ids.length })
      .map((all) => ids.sort((a, b) => a - b).map((id, i) => ({ id, ...all[i]! })))
  })

/** Documents without an entry of the embedder have one of another. Rows hold their own number. */
function rowsOf(all: readonly Model[]): { rows: EmbedderRows; of: (id: number) => number[] } {
  let row = 0
  const byId = new Map<number, number[]>()
  const documents = all.map(({ id, rows, isOwn }): PlainDocument => {
    const other = { embedder: 'z', vectors: [[1]] }
    if (isOwn === null) return { id, entries: [other] }
    const own = Array.from({ length: rows }, () => row++)
    byId.set(id, own)
    const vectors = own.map((number) => [number, 1])
    const fragments = Uint8Array.from(own, (number) =>
      number % 3 === 2 ? NO_FRAGMENT : number % 3,
    )
    return {
      id,
      entries: [
        { embedder: 'e', isOwn, regenerates: !isOwn, dimensions: 2, vectors, fragments },
        other,
      ],
    }
  })
  const reader = openVectors(
    encodeVectors([
      ...documents,
      { id: 99, entries: [{ embedder: 'e', vectors: [[9, 9]], fragments: Uint8Array.of(7) }] },
    ]),
  )
  byId.set(99, [row])
  return { rows: reader.embedder('e')!, of: (id) => byId.get(id) ?? [] }
}

describe('the rows of an embedder', () => {
  it('belong to their documents', () => {
    const property = fc.property(model, fc.uniqueArray(fc.nat(99)), fc.nat(8), (all, ids, most) => {
      const { rows, of } = rowsOf(all)
      const places = [...all.map(({ id }) => id), 99]
      expect([...rows.places]).toEqual(places)
      for (let id = 0; id <= 100; id++) expect(rows.placeOf(id)).toBe(places.indexOf(id))
      for (const [place, id] of places.entries()) {
        for (const row of of(id)) {
          expect(rows.placeOfRow(row)).toBe(place)
          const first = of(id)[0]!
          const isAlone = row % 3 === 2 && id !== 99
          const fragment = id === 99 ? 7 : row % 3
          expect(rows.slotOf(row, first)).toBe(isAlone ? row - first : fragment)
        }
      }
      const within = rows.within(IdSet.of(ids))
      expect([...within.toArray()]).toEqual(places.filter((id) => ids.includes(id)))
      expect(rows.isAll(within)).toBe(places.every((id) => ids.includes(id)))
      const wanted = [...within.toArray()].flatMap(of)
      const isMore = within.size > most || wanted.length > most
      const found = rows.rowsOf(within, most)
      expect(found === null ? null : [...found]).toEqual(isMore ? null : wanted)
      const own = all.filter(({ isOwn, rows: count }) => isOwn === true && count > 1)
      const where = rows.idsWhere((status, count) => (status & 1) === 1 && count > 1)
      expect([...where.toArray()]).toEqual(own.map(({ id }) => id))
      const absent = rows.idsWhere((status) => (status & 4) === 0)
      expect([...absent.toArray()]).toEqual(
        all.filter(({ isOwn }) => isOwn === null).map(({ id }) => id),
      )
      for (const fragment of [0, 1]) {
        const with1 = places.filter((id) => id !== 99 && of(id).some((row) => row % 3 === fragment))
        expect([...rows.idsOfFragment(fragment).toArray()]).toEqual(with1)
      }
      expect([...rows.idsOfFragment(7).toArray()]).toEqual([99])
    })
    fc.assert(property, { numRuns: 80 })
  })

  it('have entries by place, and none for documents of other embedders', () => {
    const { rows } = rowsOf([
      { id: 1, rows: 2, isOwn: false },
      { id: 2, rows: 1, isOwn: null },
      { id: 3, rows: 0, isOwn: true },
    ])
    expect(rows.entryAt(0)).toMatchObject({ isOwn: false, regenerates: true, rows: 2 })
    expect([...rows.entryAt(0)!.fragments!]).toEqual([0, 1])
    expect(rows.entryAt(1)).toBeNull()
    expect(rows.entryAt(2)).toMatchObject({ isOwn: true, regenerates: false, rows: 0 })
    const out = new Float32Array(2)
    rows.read(1, out)
    expect([...out]).toEqual([1, 1])
    rows.shown(2, out)
    expect([...out]).toEqual([9, 9])
    expect(rows.stored(0, 3)).toHaveLength(3 * rows.rowBytes)
    expect(() => rows.stored(2, 4)).toThrow('rows are read that exist')
    expect(() => rows.stored(2, 1)).toThrow('rows are read that exist')
  })

  it('without fragments have none, and slots are their numbers', () => {
    const entries = [
      {
        embedder: 'e',
        vectors: [
          [1, 2],
          [3, 4],
        ],
      },
    ]
    const rows = openVectors(encodeVectors([{ id: 5, entries }])).embedder('e')!
    expect([rows.fragments(), rows.idsOfFragment(0).isEmpty]).toEqual([null, true])
    expect([rows.slotOf(0, 0), rows.slotOf(1, 0)]).toEqual([0, 1])
    expect(entriesAt(openVectors(encodeVectors([{ id: 5, entries }])), 0)).toHaveLength(1)
  })
})

describe('a row of nibbles', () => {
  it.each([
    [1, 8],
    [8, 8],
    [9, 12],
    [64, 36],
  ])('of %i dimensions has %i bytes', (dimensions, bytes) => {
    expect(rowBytes('nibbles', dimensions)).toBe(bytes)
    expect(rowBytes('floats', dimensions)).toBe(dimensions * 4)
  })

  it('holds each number within half a step, up to the largest magnitude', () => {
    const vector = Float32Array.from(vectorOf(33, drawn(5)))
    const each = rowBytes('nibbles', 33)
    const bytes = new Uint8Array(each + 8)
    writeRow('nibbles', vector, bytes, 4)
    const root = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0) / 33)
    const step = new DataView(bytes.buffer).getFloat32(4, true)
    expect(step).toBeCloseTo(0.3352 * root, 6)
    const read = new Float32Array(33)
    readRow('nibbles', bytes, 4, read)
    const shown = new Float32Array(33)
    readShownRow('nibbles', bytes, 4, shown)
    for (let d = 0; d < 33; d++) {
      const clipped = Math.min(Math.abs(vector[d]!), 7.5 * step)
      expect(Math.abs(Math.abs(read[d]!) - clipped)).toBeLessThanOrEqual(step * 0.5001)
      expect(Math.sign(read[d]!)).toBe(vector[d]! > 0 ? 1 : -1)
      expect(shown[d]).toBe(vector[d]! > 0 ? 1 : 0)
    }
    expect(signsApart(bytes, 4, vector)).toBe(0)
    const turned = vector.map((value, d) => (d % 4 === 0 ? -value : value))
    expect(signsApart(bytes, 4, turned)).toBe(9)
    expect(
      [bytes.subarray(0, 4), bytes.subarray(4 + each)].every((rest) => rest.every((b) => b === 0)),
    ).toBe(true)
    expect(() => writeRow('nibbles', vector, bytes, 9)).toThrow('room for the row')
    expect(() => readRow('nibbles', bytes, 9, read)).toThrow('inside its bytes')
  })

  it('without length holds signs alone', () => {
    const bytes = new Uint8Array(8)
    writeRow('nibbles', Float32Array.of(0, Number.POSITIVE_INFINITY, -1), bytes, 0)
    const shown = new Float32Array(3)
    readShownRow('nibbles', bytes, 0, shown)
    expect([...shown, new DataView(bytes.buffer).getFloat32(0, true)]).toEqual([0, 1, 0, 0])
  })
})

describe('similarities', () => {
  it.each([3, 15, 16, 31, 32, 70])('of %i dimensions are those of the cosine', (dimensions) => {
    const draw = drawn(11)
    const [a, b] = [vectorOf(dimensions, draw), vectorOf(dimensions, draw)]
    const rows = openVectors(encodeVectors([{ id: 0, entries: [{ embedder: 'e', vectors: [b] }] }]))
    const inner = (x: readonly number[], y: readonly number[]): number =>
      x.reduce((sum, value, d) => sum + value * y[d]!, 0)
    const cosine = inner(a, b) / Math.sqrt(inner(a, a) * inner(b, b))
    const found = new SimilarityTo(Float32Array.from(a)).of(rows.embedder('e')!, 0)
    expect(found).toBeCloseTo((1 + cosine) / 2, 6)
  })

  it('use signs alone for up to 64 dimensions of nibbles', () => {
    const of = (dimensions: number) => new SimilarityTo(new Float32Array(dimensions))
    expect([64, 65].map((one) => of(one).isOfSigns('nibbles'))).toEqual([true, false])
    expect(of(64).isOfSigns('floats')).toBe(false)
  })
})

describe('a search of codes', () => {
  const draw = drawn(9)
  const documents = Array.from({ length: 400 }, (_, id) => ({
    id,
    entries: [{ embedder: 'e', vectors: [id === 40 ? [0, 0, 0, 0] : vectorOf(4, draw)] }],
  }))
  const rows = openVectors(encodeVectors(documents)).embedder('e')!
  const query = Float32Array.of(1, -0.5, 0.25, 0)

  it('adds accepted rows alone', () => {
    const search = new RowSearch(query)
    expect([search.hasDirection, new RowSearch(new Float32Array(4)).hasDirection]).toEqual([
      true,
      false,
    ])
    const of = (accepts: ((row: number) => boolean) | null): number[] => {
      const candidates = new Candidates(1000)
      search.scan(rows, 7, candidates, accepts)
      const taken = candidates.take()
      expect([...taken.keys()]).toEqual([7])
      return [...taken.get(7)!]
    }
    expect(of(null)).toHaveLength(400)
    expect(of((row) => row % 100 === 40)).toEqual([40, 140, 240, 340])
  })

  it('refuses vectors of another length', () => {
    const search = new RowSearch(Float32Array.of(1))
    expect(() => search.similarities(rows, [0])).toThrow('dimensions of the rows')
    expect(() => search.scan(rows, 0, new Candidates(1), null)).toThrow('dimensions of the rows')
  })
})

describe('a segment is refused', () => {
  const flags = { isOwn: true, regenerates: false }
  const documents: readonly PlainDocument[] = [3, 9, 12].map((id) => ({
    id,
    entries: [
      { embedder: 'a', ...flags, vectors: [[1, 2]], fragments: Uint8Array.of(1) },
      { embedder: 'b', ...flags, vectors: id === 9 ? [] : [[1]] },
    ],
  }))
  const bytes = encodeVectors(documents)

  /** The same segment with another content of one section. */
  const bent = (
    tag: string,
    change: (content: Uint8Array, view: DataView) => Uint8Array | null | undefined,
    versionOf: (version: number) => number = (version) => version,
  ): Uint8Array =>
    encodeFrame('VECT', (writer) => {
      for (const section of Frame.open(bytes, 'VECT').sections) {
        const content = section.bytes.slice()
        const isBent = section.tag === tag
        const result = isBent ? change(content, new DataView(content.buffer)) : content
        if (result === null) continue
        const version = isBent ? versionOf(section.version) : section.version
        writer.section(section.tag, version, result ?? content)
      }
    })
  const readAll = (content: Uint8Array): void => {
    for (const { starts, status } of openVectors(content).embedders)
      expect(starts.length + status.length).toBe(7)
  }
  const set = (at: number, value: number) => (_: Uint8Array, view: DataView) =>
    void view.setUint32(at, value, true)
  const put = (at: number, value: number) => (content: Uint8Array) => {
    content[at] = value
    return content
  }

  /** A varint in place of one of a byte. */
  const number = (at: number, value: number) => (content: Uint8Array) => {
    const out = new ByteWriter()
    out.bytes(content.subarray(0, at))
    out.varint(value)
    out.bytes(content.subarray(at + 1))
    return out.finish()
  }

  it('not as it is', () => {
    readAll(bytes)
    readAll(bent('DOCS', () => undefined))
  })

  it('with a message for each check', () => {
    const read = (damaged: Uint8Array) => checkVectors(Frame.open(damaged, 'VECT'))
    expectRefusals('vectors', sectionsOf('VECT', bytes, read))
  })

  it.each<[string, Uint8Array, string]>([
    [
      'an id that is too large',
      bent('DOCS', set(8, DOCUMENT_IDS_MAX)),
      `DOCS @8: bad_value, expected ${DOCUMENT_IDS_MAX}`,
    ],
    [
      'the largest id, which is not in the set',
      bent('DOCS', set(8, DOCUMENT_IDS_MAX - 1)),
      'DOCS @8: bad_value, expected 12',
    ],
    ['the most dimensions', bent('EMBS', number(3, DIMENSIONS_MAX)), 'ROWS @0: bad_length'],
    [
      'more dimensions',
      bent('EMBS', number(3, DIMENSIONS_MAX + 1)),
      `1 to ${DIMENSIONS_MAX} dimensions, got ${DIMENSIONS_MAX + 1}`,
    ],
    ['the most rows', bent('EMBS', number(5, ROWS_MAX)), 'expected codes, got no codes'],
    [
      'more rows',
      bent('EMBS', number(5, ROWS_MAX + 1)),
      `at most ${ROWS_MAX} rows, got ${ROWS_MAX + 1}`,
    ],
    ['no documents', bent('DOCS', set(0, 0)), 'DOCS @0: bad_value'],
    ['ids that descend', bent('DOCS', set(4, 13)), 'DOCS @0: bad_value'],
    ['another first id', bent('DOCS', set(4, 2)), 'DOCS @4: bad_value, expected 3, got 2'],
    ['another last id', bent('DOCS', set(8, 13)), 'DOCS @8: bad_value, expected 12, got 13'],
    ['no embedders', bent('EMBS', put(0, 0)), '1 to 1024 embedders'],
    ['more embedders than there are', bent('EMBS', put(0, 3)), 'EMBS'],
    ['embedders out of order', bent('EMBS', put(2, 0x63)), 'names in order'],
    ['two embedders of one name', bent('EMBS', put(2, 0x62)), 'names in order'],
    ['a name that is not UTF-8', bent('EMBS', put(7, 0xff)), 'a name in UTF-8'],
    ['no dimensions', bent('EMBS', put(3, 0)), 'dimensions'],
    ['lists in the first version', bent('EMBS', put(4, 6)), 'EMBS'],
    ['unknown flags', bent('EMBS', put(4, 8)), 'EMBS'],
    ['lists that are missing', bent('EMBS', put(4, 6), () => 2), 'lists'],
    ['other rows', bent('EMBS', put(5, 4)), 'ROWS @0: bad_length'],
    ['fragments of no embedder', bent('EMBS', put(4, 0)), 'bad_length'],
    ['no fragments', bent('FRAG', () => null), 'fragments where there are any'],
    [
      'surplus bytes',
      bent('STAT', (content) => Buffer.concat([content, content])),
      'STAT @0: bad_length',
    ],
    ['a first row', bent('STAT', set(0, 1)), 'STAT @0: bad_value, expected 0, got 1'],
    ['rows that descend', bent('STAT', set(8, 0)), 'STAT @4: bad_order'],
    ['another number of rows', bent('STAT', set(12, 2)), 'STAT @0: bad_value, expected 3, got 2'],
    [
      'a document of too many rows',
      bent('STAT', set(4, DOCUMENT_ROWS_MAX + 1)),
      'STAT @0: bad_order',
    ],
    ['unknown flags of an entry', bent('STAT', put(16, 8 | 5)), 'STAT @0: bad_value'],
    ['flags without an entry', bent('STAT', put(17, 1)), 'STAT @1: bad_value'],
    ['rows without an entry', bent('STAT', put(18, 0)), 'STAT @2: bad_value'],
  ])('with %s', (_, content, words) => {
    expect(() => readAll(content)).toThrow(words)
  })

  it('with a later version', () => {
    expect(() =>
      readAll(
        bent(
          'EMBS',
          () => undefined,
          () => 3,
        ),
      ),
    ).toThrow(VersionError)
    readAll(
      bent(
        'EMBS',
        () => undefined,
        () => 2,
      ),
    )
  })
})

it('a segment has as many embedders as settings can name, and no more', () => {
  const of = (count: number): Uint8Array => {
    const name = (i: number): string => `e${String(i).padStart(4, '0')}`
    const entries = Array.from({ length: count }, (_, i) => ({ embedder: name(i), vectors: [[1]] }))
    return encodeVectors([{ id: 1, entries }])
  }
  expect([...openVectors(of(EMBEDDERS_MAX)).embedders]).toHaveLength(EMBEDDERS_MAX)
  expect(() => of(EMBEDDERS_MAX + 1)).toThrow('EMBEDDERS_MAX')
})

it('a document has as many rows as the limit, and an embedder of so many has codes', () => {
  const of = (count: number): Uint8Array => {
    const vectors = Array.from({ length: count }, (_, row) => [row, 1])
    return encodeVectors([{ id: 1, entries: [{ embedder: 'e', vectors }] }])
  }
  expect(DOCUMENT_ROWS_MAX).toBe(CODED_ROWS_MIN)
  for (const [count, hasCodes] of [
    [DOCUMENT_ROWS_MAX - 1, false],
    [DOCUMENT_ROWS_MAX, true],
  ] as const) {
    const frame = Frame.open(of(count), 'VECT')
    expect(frame.has('CODE')).toBe(hasCodes)
    expect([...VectorsReader.open(frame).embedder('e')!.starts]).toEqual([0, count])
  }
  expect(() => of(DOCUMENT_ROWS_MAX + 1)).toThrow('DOCUMENT_ROWS_MAX')
})

it('entries of nibbles and of flags are passed on as they are', () => {
  const flags = [true, false]
  const entries = flags.flatMap((isOwn) =>
    flags.flatMap((regenerates) =>
      (['floats', 'nibbles'] as const).map((form) => ({
        embedder: `${form} ${isOwn} ${regenerates}`,
        dimensions: 9,
        form,
        isOwn,
        regenerates,
        rows: 2,
        fragments: isOwn ? Uint8Array.of(3, 4) : null,
        stored: new Uint8Array(2 * rowBytes(form, 9)).fill(regenerates ? 1 : 2),
      })),
    ),
  )
  expect(decodeEntries(encodeEntries(entries))).toEqual(entries)
  const [first] = entries
  expect(() => encodeEntries([{ ...first!, rows: 1 }])).toThrow('an entry holds its rows')
  expect(() => encodeEntries([{ ...first!, fragments: Uint8Array.of(1) }])).toThrow('fragment')
})
