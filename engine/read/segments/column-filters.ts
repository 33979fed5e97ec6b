// Evaluates filter conditions on the columns of a view's segments: the union over segments, each
// without its dead documents. Results for a large segment, dead documents included, are cached for
// later views; small segments are read each time.
import { type ExactNumber, encoder, exactText, isBelow } from '../../../format/bytes/index.ts'
import type { ColumnsReader, FieldReader } from '../../../format/columns/index.ts'
import { STRING_BYTES_MAX } from '../../../format/fields/index.ts'
import type { FieldId } from '../../../format/ids.ts'
import { IdSet, IdUnion } from '../../../format/idset/index.ts'
import { facetHead } from '../../text/index.ts'
import type {
  Checkpoint,
  FilterColumns,
  GeoCircle,
  NumberRange,
  TextRange,
} from '../filter-syntax/index.ts'
import { type Found, nextSegmentKey, THREAD_SETS, uniteLive } from '../segment-text/index.ts'
import {
  addContaining,
  addNumbersIn,
  addNumbersWithin,
  addStringsIn,
  addStringsWithin,
  containingEach,
} from './column-unions.ts'
import { Needles } from './needles.ts'
import { addNumericTexts } from './numeric-texts.ts'
import type { LayerSegment } from './open-view.ts'

type Segment = LayerSegment<ColumnsReader>
/** Returns the documents in any of the circles. `engine/read/facets` has the geometry. */
export type GeoCircles = (circles: readonly GeoCircle[], checkpoint: Checkpoint) => IdSet

const noCheckpoint: Checkpoint = () => undefined

/** Values between two checks of the clock: about 0.2 ms. */
const STRIDE = 1024
/** Results for segments with fewer documents are not cached. */
const CACHED_DOCUMENTS_MIN = 512
/** UTF-16 units; longer conditions are lists made by programs, which rarely repeat. */
const CACHED_KEY_UNITS_MAX = 256

const keys = new WeakMap<ColumnsReader, string>()

/** The prefix of all cache keys of a segment. */
function keyOf(reader: ColumnsReader): string {
  let key = keys.get(reader)
  if (key === undefined) keys.set(reader, (key = nextSegmentKey(reader)))
  return key
}

export class ColumnFilters implements FilterColumns {
  readonly #segments: readonly Segment[]
  readonly #circles: GeoCircles

  constructor(segments: readonly Segment[], circles: GeoCircles) {
    this.#segments = segments
    this.#circles = circles
  }

  exists(field: FieldId): IdSet {
    return this.#each(field, 'exists', (reader) => reader.exists())
  }

  nulls(field: FieldId): IdSet {
    return this.#each(field, 'nulls', (reader) => reader.nulls())
  }

  empties(field: FieldId): IdSet {
    return this.#each(field, 'empties', (reader) => reader.empties())
  }

