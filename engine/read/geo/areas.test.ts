// Areas for places of elements: which points they hold, and between which latitudes these are.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { geoAreas } from './areas.ts'
import { distanceMetres } from './geo-distance.ts'

const anyLatitude = fc.double({ min: -90, max: 90, noNaN: true })
const anyLongitude = fc.double({ min: -180, max: 180, noNaN: true })

describe('an area', () => {
  it('of a circle holds the points within its radius, all between its latitudes', () => {
    fc.assert(
      fc.property(
        fc.tuple(anyLatitude, anyLongitude),
        fc.tuple(anyLatitude, anyLongitude),
        fc.nat(2_000_000),
        ([latitude, longitude], [lat, lng], metres) => {
          const area = geoAreas.circle({ latitude, longitude, metres })
          const isWithin = distanceMetres(latitude, longitude, lat, lng) <= metres
          expect(area.holds(lat, lng)).toBe(isWithin)
          if (isWithin) expect([area.south <= lat, lat <= area.north]).toEqual([true, true])
        },
      ),
    )
  })

  it('of a circle has no more latitudes than it needs', () => {
    const { south, north, holds } = geoAreas.circle({ latitude: 10, longitude: 0, metres: 111_195 })
    expect([south.toFixed(4), north.toFixed(4)]).toEqual(['9.0000', '11.0000'])
    expect([holds(10.99, 0), holds(11.01, 0), holds(9.01, 0), holds(8.99, 0)]).toEqual([
      true,
      false,
      true,
      false,
    ])
    const point = geoAreas.circle({ latitude: 5, longitude: 5, metres: 0 })
    expect(point.south < 5 && point.north > 5 && point.holds(5, 5)).toBe(true)
  })

  it.each([
    [-10, 10, [-10, 0, 10], [-10.1, 10.1, 180, -180]],
    [10, -10, [10, 180, -180, -10], [9.9, 0, -9.9, 181, -181]],
    [5, 5, [5], [4.9, 5.1]],
    [-180, 180, [-180, 0, 180], [181]],
  ])('of a box from %f to %f holds the longitudes %j, not %j', (left, right, inside, outside) => {
    const area = geoAreas.box(20, right, -30, left)
    expect([area.south, area.north]).toEqual([-30, 20])
    expect(inside.filter((lng) => !area.holds(0, lng))).toEqual([])
    expect(outside.filter((lng) => area.holds(0, lng))).toEqual([])
  })

  it('of a polygon holds the points inside of it and on its edges', () => {
    const area = geoAreas.polygon([
      [0, 0],
      [10, 0],
      [0, 20],
    ])
    expect([area.south, area.north]).toEqual([0, 10])
    expect(area.holds(1, 1) && area.holds(0, 20) && area.holds(5, 10)).toBe(true)
    expect(area.holds(6, 10) || area.holds(1, -1) || area.holds(-1, 1)).toBe(false)
  })
})
