// The shape of a document: `_geojson` must be an object of RFC 7946, a geometry, a feature or a
// collection of either. All its geometries become parts of one shape. Clients depend on the
// messages.

import { decoder, encoder } from '../../../format/bytes/index.ts'
import {
  PART_HOLE,
  PART_LINE,
  PART_POINTS,
  PART_RING,
  type PartKind,
  type ShapePart,
} from '../../../format/columns/index.ts'
import { canonicalText } from '../../../format/json/index.ts'
import { isObject } from '../../../format/schema/index.ts'
import { EngineFault } from '../../model/index.ts'

type Members = { readonly [name: string]: unknown }

/**
 * Returns the parts of the shape of a `_geojson` value; no parts for a feature without a geometry.
 * Does not check whether rings are closed, cross themselves or have the right orientation.
 * @throws EngineFault invalid_document_geo_field
 */
export function readGeojson(value: Uint8Array): readonly ShapePart[] {
  const parsed: unknown = JSON.parse(decoder.decode(value))
  if (!isObject(parsed)) {
    throw fault(`Expected an owned Object, but got \`${canonicalText(value, 0)}\``)
  }
  const parts: ShapePart[] = []
  addObject(parsed, parts)
  return parts
}

const fault = (message: string): EngineFault =>
  new EngineFault('invalid_document_geo_field', message)

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'null'
  return `\`${canonicalText(encoder.encode(text), 0)}\``
}

function addObject(object: Members, parts: ShapePart[]): void {
  const type = typeOf(object)
  if (type === 'Feature') addFeature(object, parts)
  else if (type === 'FeatureCollection') addFeatures(object, parts)
  else if (GEOMETRIES.has(type)) addGeometry(type, object, parts)
  else throw fault('Expected a Feature, FeatureCollection, or Geometry, but got an empty type')
}

function typeOf(object: Members): string {
  const { type } = object
  if (typeof type === 'string') return type
  throw fault("Encountered an unknown 'geometry' object type: `type`")
}

function addFeature(feature: Members, parts: ShapePart[]): void {
  const geometry = memberOf(feature, 'geometry')
  if (geometry === null) return
  if (!isObject(geometry)) {
    throw fault(
      "Encountered neither object type nor null type for 'geometry' field on 'feature' object: " +
        shown(geometry),
    )
  }
  addNestedGeometry(geometry, parts)
}

function addFeatures(collection: Members, parts: ShapePart[]): void {
  for (const feature of arrayOf(memberOf(collection, 'features'))) {
    const members = objectOf(feature)
    const type = typeOf(members)
    if (type !== 'Feature') throw fault(`Expected GeoJSON type \`Feature\`, found \`${type}\``)
    addFeature(members, parts)
  }
}

function addNestedGeometry(geometry: Members, parts: ShapePart[]): void {
  const type = typeOf(geometry)
  if (!GEOMETRIES.has(type)) {
    throw fault(`Encountered an unknown 'geometry' object type: \`${type}\``)
  }
  addGeometry(type, geometry, parts)
}

/** By type of geometry, the function that converts its coordinates to parts. */
const GEOMETRIES: ReadonlyMap<string, (coordinates: unknown, parts: ShapePart[]) => void> = new Map(
  [
    ['Point', (c, parts) => addPart(PART_POINTS, [c], parts)],
    ['MultiPoint', (c, parts) => addPart(PART_POINTS, arrayOf(c), parts)],
    ['LineString', (c, parts) => addPart(PART_LINE, arrayOf(c), parts)],
    [
      'MultiLineString',
      (c, parts) => addEach(c, (line) => addPart(PART_LINE, arrayOf(line), parts)),
    ],
    ['Polygon', addPolygon],
    ['MultiPolygon', (c, parts) => addEach(c, (polygon) => addPolygon(polygon, parts))],
    ['GeometryCollection', (c, parts) => addEach(c, (g) => addNestedGeometry(objectOf(g), parts))],
  ],
)

function addGeometry(type: string, geometry: Members, parts: ShapePart[]): void {
  const member = type === 'GeometryCollection' ? 'geometries' : 'coordinates'
  GEOMETRIES.get(type)?.(memberOf(geometry, member), parts)
}

function addEach(list: unknown, add: (item: unknown) => void): void {
  for (const item of arrayOf(list)) add(item)
}

/** The first ring is the outer one; a polygon without points is ignored. */
function addPolygon(coordinates: unknown, parts: ShapePart[]): void {
  let kind: PartKind = PART_RING
  for (const ring of arrayOf(coordinates)) {
    if (!addPart(kind, arrayOf(ring), parts) && kind === PART_RING) return
    kind = PART_HOLE
  }
}

/** Positions are longitude, latitude and possibly further numbers, which are ignored. */
function addPart(kind: PartKind, positions: readonly unknown[], parts: ShapePart[]): boolean {
  if (positions.length === 0) return false
  const points = new Float64Array(positions.length * 2)
  for (const [i, position] of positions.entries()) {
    const numbers = arrayOf(position)
    if (numbers.length < 2) {
      throw fault(`A position must contain two or more elements, but got \`${numbers.length}\``)
    }
    for (const number of numbers) {
      if (typeof number === 'number' && Number.isFinite(number)) continue
      throw fault('Expected a floating-point value, but got None')
    }
    points[i * 2] = Number(numbers[1])
    points[i * 2 + 1] = Number(numbers[0])
  }
  parts.push({ kind, points })
  return true
}

function memberOf(object: Members, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name]
  throw fault(`Expected a GeoJSON property for \`${name}\`, but got None`)
}

function arrayOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw fault(`Expected an Array, but got ${shown(value)}`)
}

function objectOf(value: unknown): Members {
  if (isObject(value)) return value
  throw fault(`Expected an owned Object, but got ${shown(value)}`)
}
