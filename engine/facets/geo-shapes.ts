// The documents whose `_geojson` shape meets a circle, a box or a polygon: first their boxes, then,
// where boxes meet, the shapes themselves. A circle is a polygon of so many corners. Shapes and
// polygons are flat, in degrees: only circles and boxes go round the back of the world.
import type { ShapesReader } from '../../format/columns/index.ts'
import { IdSet, IdUnion } from '../../format/idset/index.ts'
import type { GeojsonFilters } from '../filter/index.ts'
import { circleRegions } from './circle.ts'
import { Region } from './region.ts'
import type { ColumnsSegment } from './segments.ts'

/** Answers `_geojson` conditions from the columns of a view: live documents. */
export const geoShapes = (segments: readonly ColumnsSegment[]): GeojsonFilters => ({
  radius: (latitude, longitude, metres, corners) => {
    if (metres < 0) return IdSet.empty
    const regions = circleRegions(latitude, longitude, metres, corners)
    return meeting(
      segments,
      regions.map((rings) => new Region(rings)),
    )
  },
  box: (top, right, bottom, left) => {
    if (right >= left) return meeting(segments, [boxRegion(bottom, top, left, right)])
    const east = boxRegion(bottom, top, left, 180)
    return meeting(segments, [east, boxRegion(bottom, top, -180, right)])
  },
  polygon: (points) => meeting(segments, [new Region([Float64Array.from(points.flat())])]),
})

const boxRegion = (south: number, north: number, west: number, east: number): Region =>
  new Region([Float64Array.of(south, west, south, east, north, east, north, west)])

function meeting(segments: readonly ColumnsSegment[], regions: readonly Region[]): IdSet {
  let all = IdSet.empty
  for (const { reader, dead } of segments) {
    const shapes = reader.shapes()
    if (shapes === null) continue
    const union = new IdUnion(reader.lastId + 1)
    for (const region of regions) addMeeting(shapes, region, union)
    const found = union.take()
    all = all.or(dead === null ? found : found.andNot(dead))
  }
  return all
}

function addMeeting(shapes: ShapesReader, region: Region, union: IdUnion): void {
  const [south, north, west, east] = region.box
  const boxes = shapes.boxes()
  const holders = shapes.holders()
  for (let rank = 0, at = 0; rank < shapes.count; rank++, at += 4) {
    if (boxes[at]! > north || boxes[at + 1]! < south) continue
    if (boxes[at + 2]! > east || boxes[at + 3]! < west) continue
    if (region.meets(shapes.parts(rank))) union.add(holders.idAt(rank))
  }
}
