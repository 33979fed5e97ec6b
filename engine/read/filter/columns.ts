// What filters ask of an index. Implemented over the segments of a view; a plain fake serves the
// tests. Every answer holds live documents only: tombstones are applied.
//
// Numbers are 64-bit floats in total order, in which −0 stands before 0 and is another value. Texts
// are normalised facet values in UTF-8 byte order; the empty text is not a value here, even where
// it is stored.
//
// What is asked in numbers has a method of its own, so that a thousand conditions on a field take
// one pass over its values: the documents that any of them finds.
import type { IdSet } from '../../../format/idset/index.ts'

/** `low` is not above `high`; infinite bounds mean none. */
export type NumberRange = {
  readonly low: number
  readonly lowInclusive: boolean
  readonly high: number
  readonly highInclusive: boolean
}

/** `low` is not above `high`; null means no bound. */
export type TextRange = {
  readonly low: string
  readonly lowInclusive: boolean
  readonly high: string | null
  readonly highInclusive: boolean
}

/** A place in degrees and a distance from it. */
export type GeoCircle = {
  readonly latitude: number
  readonly longitude: number
  readonly metres: number
}

/** Called every few microseconds of long work; throws when it is to end. */
export type Checkpoint = () => void

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
  stringContains(field: number, part: string, checkpoint: Checkpoint): IdSet
  /** Documents whose `_geo` lies within `metres`, by great circle; none for a negative distance. */
  geoRadius(latitude: number, longitude: number, metres: number): IdSet

  /** Documents with any of these numbers. */
  numbersIn(field: number, values: ArrayLike<number>, checkpoint: Checkpoint): IdSet
  /** Documents with any of these texts; the empty one is not among them. */
  stringsIn(field: number, texts: ReadonlySet<string>, checkpoint: Checkpoint): IdSet
  numbersWithin(field: number, ranges: readonly NumberRange[], checkpoint: Checkpoint): IdSet
  /** Documents with a text in any of the ranges, or with any of the beginnings. */
  stringsWithin(
    field: number,
    ranges: readonly TextRange[],
    prefixes: readonly string[],
    checkpoint: Checkpoint,
  ): IdSet
  /** Documents with a text that contains any of the parts. */
  stringsContaining(field: number, parts: readonly string[], checkpoint: Checkpoint): IdSet
  /** For each part the documents with a text that contains it. */
  stringsContainingEach(
    field: number,
    parts: readonly string[],
    checkpoint: Checkpoint,
  ): readonly IdSet[]
  geoCircles(circles: readonly GeoCircle[], checkpoint: Checkpoint): IdSet
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
