// The documents whose `_geojson` shape meets a circle, a box or a polygon: first their boxes, then,
// where boxes meet, the shapes themselves. A circle is a polygon of so many corners. Shapes and
// polygons are flat, in degrees: only circles and boxes go round the back of the world.
import type { ShapesReader } from '../../../format/columns/index.ts'
import { IdSet, IdUnion } from '../../../format/idset/index.ts'
import type { Checkpoint, GeojsonFilters } from '../filter/index.ts'
import { circleRegions } from './circle.ts'
import { Region } from './region.ts'
import type { ColumnsSegment } from './segments.ts'

/** Shapes between two looks at the clock. */
const STRIDE = 256

/** Answers `_geojson` conditions from the columns of a view: live documents. */
export function geoShapes(
  columns: readonly ColumnsSegment[],
  checkpoint: Checkpoint,
): GeojsonFilters {
  // Making a region costs more than finding that there is nothing to compare it with.
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

const boxRegion = (south: number, north: number, west: number, east: number): Region =>
  new Region([Float64Array.of(south, west, south, east, north, east, north, west)])

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
