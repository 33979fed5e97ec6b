// One field of a segment in memory, in the one form that encoding starts from: what the builder
// collects and what merging puts together. Everything is sorted, so equal contents make equal
// bytes.

/** The documents of a segment, ascending. */
export type SegmentDocs = {
  readonly ids: Uint32Array
  /** The smallest id. */
  readonly first: number
  /** The largest id. */
  readonly last: number
}

/**
 * Values by document. Holder h is a document with at least one value; its value ordinals are
 * `ordinals[starts[h], starts[h + 1])`, ascending and distinct.
 */
export type RowsData = {
  /** Ids, ascending. */
  readonly holders: Uint32Array
  readonly starts: Uint32Array
  readonly ordinals: Uint32Array
}

export type NumbersData = {
  /** Distinct values in order, -0 before 0. Each occurs in a row. */
  readonly values: Float64Array
  readonly rows: RowsData
}

/** Byte strings inside a larger array: string i is `bytes[starts[i], ends[i])`. */
export type StringSlices = {
  readonly bytes: Uint8Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

export type StringsData = {
  /** Distinct normalised strings in byte order. */
  readonly normalised: StringSlices
  /**
   * Originals in order of (normalised ordinal, original bytes): the variants. Each occurs in a row.
   */
  readonly originals: StringSlices
  /** Variant → ordinal of its normalised string, not descending. */
  readonly normalisedOf: Uint32Array
  /** The ordinals are variants; a document has one variant of a normalised string at most. */
  readonly rows: RowsData
}

export type FieldData = {
  readonly fieldId: number
  /** Ids, ascending, like the next three. */
  readonly exists: Uint32Array
  readonly nulls: Uint32Array
  readonly empties: Uint32Array
  readonly blanks: Uint32Array
  readonly numbers: NumbersData | null
  readonly strings: StringsData | null
}
