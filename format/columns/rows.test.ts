// Rows of values, and the builder's conversion of events to rows, against plain arrays.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../bytes/varint.ts'
import { CorruptionError, InvariantError } from '../errors.ts'
import type { RowsData } from '../fields/field-data.ts'
import { Members } from '../fields/members.ts'
import { PartReader, PartWriter } from '../fields/parts.ts'
import { numberRows } from '../fields/row-builder.ts'
import { Rows, writeRows } from '../fields/rows-v1.ts'
import { Frame } from '../frame/index.ts'
import { encodeFrame } from '../frame/writer-v1.ts'
import { IdSet } from '../idset/index.ts'

const ORDINALS = 300
const NONE = 0xffffffff

/** Document id → its value ordinals, ascending. */
type Model = ReadonlyMap<number, readonly number[]>

function dataOf(model: Model): RowsData {
  const holders = [...model.keys()].sort((a, b) => a - b)
  const starts = [0]
  const ordinals: number[] = []
  for (const id of holders) {
    ordinals.push(...model.get(id)!)
    starts.push(ordinals.length)
  }
  return {
    holders: Uint32Array.from(holders),
    starts: Uint32Array.from(starts),
    ordinals: Uint32Array.from(ordinals),
  }
}

function rowsOf(data: RowsData, change: (bytes: Uint8Array) => void = () => undefined): Rows {
  const head = new ByteWriter()
  const parts = new PartWriter()
  writeRows(data, ORDINALS, head, parts)
  const block = new ByteWriter()
  parts.finish(head.finish(), block)
  change(block.view())
  const bytes = encodeFrame('COLS', (writer) => writer.section('DATA', 1, block.view()))
  const section = Frame.open(bytes, 'COLS').section('DATA')
  const members = new Members(IdSet.ofSorted(data.holders.slice()))
  const reader = new PartReader(section, 0, head.length, block.length)
  return new Rows(section, ORDINALS, 100_000, () => members, reader)
}

const models = (valuesMax: number): fc.Arbitrary<Model> =>
  fc
    .uniqueArray(
      fc.tuple(
        fc.oneof(fc.nat(60), fc.nat(90_000)),
        fc.uniqueArray(fc.nat(ORDINALS - 1), { minLength: 1, maxLength: valuesMax }),
      ),
      { minLength: 1, maxLength: 40, selector: ([id]) => id },
    )
    .map((list) => new Map(list.map(([id, values]) => [id, values.sort((a, b) => a - b)])))

/** Every second holder, and ids that have no row. */
const idsNear = (model: Model): Uint32Array =>
  Uint32Array.from(
    new Set([...model.keys()].flatMap((id, i) => (i % 2 === 0 ? [id] : [id + 1]))),
  ).sort()

describe.each([1, 5])('rows of up to %d values', (valuesMax) => {
  it('return the values of each document', () => {
    fc.assert(
      fc.property(models(valuesMax), (model) => {
        const rows = rowsOf(dataOf(model))
        for (const id of [...model.keys(), 90_001]) {
          expect([...rows.of(id)]).toEqual(model.get(id) ?? [])
        }
      }),
    )
  })

  it('count, collect and order values of many documents', () => {
    fc.assert(
      fc.property(models(valuesMax), (model) => {
        const rows = rowsOf(dataOf(model))
        const ids = idsNear(model)
        const values = [...ids].map((id) => model.get(id) ?? [])
        const counts = new Uint32Array(ORDINALS)
        rows.count(ids, 0, ids.length, counts)
        const expected = new Uint32Array(ORDINALS)
        for (const ordinal of values.flat()) expected[ordinal]!++
        expect(counts).toEqual(expected)
        expect([...rows.collect(ids, 0, ids.length)]).toEqual(values.flat())
        for (const largest of [false, true]) {
          const out = new Uint32Array(ids.length)
          rows.extremes(ids, 0, ids.length, largest, NONE, out)
          expect([...out]).toEqual(values.map((row) => row.at(largest ? -1 : 0) ?? NONE))
        }
      }),
    )
  })

  it('survive a round trip as arrays', () => {
    fc.assert(
      fc.property(models(valuesMax), (model) => {
        const data = dataOf(model)
        const { starts, ordinals } = rowsOf(data).toArrays()
        expect(starts).toEqual(data.starts)
        expect(ordinals).toEqual(data.ordinals)
      }),
    )
  })
})

describe('rows', () => {
  const data = dataOf(
    new Map([
      [3, [1, 7]],
      [5, [0]],
      [9, [2, 250]],
    ]),
  )

  it('read a part of the ids that is passed', () => {
    const rows = rowsOf(data)
    expect([...rows.collect(Uint32Array.of(3, 5, 9), 1, 3)]).toEqual([0, 2, 250])
    const out = new Uint32Array(2)
    rows.extremes(Uint32Array.of(3, 5, 9), 0, 2, true, NONE, out)
    expect([...out]).toEqual([7, 0])
  })

  it('refuse ordinals and starts out of order when all are read', () => {
    const end = (bytes: Uint8Array): number => bytes.length
    const swapped = rowsOf(data, (bytes) => bytes.set([250, 0, 2, 0], end(bytes) - 4))
    expect(() => swapped.toArrays()).toThrow(CorruptionError)
    const beyond = rowsOf(data, (bytes) => bytes.set([44, 1], end(bytes) - 2))
    expect(() => beyond.toArrays()).toThrow(CorruptionError)
    const backwards = rowsOf(data, (bytes) => {
      bytes[3] = 4
      bytes[4] = 3
    })
    expect(() => backwards.toArrays()).toThrow(CorruptionError)
  })

  it('assert that the arrays of results are long enough', () => {
    const short = new Uint32Array(ORDINALS - 1)
    expect(() => rowsOf(data).count(Uint32Array.of(3), 0, 1, short)).toThrow(InvariantError)
  })
})

describe('building rows', () => {
  it('sorts values, drops repetitions and renumbers the used ranks', () => {
    const events = fc.array(fc.tuple(fc.nat(12), fc.oneof(fc.nat(40), fc.nat(4000))), {
      minLength: 1,
      maxLength: 300,
    })
    fc.assert(
      fc.property(events, fc.constantFrom(4001, 100_000), (list, rankCount) => {
        const sorted = [...list].sort(([a], [b]) => a - b)
        const ranks = Uint32Array.from({ length: rankCount }, (_, id) => rankCount - 1 - id)
        const docs = Uint32Array.from(sorted, ([doc]) => doc)
        const { rows, used } = numberRows(
          docs,
          Uint32Array.from(sorted, ([, v]) => v),
          ranks,
        )
        const model = new Map<number, number[]>()
        for (const [doc, value] of sorted) {
          const row = model.get(doc) ?? []
          if (!row.includes(ranks[value]!)) row.push(ranks[value]!)
          model.set(doc, row)
        }
        expect([...rows.holders]).toEqual([...model.keys()])
        const distinct = [...new Set([...model.values()].flat())].sort((a, b) => a - b)
        expect([...used]).toEqual(distinct)
        for (const [h, row] of [...model.values()].entries()) {
          const ordinals = rows.ordinals.subarray(rows.starts[h]!, rows.starts[h + 1]!)
          expect([...ordinals].map((o) => used[o]!)).toEqual(row.sort((a, b) => a - b))
        }
      }),
      { numRuns: 60 },
    )
  })
})
