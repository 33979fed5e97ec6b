// Converts a circle on the ground to regions of the flat map. Around a pole it becomes a band that
// reaches the edge of the map; around both poles it is the map with a hole. It is drawn three
// times, 360 degrees apart, so that points across the antimeridian are found on both sides.
import { EARTH_RADIUS_METRES } from './geo-distance.ts'
import type { Ring } from './region.ts'

const DEGREES = 180 / Math.PI
/** Larger than any longitude of the three copies of a circle. */
const FAR = 900
const COPIES = [-360, 0, 360] as const

/**
 * Returns the area within `metres` of a point as regions whose union it is, each with its rings;
 * `metres` is not negative.
 */
export function circleRegions(
  latitude: number,
  longitude: number,
  metres: number,
  corners: number,
): readonly (readonly Ring[])[] {
  const angle = metres / EARTH_RADIUS_METRES
  if (angle >= Math.PI) return [[WORLD]]
  const ring = ringOf(latitude, longitude, angle, corners)
  const north = latitude + angle * DEGREES > 90
  const south = latitude - angle * DEGREES < -90
  const turn = ring[ring.length - 1]! - ring[1]!
  const isAround = Math.abs(turn) > 180
  if (north && south) return [[WORLD, ...copiesOf(ring)]]
  if ((north || south) && isAround) return [[closedAtPole(ring, north ? 90 : -90)]]
  return copiesOf(ring).map((copy) => [copy])
}

const WORLD: Ring = Float64Array.of(-FAR, -FAR, -FAR, FAR, FAR, FAR, FAR, -FAR)

const copiesOf = (ring: Ring): Ring[] =>
  COPIES.map((shift) => ring.map((value, i) => (i % 2 === 0 ? value : value + shift)))

/** The corners in order; longitudes continue beyond 180 where the ring crosses it. */
function ringOf(latitude: number, longitude: number, angle: number, corners: number): Ring {
  const ring = new Float64Array(corners * 2)
  const sinLatitude = Math.sin(latitude / DEGREES)
  const cosLatitude = Math.cos(latitude / DEGREES)
  let before = longitude
  for (let i = 0; i < corners; i++) {
    const bearing = (2 * Math.PI * i) / corners
    const up = sinLatitude * Math.cos(angle) + cosLatitude * Math.sin(angle) * Math.cos(bearing)
    const sine = Math.max(-1, Math.min(1, up))
    const across = Math.sin(bearing) * Math.sin(angle) * cosLatitude
    const turned = Math.atan2(across, Math.cos(angle) - sinLatitude * sine) * DEGREES
    const place = angle === 0 ? longitude : nearest(longitude + turned, before)
    ring[i * 2] = angle === 0 ? latitude : Math.asin(sine) * DEGREES
    ring[i * 2 + 1] = place
    before = place
  }
  return ring
}

/** Returns the longitude of the same meridian that is nearest to `other`. */
const nearest = (longitude: number, other: number): number =>
  longitude - 360 * Math.round((longitude - other) / 360)

/**
 * Number of times a ring is repeated around the world, because it begins within 360 degrees of the
 * middle of the map.
 */
const TURNS = 5

/**
 * Joins a ring around the world, repeated several times, with the edge of the map at a pole. One
 * ring, because adjacent rings would leave a seam where values are rounded.
 */
function closedAtPole(ring: Ring, pole: number): Ring {
  const turn = ring[ring.length - 1]! > ring[1]! ? 360 : -360
  const end = ring.length * TURNS
  const closed = new Float64Array(end + 4)
  for (let t = 0, at = 0; t < TURNS; t++) {
    const shift = (t - (TURNS - 1) / 2) * turn
    for (let i = 0; i < ring.length; i += 2) {
      closed[at++] = ring[i]!
      closed[at++] = ring[i + 1]! + shift
    }
  }
  closed.set([pole, closed[end - 1]!, pole, closed[1]!], end)
  return closed
}
