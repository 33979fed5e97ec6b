// Places whose header, order or length is wrong, under right checksums; and strings that a merge
// leaves out.
import { describe, expect, it, test } from 'vitest'
import { collect, docOf, encodeDocs, readerOf } from '../../fixtures/format/columns/model.ts'
import { CorruptionError } from '../errors.ts'
import { Members } from '../fields/members.ts'
import { Frame } from '../frame/index.ts'
import { encodeFrame } from '../frame/writer-v1.ts'
import { IdSet } from '../idset/index.ts'
import { GeoReader, writeGeo } from './geo-v1.ts'
import { mergeColumns } from './index.ts'

/** The section of places of every `step`-th document, changed, and the documents of its segment. */
function placesOf(count: number, step: number, change: (bytes: Uint8Array) => Uint8Array) {
  const ids = Uint32Array.from({ length: count }, (_, i) => i * step)
  const docs = Uint32Array.from({ length: count * step }, (_, i) => i)
  const points = Float64Array.from({ length: count * 2 }, (_, i) => (i * 7) % 80)
  const section = writeGeo({ ids, points }, { ids: docs, first: 0, last: docs.length - 1 })
  const bytes = encodeFrame('COLS', (writer) => writer.section('GEOP', 1, change(section.slice())))
  const frame = Frame.open(bytes, 'COLS')
  return () => new GeoReader(frame.section('GEOP'), new Members(IdSet.ofSorted(docs)))
}

const withWord = (at: number, value: number) => (bytes: Uint8Array) => {
  new DataView(bytes.buffer).setUint32(at, value, true)
  return bytes
}
const longer = (bytes: Uint8Array) => Uint8Array.from([...bytes, 0, 0])
const shorter = (bytes: Uint8Array) => bytes.subarray(0, -2)

describe('places', () => {
  it.each([
    [1, 1],
    [64, 1],
    [65, 1],
    [65, 2],
    [100, 3],
    [257, 1],
    [301, 2],
  ])('of %d documents, one in %d', (count, step) => {
    const reader = placesOf(count, step, (bytes) => bytes)()
    expect([reader.count, reader.holders().size]).toEqual([count, count])
    const slots = reader.blockCount === 0 ? [] : Array.from({ length: count }, (_, i) => i)
    const ranks = slots.map((slot) => reader.rankAt(slot)).sort((a, b) => a - b)
    expect(ranks).toEqual(slots)
    expect(reader.latitude(count - 1)).toBe(((count - 1) * 14) % 80)
    for (const wrong of [longer, shorter]) {
      expect(placesOf(count, step, wrong)).toThrow(CorruptionError)
    }
  })

  it.each([
    ['no place', 0, 0],
    ['more places than documents', 0, 101],
    ['an unknown form', 4, 7],
    ['a longer set', 8, 2],
    ['too few blocks', 12, 1],
    ['too many blocks', 12, 3],
  ])('with %s are refused', (_, at, value) => {
    expect(placesOf(100, 1, withWord(at, value))).toThrow(CorruptionError)
  })

  it('with a rank that does not exist are refused when it is read', () => {
    const orderAt = 16 + 100 * 16 + 2 * 32
    const reader = placesOf(100, 1, (bytes) => {
      bytes[orderAt] = 100
      bytes[orderAt + 1] = 99
      return bytes
    })()
    expect(() => reader.rankAt(0)).toThrow(CorruptionError)
    expect(reader.rankAt(1)).toBe(99)
  })
})

test('strings of dead documents leave nothing in a merge', () => {
  const live = docOf(2, { 1: 5, 2: ['b', 'B', 'c'] })
  const reader = readerOf([docOf(1, { 1: 'a', 2: ['a', 'b'] }), live])
  const other = readerOf([docOf(4, { 2: ['c', 'D'] })])
  const merged = (...inputs: Parameters<typeof mergeColumns>[0]) =>
    collect((sink) => mergeColumns(inputs, sink))
  const dead = { reader, dead: IdSet.of([1]) }
  expect(merged(dead)).toEqual(encodeDocs([live]))
  expect(merged(dead, { reader: other, dead: IdSet.empty })).toEqual(
    encodeDocs([live, docOf(4, { 2: ['c', 'D'] })]),
  )
  expect(merged(dead, { reader: other, dead: IdSet.of([4]) })).toEqual(encodeDocs([live]))
})
