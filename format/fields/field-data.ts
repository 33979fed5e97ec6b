// One field of a segment in memory, the input of the encoder: produced by the builder and by
// merging. Everything is sorted, so equal content gives equal bytes.
import type { FieldId } from '../ids.ts'

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
  /** Document ids, ascending. */
  readonly holders: Uint32Array
  readonly starts: Uint32Array
  readonly ordinals: Uint32Array
}

export type NumbersData = {
  /** Distinct values in order, -0 before 0; with residues, pairs in order. Each occurs in a row. */
  readonly values: Float64Array
  /**
   * By value: the number minus the double, for whole numbers of 64 bits; null if the numbers are
   * the doubles.
   */
  readonly residues: Int16Array | null
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
  /** By variant: ordinal of its normalised string, in non-descending order. */
  readonly normalisedOf: Uint32Array
  /** Rows of variants; a document has at most one variant of a normalised string. */
  readonly rows: RowsData
}

export type FieldData = {
  readonly fieldId: FieldId
  /** Ids of the documents with the field, ascending. The next three are ascending ids too. */
  readonly exists: Uint32Array
  readonly nulls: Uint32Array
  readonly empties: Uint32Array
  readonly blanks: Uint32Array
  readonly numbers: NumbersData | null
  readonly strings: StringsData | null
}
