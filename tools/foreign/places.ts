// Places in the forms of other engines.

/** Degrees. */
export type Place = { readonly lat: number; readonly lng: number }

/** The order of the numbers in a pair, as in `[48.1, 11.5]`. */
export type PairOrder = 'latFirst' | 'lngFirst'

const LAT_MAX = 90
const LNG_MAX = 180

/**
 * Returns the places of a value: one, or those of a list; null if any of them is not a place. Forms:
 * `{lat, lng}`, `{lat, lon}`, a pair, "lat,lng", "POINT (lng lat)", a GeoJSON point.
 */
export function placesOf(value: unknown, order: PairOrder): readonly Place[] | null {
  const one = placeOf(value, order)
  if (one !== null) return [one]
  if (!Array.isArray(value) || value.length === 0) return null
  const all = value.map((element) => placeOf(element, order))
  return all.every((place) => place !== null) ? all : null
}

function placeOf(value: unknown, order: PairOrder): Place | null {
  if (typeof value === 'string') {
    const point = /^\s*POINT\s*\(\s*(\S+)\s+(\S+)\s*\)\s*$/i.exec(value)
    if (point !== null) return checked(point[2], point[1])
    const [lat, lng, ...more] = value.split(',')
    return more.length === 0 ? checked(lat, lng) : null
  }
  if (Array.isArray(value)) {
    if (value.length !== 2) return null
    return order === 'latFirst' ? checked(value[0], value[1]) : checked(value[1], value[0])
  }
  if (typeof value !== 'object' || value === null) return null
  const { lat, lng, lon, type, coordinates } = value as { readonly [member: string]: unknown }
  if (/^point$/i.test(String(type)) && Array.isArray(coordinates)) {
    return checked(coordinates[1], coordinates[0])
  }
  return checked(lat, lng ?? lon)
}

function checked(lat: unknown, lng: unknown): Place | null {
  const [north, east] = [degrees(lat, LAT_MAX), degrees(lng, LNG_MAX)]
  return north === null || east === null ? null : { lat: north, lng: east }
}

function degrees(value: unknown, max: number): number | null {
  const isText = typeof value === 'string' && value.trim() !== ''
  const number = typeof value === 'number' || isText ? Number(value) : Number.NaN
  return Math.abs(number) <= max ? number : null
}