  numberEquals(field: FieldId, value: ExactNumber): IdSet {
    // Both zeros are one number.
    if (value === 0) return this.numberRange(field, 0, true, 0, true)
    return this.#each(field, `=${exactText(value)}`, (reader) => {
      const ordinal = reader.findNumber(value)
      return ordinal < 0 ? IdSet.empty : reader.numberPosting(ordinal)
    })
  }

  numberRange(
    field: FieldId,
    low: ExactNumber,
    lowInclusive: boolean,
    high: ExactNumber,
    highInclusive: boolean,
  ): IdSet {
    const ends = `${lowInclusive ? '[' : '('}${highInclusive ? ']' : ')'}`
    const range = { low, lowInclusive, high, highInclusive }
    return this.#ranges(field, `#${ends}${boundText(low)},${boundText(high)}`, (reader, union) =>
      addCountedWithin(reader, [range], union, noCheckpoint),
    )
  }

  stringEquals(field: FieldId, text: string): IdSet {
    const key = encoder.encode(text)
    if (key.length === 0 || key.length > STRING_BYTES_MAX) return IdSet.empty
    return this.#each(field, `"${text}`, (reader) => {
      const ordinal = reader.findString(key)
      return ordinal < 0 ? IdSet.empty : reader.stringPosting(ordinal)
    })
  }

  stringRange(
    field: FieldId,
    low: string,
    lowInclusive: boolean,
    high: string | null,
    highInclusive: boolean,
  ): IdSet {
    const first = encoder.encode(low)
    const last = high === null ? null : encoder.encode(high)
    const ends = `${lowInclusive ? '[' : '('}${highInclusive ? ']' : ')'}${low.length}`
    const range = `~${ends},${low}${high === null ? '' : `,${high}`}`
    return this.#ranges(field, range, (reader, union) => {
      const from = lowInclusive ? reader.stringLowerBound(first) : reader.stringUpperBound(first)
      let to = reader.stringCount
      if (last !== null) {
        to = highInclusive ? reader.stringUpperBound(last) : reader.stringLowerBound(last)
      }
      reader.addStrings(from, to, union)
    })
  }

  stringPrefix(field: FieldId, prefix: string): IdSet {
    return this.#ranges(field, `^${prefix}`, (reader, union) =>
      addStringsWithin(reader, [], [prefix], union, noCheckpoint),
    )
  }

  stringContains(field: FieldId, part: string, checkpoint: Checkpoint): IdSet {
    const needle = Buffer.from(facetHead(part))
    return this.#ranges(field, `*${part}`, (reader, union) => {
      if (needle.length === 0) {
        reader.addStrings(0, reader.stringCount, union)
        return
      }
      const walk = reader.walkStrings()
      if (walk === null) return
      for (let ordinal = 0; walk.next(); ordinal++) {
        if (ordinal % STRIDE === 0) checkpoint()
        const { bytes, length } = walk
        const text = Buffer.from(bytes.buffer, bytes.byteOffset, length)
        if (text.includes(needle)) reader.addStrings(ordinal, ordinal + 1, union)
      }
    })
  }

  geoRadius(latitude: number, longitude: number, metres: number): IdSet {
    return this.#circles([{ latitude, longitude, metres }], noCheckpoint)
  }

  numbersIn(field: FieldId, values: readonly ExactNumber[], checkpoint: Checkpoint): IdSet {
    // Both zeros are one number.
    const sorted = inOrder(values.includes(0) ? [...values, -0, 0] : values)
    return this.#ranges(field, null, (reader, union) =>
      addNumbersIn(reader, sorted, union, checkpoint),
    )
  }

  stringsIn(field: FieldId, texts: ReadonlySet<string>, checkpoint: Checkpoint): IdSet {
    return this.#ranges(field, null, (reader, union) =>
      addStringsIn(reader, texts, union, checkpoint),
    )
  }

  numbersWithin(field: FieldId, ranges: readonly NumberRange[], checkpoint: Checkpoint): IdSet {
    return this.#ranges(field, null, (reader, union) =>
      addCountedWithin(reader, ranges, union, checkpoint),
    )
  }

  stringsWithin(
    field: FieldId,
    ranges: readonly TextRange[],
    prefixes: readonly string[],
    checkpoint: Checkpoint,
  ): IdSet {
    return this.#ranges(field, null, (reader, union) =>
      addStringsWithin(reader, ranges, prefixes, union, checkpoint),
    )
  }

  stringsContaining(field: FieldId, parts: readonly string[], checkpoint: Checkpoint): IdSet {
    if (parts.length === 1 || parts.includes('')) {
      return this.stringContains(field, parts.includes('') ? '' : parts[0]!, checkpoint)
    }
    const needles = new Needles(parts.map((part) => encoder.encode(facetHead(part))))
    return this.#ranges(field, null, (reader, union) =>
      addContaining(reader, needles, union, checkpoint),
    )
  }

  stringsContainingEach(
    field: FieldId,
    parts: readonly string[],
    checkpoint: Checkpoint,
  ): readonly IdSet[] {
    const given = parts.filter((part) => part !== '')
    const needles = new Needles(given.map((part) => encoder.encode(facetHead(part))))
    const found: IdSet[] = Array.from({ length: needles.count }, () => IdSet.empty)
    for (const { reader, dead } of this.#segments) {
      const column = reader.field(field)
      if (column === null) continue
      const union = new IdUnion(reader.lastId + 1)
      const ranges = containingEach(column, needles, checkpoint)
      for (let rank = 0; rank < found.length; rank++) {
        checkpoint()
        ranges[rank]!.merged((from, to) => column.addStrings(from, to, union))
        found[rank] = found[rank]!.or(union.take().andNot(dead))
      }
    }
    let next = 0
    return parts.map((part) =>
      part === '' ? this.stringContains(field, '', checkpoint) : found[needles.rankOf(next++)]!,
    )
  }

  geoCircles(circles: readonly GeoCircle[], checkpoint: Checkpoint): IdSet {
    return this.#circles(circles, checkpoint)
  }

  /** `condition`: a cache key, different for different conditions; null disables the cache. */
  #each(
    field: FieldId,
    condition: string | null,
    answer: (reader: FieldReader, idEnd: number) => IdSet,
  ): IdSet {
    const found: Found[] = []
    for (const { reader, dead } of this.#segments) {
      const column = reader.field(field)
      if (column === null) continue
      const idEnd = reader.lastId + 1
      const isCached =
        condition !== null &&
        condition.length <= CACHED_KEY_UNITS_MAX &&
        reader.docCount >= CACHED_DOCUMENTS_MIN
      const set = isCached
        ? THREAD_SETS.one(`${keyOf(reader)}${field}${condition}`, () => answer(column, idEnd))
        : answer(column, idEnd)
      found.push({ set, dead })
    }
    return uniteLive(found)
  }

  #ranges(
    field: FieldId,
    condition: string | null,
    add: (reader: FieldReader, union: IdUnion) => void,
  ): IdSet {
    return this.#each(field, condition, (reader, idEnd) => {
      const union = new IdUnion(idEnd)
      add(reader, union)
      return union.take()
    })
  }
}

/** Bounds may be infinite. */
const boundText = (bound: ExactNumber): string =>
  typeof bound === 'number' && !Number.isFinite(bound) ? String(bound) : exactText(bound)

/** Typed arrays sort numbers in the order of columns, and much faster. */
const inOrder = (values: readonly ExactNumber[]): ArrayLike<ExactNumber> =>
  values.every((value) => typeof value === 'number')
    ? Float64Array.from(values).sort()
    : [...values].sort((a, b) => (isBelow(a, b) ? -1 : Number(isBelow(b, a))))

/** Adds the documents with a number, or a text that is one, in any of the ranges. */
function addCountedWithin(
  reader: FieldReader,
  ranges: readonly NumberRange[],
  union: IdUnion,
  checkpoint: Checkpoint,
): void {
  addNumbersWithin(reader, ranges, union, checkpoint)
  addNumericTexts(reader, ranges, union, checkpoint)
}
