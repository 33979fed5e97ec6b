// The place of a document: `_geo` must be an object with exactly `lat` and `lng`, each a finite
// number or a string that parses as one. Clients depend on the messages.
import { decoder, startsWithBytes } from '../../../format/bytes/index.ts'
import { canonicalText, numberValue, skipValue } from '../../../format/json/index.ts'
import { EngineFault } from '../../model/index.ts'
import { parseNumber } from '../../text/index.ts'

type GeoObject = { [member: string]: unknown }

const LATITUDE = Buffer.from('{"lat":')
const LONGITUDE = Buffer.from(',"lng":')

/** Latitude and longitude. */
export type Place = readonly [number, number]

/**
 * Returns the place that the value of `_geo` names, or null for null.
 * @throws EngineFault invalid_document_geo_field
 */
export function readGeo(value: Uint8Array, externalId: Uint8Array): Place | null {
  const usual = readUsual(value)
  if (usual !== null) return usual
  const parsed: unknown = JSON.parse(decoder.decode(value))
  if (parsed === null) return null
  const id = decoder.decode(externalId)
  const where = `in the document with the id: \`${JSON.stringify(id)}\``
  if (typeof parsed !== 'object' || Array.isArray(parsed)) {
    throw fault(
      `The \`_geo\` field ${where} is not an object. Was expecting an object with the \`_geo.lat\` ` +
        `and \`_geo.lng\` fields but instead got \`${canonicalText(value, 0)}\`.`,
    )
  }
  const { lat, lng, ...others } = parsed as GeoObject
  checkPresence(lat, lng, where)
  const latitude = finite(lat)
  const longitude = finite(lng)
  checkNumbers(latitude, longitude, lat, lng, where)
  if (Object.keys(others).length > 0) {
    throw fault(
      `The \`_geo\` field ${where} contains the following unexpected fields: ` +
        `\`${JSON.stringify(others)}\`.`,
    )
  }
  return [latitude!, longitude!]
}

/**
 * Reads a value of the form `{"lat":1.5,"lng":-2}` without making strings or objects; null: another
 * form. Values that are not numbers become NaN.
 */
function readUsual(value: Uint8Array): Place | null {
  if (!startsWithBytes(value, LATITUDE)) return null
  const latitudeEnd = skipValue(value, LATITUDE.length)
  if (!startsWithBytes(value, LONGITUDE, latitudeEnd)) return null
  const longitudeAt = latitudeEnd + LONGITUDE.length
  const longitudeEnd = skipValue(value, longitudeAt)
  // Only the closing brace may follow.
  if (longitudeEnd !== value.length - 1) return null
  const latitude = numberValue(value, LATITUDE.length, latitudeEnd)
  const longitude = numberValue(value, longitudeAt, longitudeEnd)
  return Number.isFinite(latitude) && Number.isFinite(longitude) ? [latitude, longitude] : null
}

const fault = (message: string): EngineFault =>
  new EngineFault('invalid_document_geo_field', message)

function checkPresence(lat: unknown, lng: unknown, where: string): void {
  if (lat === undefined && lng === undefined) {
    throw fault(
      `Could not find latitude nor longitude ${where}. Was expecting \`_geo.lat\` and \`_geo.lng\` fields.`,
    )
  }
  if (lat === undefined) {
    throw fault(`Could not find latitude ${where}. Was expecting a \`_geo.lat\` field.`)
  }
  if (lng === undefined) {
    throw fault(`Could not find longitude ${where}. Was expecting a \`_geo.lng\` field.`)
  }
}

function checkNumbers(
  latitude: number | null,
  longitude: number | null,
  lat: unknown,
  lng: unknown,
  where: string,
): void {
  const got = (value: unknown): string => `\`${JSON.stringify(value)}\``
  const one = 'Was expecting a finite number but instead got'
  if (latitude === null && longitude === null) {
    throw fault(
      `Could not parse latitude nor longitude ${where}. Was expecting finite numbers but instead got ` +
        `${got(lat)} and ${got(lng)}.`,
    )
  }
  if (latitude === null) throw fault(`Could not parse latitude ${where}. ${one} ${got(lat)}.`)
  if (longitude === null) throw fault(`Could not parse longitude ${where}. ${one} ${got(lng)}.`)
}

function finite(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  return typeof value === 'string' ? parseNumber(value) : null
}
