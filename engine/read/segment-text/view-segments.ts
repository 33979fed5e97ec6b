// The segments of the text layer of one view: which is the largest, and which are small.
//
// Large segments stay across views: their results are cached with them (`segment-text.ts`). Small
// segments are short-lived: each search reads them, after a table has confirmed that they have the
// term (`small-terms.ts`).
import type { IdSet } from '../../../format/idset/index.ts'
import type { TextReader } from '../../../format/postings/index.ts'
import { mapped } from '../../runtime/index.ts'
import { SegmentText } from './segment-text.ts'
import { SmallTerms } from './small-terms.ts'

export type TextSegment = {
  readonly reader: TextReader
  /** Documents of the segment whose copy here is dead, or null. */
  readonly dead: IdSet | null
}

/**
 * Segments with up to this many documents are small, unless they are the largest. When 100
 * documents change at a time, the sets of a segment of 600 are used a few times before it is
 * merged.
 */
const SMALL_DOCUMENTS_MAX = 1024
/**
 * Segments with up to this many times as many documents also have a table of their terms, which
 * each thread builds once.
 */
const TABLE_FACTOR = 4
/**
 * A segment with a table and at most this part of SMALL_DOCUMENTS_MAX as novel terms is not walked:
 * a merged segment would have to be walked again for every misspelled word. With more terms it is
 * walked, because their dictionary is built for each view.
 */
const NOVEL_PART = 1 / 2

export class ViewSegments {
  readonly segments: readonly TextSegment[]
  /** One more than the largest document id of any segment. */
  readonly idEnd: number
  /** The index of the largest segment, which stays longest; -1 without segments. */
  readonly largest: number
  readonly anyDead: boolean
  readonly texts: readonly SegmentText[]
  /** By segment: its terms if it is small, null if it is large. */
  readonly small: readonly (SmallTerms | null)[]
  readonly anySmall: boolean
  /** The index of the only large segment; -1 if there are several. */
  readonly onlyLarge: number
  /** By segment: a table of its terms; null if it is the largest, or too large for one. */
  readonly tables: readonly (SmallTerms | null)[]
  /** A segment with a table and at most this many novel terms is not walked. */
  readonly novelFew: number

  constructor(segments: readonly TextSegment[], smallMax: number = SMALL_DOCUMENTS_MAX) {
    this.segments = segments
    this.idEnd = segments.reduce((end, { reader }) => Math.max(end, reader.idMax + 1), 0)
    this.anyDead = segments.some(({ dead }) => dead !== null && !dead.isEmpty)
    this.texts = mapped(segments, ({ reader }) => SegmentText.of(reader))
    this.novelFew = smallMax * NOVEL_PART
    const largest = largestOf(segments)
    this.largest = largest === null ? -1 : segments.indexOf(largest)
    this.tables = mapped(segments, ({ reader }, s) =>
      s === this.largest || reader.documentCount > smallMax * TABLE_FACTOR
        ? null
        : SmallTerms.of(reader),
    )
    this.small = mapped(this.tables, (table, s) =>
      segments[s]!.reader.documentCount > smallMax ? null : table,
    )
    this.anySmall = this.small.some((terms) => terms !== null)
    const first = this.small.indexOf(null)
    this.onlyLarge = this.small.lastIndexOf(null) === first ? first : -1
  }
}

const largestOf = (segments: readonly TextSegment[]): TextSegment | null =>
  segments.reduce<TextSegment | null>(
    (a, b) => (a === null || b.reader.documentCount > a.reader.documentCount ? b : a),
    null,
  )
