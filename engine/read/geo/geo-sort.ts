// Orders candidates by their distance from a point, bucket by bucket. Documents within a metre of a
// bucket's first document share the bucket; documents without a point come last, in both
// directions.
import type { GeoReader } from '../../../format/columns/index.ts'
import type { DocId } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import {
  CandidatePart,
  type ColumnsSegment,
  candidateParts,
  type SortDirection,
} from '../facets/index.ts'
import { distanceMetres, type Place, type PlacedDocument } from './geo-distance.ts'
import { NearestPoints } from './geo-nearest.ts'

export type GeoBucket = {
  readonly ids: IdSet
  /**
   * The point of the bucket's first document and its distance in metres; null for documents without
   * a point.
   */
  readonly place: Place | null
  readonly distance: number | null
}

/**
 * Fewer candidates are sorted by whole metres; more are enumerated from the nearest on, by exact
 * distance.
 */
const SORTED_CANDIDATES = 1000
const BUCKET_METRES = 1
const BUCKET_IDS_MAX = 1000

/**
 * Yields the documents of `universe` in order of distance from a point in degrees.
 * @throws CorruptionError
 */
export function* geoSortBuckets(
  segments: readonly ColumnsSegment[],
  latitude: number,
  longitude: number,
  direction: SortDirection,
  universe: IdSet,
): Generator<GeoBucket, void, undefined> {
  const parts = placedParts(segments, universe)
  const count = parts.reduce((sum, part) => sum + part.size, 0)
  const from = { latitude, longitude }
  const next =
    count < SORTED_CANDIDATES ? sorted(parts, from, direction) : nearest(parts, from, direction)
  let first = next()
  while (first !== null) {
    const ids = [first.id]
    let other = next()
    while (other !== null && isNear(other, first) && ids.length < BUCKET_IDS_MAX) {
      ids.push(other.id)
      other = next()
    }
    const place = { latitude: first.latitude, longitude: first.longitude }
    yield { ids: IdSet.of(ids), place, distance: first.distance }
    first = other
  }
  const rest = parts.reduce((left, part) => left.andNot(part.set), universe)
  if (!rest.isEmpty) yield { ids: rest, place: null, distance: null }
}

const isNear = (a: PlacedDocument, b: PlacedDocument): boolean =>
  Math.abs(a.distance - b.distance) <= BUCKET_METRES

/** The candidates with a point, by segment. */
function placedParts(segments: readonly ColumnsSegment[], universe: IdSet): CandidatePart[] {
  const placed: CandidatePart[] = []
  for (const { segment, set } of candidateParts(segments, universe)) {
    const geo = segment.reader.geo()
    if (geo === null) continue
    const withPlace = set.and(geo.holders().set)
    if (!withPlace.isEmpty) placed.push(new CandidatePart(segment, withPlace))
  }
  return placed
}

type Source = () => PlacedDocument | null

/** Sorts all documents by whole metres, then by id; descending order is the exact reverse. */
function sorted(parts: readonly CandidatePart[], from: Place, direction: SortDirection): Source {
  const documents: PlacedDocument[] = []
  for (const { segment, ids } of parts) {
    const geo = segment.reader.geo()!
    for (const id of ids) documents.push(placedDocument(geo, geo.holders().rankOf(id), id, from))
  }
  documents.sort((a, b) => Math.floor(a.distance) - Math.floor(b.distance) || a.id - b.id)
  if (direction === 'desc') documents.reverse()
  let at = 0
  return () => documents[at++] ?? null
}

/** Enumerates only as many documents as requested. */
function nearest(parts: readonly CandidatePart[], from: Place, direction: SortDirection): Source {
  const points = new NearestPoints(parts, from, direction === 'desc')
  return () => points.next()
}

function placedDocument(geo: GeoReader, rank: number, id: DocId, from: Place): PlacedDocument {
  const latitude = geo.latitude(rank)
  const longitude = geo.longitude(rank)
  const distance = distanceMetres(from.latitude, from.longitude, latitude, longitude)
  return { id, latitude, longitude, distance }
}
