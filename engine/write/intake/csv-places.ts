// Places in CSV: a column `_geo` of texts `lat,lng`, or two columns `_geo.lat` and `_geo.lng`, become
// the object `{"lat":…,"lng":…}` that a place is in JSON.
import { type JsonBuffer, jsonKey } from '../../../format/json/index.ts'
import { EngineFault } from '../../model/index.ts'
import { type CellKind, numberOf } from './csv-cells.ts'
import { shortened } from './faults.ts'

const PLACE = '_geo'
const LATITUDE = '_geo.lat'
const LONGITUDE = '_geo.lng'

/** The columns of a place: both are the same where one cell has both numbers. */
export type PlaceColumns = { readonly latitude: number; readonly longitude: number }

/** The position of a cell in the body: data row and line of its file, both from 1. */
export type CellPosition = { readonly row: number; readonly line: number }

/**
 * Takes the columns of a place out of `columnOf` and puts one for the member `_geo` at the position
 * of the first of them. Returns null if there is no place. `declared`: the type that the head of each
 * column names, or null.
 */
export function placeColumns(
  columnOf: Map<string, number>,
  declared: readonly (CellKind | null)[],
): PlaceColumns | null {
  const whole = columnOf.get(PLACE)
  if (whole !== undefined) {
    return declared[whole] === null ? { latitude: whole, longitude: whole } : null
  }
  const latitude = columnOf.get(LATITUDE)
  const longitude = columnOf.get(LONGITUDE)
  if (latitude === undefined || longitude === undefined) return null
  if (![latitude, longitude].every((one) => NUMERIC.has(declared[one]!))) return null
  const columns = [...columnOf]
  columnOf.clear()
  for (const [name, column] of columns) {
    if (column !== latitude && column !== longitude) columnOf.set(name, column)
    else columnOf.set(PLACE, latitude)
  }
  return { latitude, longitude }
}

const NUMERIC: ReadonlySet<CellKind | null> = new Set([null, 'number'])

const KEY_OF_LATITUDE = jsonKey('lat')
const KEY_OF_LONGITUDE = jsonKey('lng')

/**
 * Writes the place of two cells, or of one that has both numbers and comes twice; null if all are
 * blank. @throws EngineFault invalid_document_geo_field
 */
export function placeCell(
  latitude: string,
  longitude: string,
  isOneCell: boolean,
  position: CellPosition,
  out: JsonBuffer,
): void {
  const cells = isOneCell ? latitude.split(',') : [latitude, longitude]
  if (cells.every((cell) => cell.trim() === '')) {
    out.ascii('null')
    return
  }
  const [lat, lng] = cells.map((cell) => coordinateOf(cell))
  if (cells.length !== 2 || lat === null || lng === null) {
    throw noPlace(isOneCell ? [latitude] : cells, position)
  }
  out.ascii('{')
  out.append(KEY_OF_LATITUDE, 0, KEY_OF_LATITUDE.length)
  out.ascii(`:${lat},`)
  out.append(KEY_OF_LONGITUDE, 0, KEY_OF_LONGITUDE.length)
  out.ascii(`:${lng}}`)
}

/** Returns the JSON of a finite number, or null. */
function coordinateOf(cell: string): string | null {
  const number = numberOf(cell.trim())
  return number === 'null' ? null : number
}

function noPlace(cells: readonly string[], { line, row }: CellPosition): EngineFault {
  const [expected, subject] =
    cells.length === 1
      ? ['two finite numbers, `lat,lng`,', '`_geo` field']
      : ['two finite numbers', 'pair of `_geo.lat` and `_geo.lng`']
  const got = cells.map((cell) => `\`${shortened(JSON.stringify(cell))}\``).join(' and ')
  return new EngineFault(
    'invalid_document_geo_field',
    `The ${subject} in row ${row} (line ${line}) of the \`csv\` payload is no place. ` +
      `Was expecting ${expected} but instead got ${got}.`,
  )
}
