// Documents with a place in an area, in several segments, compared with a model.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ByteWriter } from '../../../format/bytes/index.ts'
import { COLUMNS_KIND, ColumnsBuilder, ColumnsReader } from '../../../format/columns/index.ts'
import { Frame } from '../../../format/frame/index.ts'
import type { FieldId } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { ColumnFilters } from './column-filters.ts'

const [LATITUDE, LONGITUDE, OTHER] = [3, 4, 5] as const
type Place = { readonly id: number; readonly lat: number | null; readonly lng: number | null }

/** A segment of these documents, and of a dead one at the origin. */
function segmentOf(places: readonly Place[], dead: number) {
  const builder = new ColumnsBuilder((bytes, from, to) => bytes.slice(from, to))
  for (const { id, lat, lng } of [...places, { id: dead, lat: 0, lng: 0 }]) {
    builder.begin(id)
    for (const [field, value] of [
      [LATITUDE, lat],
      [LONGITUDE, lng],
      [OTHER, 1],
    ] as const) {
      if (value === null) continue
      builder.exists(field)
      builder.number(field, value)
    }
  }
  const out = new ByteWriter(1024)
  builder.finish((bytes) => out.bytes(bytes))
  const reader = ColumnsReader.open(Frame.open(out.finish(), COLUMNS_KIND))
  return { ref: null as never, reader, dead: IdSet.of([dead]) }
}

const degrees = fc.option(fc.integer({ min: -5, max: 5 }), { freq: 6 })
const places = fc.array(fc.record({ lat: degrees, lng: degrees }), { maxLength: 12 })
const ends = fc.tuple(fc.integer({ min: -6, max: 6 }), fc.integer({ min: -6, max: 6 }))

it('documents in an area are found by both of their coordinates', () => {
  fc.assert(
    fc.property(fc.array(places, { maxLength: 3 }), ends, ends, (all, [a, b], [west, east]) => {
      const segments = all.map((list, s) => list.map((place, i) => ({ ...place, id: i * 3 + s })))
      const filters = new ColumnFilters(
        segments.map((list, s) => segmentOf(list, 100 + s)),
        () => IdSet.empty,
      )
      let [checks, asked] = [0, 0]
      const area = {
        south: Math.min(a, b),
        north: Math.max(a, b),
        holds: (_: number, lng: number): boolean => {
          asked++
          return lng >= west && lng <= east
        },
      }
      const find = (latitude: number, longitude: number): IdSet => {
        const ids = [latitude, longitude] as unknown as readonly [FieldId, FieldId]
        return filters.placesIn(...ids, area as never, () => checks++)
      }
      const found = find(LATITUDE, LONGITUDE)
      const between = segments
        .flat()
        .filter(
          ({ lat, lng }) => lat !== null && lat >= area.south && lat <= area.north && lng !== null,
        )
      const expected = between.filter(({ lng }) => lng! >= west && lng! <= east).map(({ id }) => id)
      expect([...found.toArray()]).toEqual(expected.sort((x, y) => x - y))
      const isOrigin = area.south <= 0 && area.north >= 0
      expect(asked).toBe(between.length + (isOrigin ? segments.length : 0))
      expect(checks > 0 || asked === 0).toBe(true)
      expect(find(LATITUDE, 9).isEmpty && find(9, LONGITUDE).isEmpty).toBe(true)
    }),
  )
})
