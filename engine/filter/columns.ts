// What filters ask of an index. Implemented over the segments of a view; a plain fake serves the
// tests. Every answer holds live documents only: tombstones are applied.
//
// Numbers are 64-bit floats in total order, in which −0 stands before 0 and is another value. Texts
// are normalised facet values in UTF-8 byte order; the empty text is not a value here, even where
// it is stored.
import type { IdSet } from '../../format/idset/index.ts'

export interface FilterColumns {
  /** The key is present, whatever its value. */
  exists(field: number): IdSet
  /** The value is null and stands in no array. */
  nulls(field: number): IdSet
  /** The value is `""`, `[]` or `{}` and stands in no array. */
  empties(field: number): IdSet
  numberEquals(field: number, value: number): IdSet
  /** `low` is not above `high`; infinite bounds mean none. */
  numberRange(
    field: number,
    low: number,
    lowInclusive: boolean,
    high: number,
    highInclusive: boolean,
  ): IdSet
  stringEquals(field: number, text: string): IdSet
  /** `low` is not above `high`; null means no bound. */
  stringRange(
    field: number,
    low: string,
    lowInclusive: boolean,
    high: string | null,
    highInclusive: boolean,
  ): IdSet
  stringPrefix(field: number, prefix: string): IdSet
  /** Every text contains the empty one. */
  stringContains(field: number, part: string): IdSet
  /** Documents whose `_geo` lies within `metres`, by great circle; none for a negative distance. */
  geoRadius(latitude: number, longitude: number, metres: number): IdSet
}

/** Answers `_vectors` conditions. */
export interface VectorFilters {
  /** In byte order. */
  embedders(): readonly string[]
  /** Of an embedder that exists, in byte order. */
  fragments(embedder: string): readonly string[]
  /** Documents with a vector of any embedder. */
  any(): IdSet
  of(embedder: string, part: 'any' | 'userProvided' | 'documentTemplate' | 'regenerate'): IdSet
  ofFragment(embedder: string, fragment: string): IdSet
}

/** Answers `_shard` conditions: the documents of a shard, null where there is no such shard. */
export interface ShardFilters {
  documents(shard: string): IdSet | null
}

/** Answers `_geojson` conditions. Corners and points are [latitude, longitude]. */
export interface GeojsonFilters {
  radius(latitude: number, longitude: number, metres: number, resolution: number): IdSet
  box(top: number, right: number, bottom: number, left: number): IdSet
  polygon(points: readonly (readonly [number, number])[]): IdSet
}
