// Finds the documents within a radius. Blocks of 64 neighboring points are accepted or rejected as
// a whole by their bounding sphere; distances are computed only near the rim.
import { GEO_BLOCK, type GeoReader } from '../../../format/columns/index.ts'
import { IdSet, IdUnion } from '../../../format/idset/index.ts'
import type { ColumnsSegment } from '../facets/index.ts'
import { chordOf, distanceMetres, spherePoint, toCentre } from './geo-distance.ts'

/** Margin for rounding, in units of the earth's radius: 6 mm. */
const MARGIN = 1e-9

/** Live documents at most `metres` from a point in degrees. @throws CorruptionError */
export function geoRadius(
  segments: readonly ColumnsSegment[],
  latitude: number,
  longitude: number,
  metres: number,
): IdSet {
  let all = IdSet.empty
  for (const { reader, dead } of segments) {
    const geo = reader.geo()
    if (geo === null) continue
    const union = new IdUnion(reader.lastId + 1)
    addWithin(geo, { latitude, longitude, metres }, union)
    const found = union.take()
    all = all.or(dead === null ? found : found.andNot(dead))
  }
  return all
}

type Circle = { readonly latitude: number; readonly longitude: number; readonly metres: number }

function addWithin(geo: GeoReader, circle: Circle, union: IdUnion): void {
  if (geo.blockCount === 0) {
    for (let rank = 0; rank < geo.count; rank++) addIfWithin(geo, rank, circle, union)
    return
  }
  const spheres = geo.spheres()
  const centre = spherePoint(circle.latitude, circle.longitude)
  const limit = chordOf(circle.metres)
  for (let block = 0; block < geo.blockCount; block++) {
    const distance = toCentre(centre, spheres, block)
    const radius = spheres[block * 4 + 3]!
    if (distance - radius > limit + MARGIN) continue
    const end = Math.min((block + 1) * GEO_BLOCK, geo.count)
    const isInside = distance + radius < limit - MARGIN
    for (let slot = block * GEO_BLOCK; slot < end; slot++) {
      const rank = geo.rankAt(slot)
      if (isInside) union.add(geo.holders().idAt(rank))
      else addIfWithin(geo, rank, circle, union)
    }
  }
}

function addIfWithin(geo: GeoReader, rank: number, circle: Circle, union: IdUnion): void {
  const { latitude, longitude, metres } = circle
  const distance = distanceMetres(latitude, longitude, geo.latitude(rank), geo.longitude(rank))
  if (distance <= metres) union.add(geo.holders().idAt(rank))
}
