// The lookups that filters need from an index. Implemented over the segments of a view, and over
// plain lists for tests. Every result contains only live documents.
//
// Numbers are compared exactly; −0 and 0 are one number.
// Texts are normalized facet values in UTF-8 byte order; the empty text is not a value here, even
// if it is stored.
//
// Methods for many conditions read the values of a field once, even for a thousand conditions, and
// return the documents that any of them matches.
import type { ExactNumber } from '../../../format/bytes/index.ts'
import type { ColumnsReader, ElementSpace } from '../../../format/columns/index.ts'
import type { FieldId } from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'

/** `low` is not above `high`; infinite bounds mean no bound. */
export type NumberRange = {
  readonly low: ExactNumber
  readonly lowInclusive: boolean
  readonly high: ExactNumber
  readonly highInclusive: boolean
}

/** `low` is not above `high`; null means no bound. */
export type TextRange = {
  readonly low: string
  readonly lowInclusive: boolean
  readonly high: string | null
  readonly highInclusive: boolean
}

/** A point in degrees and a distance from it. */
export type GeoCircle = {
  readonly latitude: number
  readonly longitude: number
  readonly metres: number
}

/** Called every few microseconds of long work; throws to end it. */
export type Checkpoint = () => void

/** An area in which places may be. */
export type Area = {
  /** Latitudes of its places; in degrees. */
  readonly south: number
  readonly north: number
  readonly holds: (latitude: number, longitude: number) => boolean
}

/** Makes the areas of geo conditions. Corners and points are [latitude, longitude]. */
export interface Areas {
  circle(circle: GeoCircle): Area
  /** A box whose right side is west of its left side crosses the antimeridian. */
  box(top: number, right: number, bottom: number, left: number): Area
  polygon(points: readonly (readonly [number, number])[]): Area
}

/** Where the elements of a path are. */
export type ElementPath = {
  /** The fields of the path and of all names it begins with, outermost first; -1 for unknown ones. */
  readonly fields: readonly FieldId[]
  /** The fields of all names below the path. */
  readonly below: readonly FieldId[]
}

/** Some elements: their numbers are ids of sets and of the columns. */
export type Elements = { readonly universe: IdSet; readonly columns: FilterColumns }

/** Elements of one segment. */
export type ElementGroup = Elements & {
  readonly segment: ColumnsReader
  /** The segment itself for documents that are their own elements. */
  readonly source: ColumnsReader | ElementSpace
  /** Returns the elements that are in some of the documents, or outer elements, asked. */
  readonly within: (outer: IdSet) => IdSet
}

export interface FilterColumns {
  /** The field is present, with any value. */
  exists(field: FieldId): IdSet
  /** The value is null, outside of arrays. */
  nulls(field: FieldId): IdSet
  /** The value is `""`, `[]` or `{}`, outside of arrays. */
  empties(field: FieldId): IdSet
  numberEquals(field: FieldId, value: ExactNumber): IdSet
  /**
   * Documents with a number in the range, or with a text that is one. `low` is not above `high`;
   * infinite bounds mean no bound.
   */
  numberRange(
    field: FieldId,
    low: ExactNumber,
    lowInclusive: boolean,
    high: ExactNumber,
    highInclusive: boolean,
  ): IdSet
  stringEquals(field: FieldId, text: string): IdSet
  /** `low` is not above `high`; null means no bound. */
  stringRange(
    field: FieldId,
    low: string,
    lowInclusive: boolean,
    high: string | null,
    highInclusive: boolean,
  ): IdSet
  stringPrefix(field: FieldId, prefix: string): IdSet
  /** Every text contains the empty part. */
  stringContains(field: FieldId, part: string, checkpoint: Checkpoint): IdSet
  /** Documents whose `_geo` is within `metres` by great circle; empty for a negative distance. */
  geoRadius(latitude: number, longitude: number, metres: number): IdSet

  /** Documents with any of these numbers. */
  numbersIn(field: FieldId, values: readonly ExactNumber[], checkpoint: Checkpoint): IdSet
  /** Documents with any of these texts, which must not include the empty one. */
  stringsIn(field: FieldId, texts: ReadonlySet<string>, checkpoint: Checkpoint): IdSet
  numbersWithin(field: FieldId, ranges: readonly NumberRange[], checkpoint: Checkpoint): IdSet
  /** Documents with a text in any of the ranges, or with any of the prefixes. */
  stringsWithin(
    field: FieldId,
    ranges: readonly TextRange[],
    prefixes: readonly string[],
    checkpoint: Checkpoint,
  ): IdSet
  /** Documents with a text that contains any of the parts. */
  stringsContaining(field: FieldId, parts: readonly string[], checkpoint: Checkpoint): IdSet
  /** For each part the documents with a text that contains it. */
  stringsContainingEach(
    field: FieldId,
    parts: readonly string[],
    checkpoint: Checkpoint,
  ): readonly IdSet[]
  geoCircles(circles: readonly GeoCircle[], checkpoint: Checkpoint): IdSet

  /** Documents with a place in the area whose coordinates are numbers of these fields. */
  placesIn(latitude: FieldId, longitude: FieldId, area: Area, checkpoint: Checkpoint): IdSet
  /**
   * Documents with an element that matches: an object at the path that has a field. `match` returns
   * those that match of some elements; it is called for each group of elements with columns of
   * their own. `key`: different for different conditions, or null if the result must not be cached.
   */
  elements(path: ElementPath, key: string | null, match: (elements: Elements) => IdSet): IdSet
  /** The elements at the path, dead documents included. */
  groups(path: ElementPath): readonly ElementGroup[]
}

/** Evaluates `_vectors` conditions. */
export interface VectorFilters {
  /** In byte order. */
  embedders(): readonly string[]
  /** Fragments of an existing embedder, in byte order. */
  fragments(embedder: string): readonly string[]
  /** Documents with a vector of any embedder. */
  any(): IdSet
  of(embedder: string, part: 'any' | 'userProvided' | 'documentTemplate' | 'regenerate'): IdSet
  ofFragment(embedder: string, fragment: string): IdSet
}

/** Evaluates `_shard` conditions. */
export interface ShardFilters {
  /** Returns true if the network has a shard with that name. */
  has(shard: string): boolean
  /** Returns the live documents of these shards. */
  union(shards: readonly string[]): IdSet
}

/** Evaluates `_geojson` conditions. Corners and points are [latitude, longitude]. */
export interface GeojsonFilters {
  radius(latitude: number, longitude: number, metres: number, resolution: number): IdSet
  box(top: number, right: number, bottom: number, left: number): IdSet
  polygon(points: readonly (readonly [number, number])[]): IdSet
}
