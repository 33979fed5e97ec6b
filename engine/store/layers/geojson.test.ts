// Shapes of documents: the parts of each GeoJSON type, and the messages for invalid shapes.
import { describe, expect, it } from 'vitest'
import {
  PART_HOLE,
  PART_LINE,
  PART_POINTS,
  PART_RING,
  type PartKind,
} from '../../../format/columns/index.ts'
import { EngineFault } from '../../model/index.ts'
import { readGeojson } from './geojson.ts'

const read = (json: string) => readGeojson(new TextEncoder().encode(json))
const of = (object: unknown) => read(JSON.stringify(object))
const part = (kind: PartKind, ...points: readonly number[]) => ({
  kind,
  points: Float64Array.from(points),
})

const POINT = { type: 'Point', coordinates: [2, 48, 100] }
const SQUARE = [
  [[0, 0] as const, [9, 0] as const, [9, 9] as const, [0, 9] as const, [0, 0] as const],
]
const SQUARE_PART = part(PART_RING, 0, 0, 0, 9, 9, 9, 9, 0, 0, 0)

describe('a shape', () => {
  it('has the points of each geometry, longitudes first', () => {
    const line = [
      [1, 2],
      [3, 4],
    ]
    const cases: readonly [string, unknown, readonly unknown[]][] = [
      ['Point', [2, 48], [part(PART_POINTS, 48, 2)]],
      ['MultiPoint', line, [part(PART_POINTS, 2, 1, 4, 3)]],
      ['LineString', line, [part(PART_LINE, 2, 1, 4, 3)]],
      ['MultiLineString', [line, line], [part(PART_LINE, 2, 1, 4, 3), part(PART_LINE, 2, 1, 4, 3)]],
      ['Polygon', SQUARE, [SQUARE_PART]],
      ['Polygon', [...SQUARE, line], [SQUARE_PART, part(PART_HOLE, 2, 1, 4, 3)]],
      ['MultiPolygon', [SQUARE, SQUARE], [SQUARE_PART, SQUARE_PART]],
      ['MultiPoint', [], []],
      ['Polygon', [], []],
      ['Polygon', [[], line], []],
      ['MultiPolygon', [], []],
    ]
    for (const [type, coordinates, parts] of cases) {
      expect(of({ type, coordinates }), type).toEqual(parts)
    }
  })

  it('holds all geometries of collections and features', () => {
    const both = [part(PART_POINTS, 48, 2), SQUARE_PART]
    const collection = {
      type: 'GeometryCollection',
      geometries: [
        POINT,
        { type: 'GeometryCollection', geometries: [{ type: 'Polygon', coordinates: SQUARE }] },
      ],
    }
    expect(of(collection)).toEqual(both)
    const feature = (geometry: unknown) => ({ type: 'Feature', geometry, properties: {} })
    expect(of(feature(POINT))).toEqual([both[0]])
    expect(of(feature(null))).toEqual([])
    const features = [feature(collection), feature(null), feature(POINT)]
    expect(of({ type: 'FeatureCollection', features })).toEqual([...both, both[0]])
  })

  it('is refused with the messages that clients depend on', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['5', 'Expected an owned Object, but got `5`'],
      ['null', 'Expected an owned Object, but got `null`'],
      ['"x"', 'Expected an owned Object, but got `"x"`'],
      ['[]', 'Expected an owned Object, but got `[]`'],
      ['{}', "Encountered an unknown 'geometry' object type: `type`"],
      [
        '{"type":"Nope"}',
        'Expected a Feature, FeatureCollection, or Geometry, but got an empty type',
      ],
      ['{"type":"Point","coordinates":["a",1]}', 'Expected a floating-point value, but got None'],
      ['{"type":"Point","coordinates":[1e999,1]}', 'Expected a floating-point value, but got None'],
      ['{"type":"Point"}', 'Expected a GeoJSON property for `coordinates`, but got None'],
      [
        '{"type":"Point","coordinates":[1]}',
        'A position must contain two or more elements, but got `1`',
      ],
      ['{"type":"Polygon","coordinates":[1]}', 'Expected an Array, but got `1`'],
      ['{"type":"Feature"}', 'Expected a GeoJSON property for `geometry`, but got None'],
      [
        '{"type":"Feature","geometry":[5]}',
        "Encountered neither object type nor null type for 'geometry' field on 'feature' object: `[5]`",
      ],
      [
        '{"type":"Feature","geometry":{"type":"Feature"}}',
        "Encountered an unknown 'geometry' object type: `Feature`",
      ],
      [
        '{"type":"FeatureCollection","features":[{"type":"Point","coordinates":[1,2]}]}',
        'Expected GeoJSON type `Feature`, found `Point`',
      ],
      ['{"type":"GeometryCollection","geometries":[3]}', 'Expected an owned Object, but got `3`'],
    ]
    for (const [json, message] of cases) {
      expect(() => read(json), json).toThrow(new EngineFault('invalid_document_geo_field', message))
    }
  })
})
