// Finds the documents whose `_geojson` shape intersects a circle, a box or a polygon: first by
// bounding boxes, then by the shapes themselves. A circle is converted to a polygon with a
// requested number of corners, and the upper and lower edges of a box are great circles. Shapes and
// polygons are flat, in degrees: only circles and boxes may cross the antimeridian.
import type { ShapesReader } from '../../../format/columns/index.ts'
import { IdSet, IdUnion } from '../../../format/idset/index.ts'
import type { ColumnsSegment } from '../facets/index.ts'
import type { Checkpoint, GeojsonFilters } from '../filter-syntax/index.ts'
import { circleRegions } from './circle.ts'
import { Region } from './region.ts'

/** Shapes between two checks of the clock. */
const STRIDE = 256

/** Evaluates `_geojson` conditions on the columns of a view; returns live documents. */
export function geoShapes(
  columns: readonly ColumnsSegment[],
  checkpoint: Checkpoint,
): GeojsonFilters {
  // Checked first, because building a region costs more than finding no shapes to compare.
  const segments = columns.filter(({ reader }) => reader.shapes() !== null)
  const meeting = (make: () => readonly Region[]): IdSet =>
    segments.length === 0 ? IdSet.empty : meetingSome(segments, make(), checkpoint)
  return {
    radius: (latitude, longitude, metres, corners) => {
      if (metres < 0) return IdSet.empty
      return meeting(() =>
        circleRegions(latitude, longitude, metres, corners).map((rings) => new Region(rings)),
      )
    },
    box: (top, right, bottom, left) =>
      meeting(() => {
        if (right >= left) return [boxRegion(bottom, top, left, right)]
        return [boxRegion(bottom, top, left, 180), boxRegion(bottom, top, -180, right)]
      }),
    polygon: (points) => meeting(() => [new Region([Float64Array.from(points.flat())])]),
  }
}

/** Degrees of longitude between corners of the upper and lower edge of a box. */
const CORNERS_DEGREES = 0.25

function boxRegion(south: number, north: number, west: number, east: number): Region {
  const lower = greatCircle(south, west, east)
  const upper = greatCircle(north, east, west)
  return new Region([Float64Array.from([...lower, ...upper])])
}

/**
 * Returns the corners of the shortest path between two points of one latitude, including both ends;
 * it bends towards the pole. If it would pass over the pole, and at the equator, it is the circle
 * of latitude.
 */
function greatCircle(latitude: number, from: number, to: number): number[] {
  const width = Math.abs(to - from)
  const isStraight = width >= 180 || latitude === 0 || Math.abs(latitude) >= 90
  const steps = isStraight ? 1 : Math.max(1, Math.ceil(width / CORNERS_DEGREES))
  const top = Math.tan(radians(latitude)) / Math.cos(radians(width / 2))
  const corners = [latitude, from]
  for (let i = 1; i < steps; i++) {
    const longitude = from + ((to - from) * i) / steps
    const share = Math.cos(radians(longitude - (from + to) / 2))
    corners.push((Math.atan(top * share) * 180) / Math.PI, longitude)
  }
  corners.push(latitude, to)
  return corners
}

const radians = (degrees: number): number => (degrees * Math.PI) / 180

function meetingSome(
  segments: readonly ColumnsSegment[],
  regions: readonly Region[],
  checkpoint: Checkpoint,
): IdSet {
  let all = IdSet.empty
  for (const { reader, dead } of segments) {
    const shapes = reader.shapes()
    if (shapes === null) continue
    const union = new IdUnion(reader.lastId + 1)
    for (const region of regions) addMeeting(shapes, region, union, checkpoint)
    const found = union.take()
    all = all.or(dead === null ? found : found.andNot(dead))
  }
  return all
}

function addMeeting(
  shapes: ShapesReader,
  region: Region,
  union: IdUnion,
  checkpoint: Checkpoint,
): void {
  const [south, north, west, east] = region.box
  const boxes = shapes.boxes()
  const holders = shapes.holders()
  for (let rank = 0, at = 0; rank < shapes.count; rank++, at += 4) {
    if (rank % STRIDE === 0) checkpoint()
    if (boxes[at]! > north || boxes[at + 1]! < south) continue
    if (boxes[at + 2]! > east || boxes[at + 3]! < west) continue
    if (region.meets(shapes.parts(rank))) union.add(holders.idAt(rank))
  }
}
