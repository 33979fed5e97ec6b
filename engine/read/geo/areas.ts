// The areas of geo conditions on elements: places are compared one by one, those of the right
// latitudes.
import type { Area, Areas } from '../filter-syntax/index.ts'
import { distanceMetres, EARTH_RADIUS_METRES } from './geo-distance.ts'
import { Region } from './region.ts'

const DEGREES = 180 / Math.PI
/** Degrees by which a circle's latitudes are widened, for rounding: a millimetre. */
const MARGIN = 1e-8

export const geoAreas: Areas = {
  circle({ latitude, longitude, metres }) {
    const reach = (metres / EARTH_RADIUS_METRES) * DEGREES + MARGIN
    return {
      south: latitude - reach,
      north: latitude + reach,
      holds: (lat, lng) => distanceMetres(latitude, longitude, lat, lng) <= metres,
    }
  },
  box(top, right, bottom, left): Area {
    const holds =
      right >= left
        ? (_: number, lng: number) => lng >= left && lng <= right
        : (_: number, lng: number) => (lng >= left && lng <= 180) || (lng >= -180 && lng <= right)
    return { south: bottom, north: top, holds }
  },
  polygon(points): Area {
    const region = new Region([Float64Array.from(points.flat())])
    const [south, north] = region.box
    return { south, north, holds: (lat, lng) => region.holds(lat, lng) }
  },
}
