// Distances on a sphere of 6,371 km. Two measures with the same order: along the ground, as answers
// show it, and straight through the sphere, which needs no angles and is used to exclude whole
// blocks of points.
import type { DocId } from '../../../format/ids.ts'

export const EARTH_RADIUS_METRES = 6_371_000
const RADIANS = Math.PI / 180

/** In degrees. */
export type Place = { readonly latitude: number; readonly longitude: number }

/** A document with a point, and its distance in metres. */
export type PlacedDocument = Place & { readonly id: DocId; readonly distance: number }

/**
 * Returns the metres along the ground between two points in degrees by the haversine formula,
 * rounded to millimetres.
 */
export function distanceMetres(
  latitude: number,
  longitude: number,
  otherLatitude: number,
  otherLongitude: number,
): number {
  const up = Math.sin(((otherLatitude - latitude) * RADIANS) / 2)
  const across = Math.sin(((otherLongitude - longitude) * RADIANS) / 2)
  const cosines = Math.cos(latitude * RADIANS) * Math.cos(otherLatitude * RADIANS)
  const squared = up * up + cosines * across * across
  const metres = 2 * EARTH_RADIUS_METRES * Math.asin(Math.min(1, Math.sqrt(squared)))
  return Math.round(metres * 1000) / 1000
}

/** A point of the unit sphere. */
export type SpherePoint = { readonly x: number; readonly y: number; readonly z: number }

export function spherePoint(latitude: number, longitude: number): SpherePoint {
  const flat = Math.cos(latitude * RADIANS)
  return {
    x: flat * Math.cos(longitude * RADIANS),
    y: flat * Math.sin(longitude * RADIANS),
    z: Math.sin(latitude * RADIANS),
  }
}

/**
 * Returns the straight distance from a point to the centre of block `block` of `GeoReader.spheres`.
 */
export function toCentre({ x, y, z }: SpherePoint, spheres: Float64Array, block: number): number {
  const dx = spheres[block * 4]! - x
  const dy = spheres[block * 4 + 1]! - y
  const dz = spheres[block * 4 + 2]! - z
  return Math.sqrt(dx * dx + dy * dy + dz * dz)
}

/** Returns the straight distance for `metres` along the ground: 0 to 2. */
export const chordOf = (metres: number): number =>
  2 * Math.sin(Math.min(metres / (2 * EARTH_RADIUS_METRES), Math.PI / 2))

/** Returns the metres along the ground for a straight distance. */
export const metresOf = (chord: number): number =>
  2 * EARTH_RADIUS_METRES * Math.asin(Math.min(1, Math.max(0, chord) / 2))
