// Evaluates filter conditions on the columns of a view's segments: the union over segments, each
// without its dead documents. Results for a large segment, dead documents included, are cached for
// later views; small segments are read each time.
import { type ExactNumber, encoder, exactText, isBelow } from '../../../format/bytes/index.ts'
import type { ColumnsReader, ElementSpace, FieldReader } from '../../../format/columns/index.ts'
import type { FieldId } from '../../../format/ids.ts'
import { IdSet, IdUnion } from '../../../format/idset/index.ts'
import { facetHead } from '../../text/index.ts'
import type {
  Area,
  Checkpoint,
  ElementGroup,
  ElementPath,
  Elements,
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
import { groupsOf, placesIn, type Source } from './element-groups.ts'
import { Needles } from './needles.ts'
import { addNumericTexts } from './numeric-texts.ts'
import type { LayerSegment } from './open-view.ts'

type Segment =
  | Pick<LayerSegment<ColumnsReader>, 'reader' | 'dead'>
  | { readonly reader: ElementSpace; readonly dead: IdSet; readonly segment: ColumnsReader }
/** Returns the documents in any of the circles. `engine/read/facets` has the geometry. */
export type GeoCircles = (circles: readonly GeoCircle[], checkpoint: Checkpoint) => IdSet

const noCheckpoint: Checkpoint = () => undefined

/** Values between two checks of the clock: about 0.2 ms. */
const STRIDE = 1024
/** Results for segments with fewer documents are not cached. */
const CACHED_DOCUMENTS_MIN = 512
/** UTF-16 units; longer conditions are lists made by programs, which rarely repeat. */
const CACHED_KEY_UNITS_MAX = 256

const keys = new WeakMap<Source, string>()

/** The prefix of all cache keys of a segment, or of a space in it. */
function keyOf(segment: Segment): string {
  const { reader } = segment
  let key = keys.get(reader)
  if (key === undefined) keys.set(reader, (key = nextSegmentKey(segmentOf(segment))))
  return key
}

const segmentOf = (one: Segment): ColumnsReader => ('segment' in one ? one.segment : one.reader)

/** Returns the columns of one segment or space, dead documents included. */
function filtersOf(source: Source, segment: ColumnsReader): ColumnFilters {
  const dead = IdSet.empty
  const one = 'parent' in source ? { reader: source, dead, segment } : { reader: source, dead }
  return new ColumnFilters([one], () => IdSet.empty)
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
    if (key.length === 0) return IdSet.empty
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

  placesIn(latitude: FieldId, longitude: FieldId, area: Area, checkpoint: Checkpoint): IdSet {
    const found: Found[] = []
    for (const { reader, dead } of this.#segments) {
      const [latitudes, longitudes] = [reader.field(latitude), reader.field(longitude)]
      if (latitudes === null || longitudes === null) continue
      found.push({ set: placesIn(latitudes, longitudes, area, checkpoint), dead })
    }
    return uniteLive(found)
  }

  elements(path: ElementPath, key: string | null, match: (elements: Elements) => IdSet): IdSet {
    const found: Found[] = []
    for (const segment of this.#segments) {
      const set = this.#cached(segment, key === null ? null : `[${key}`, () =>
        elementsIn(segment, path, match),
      )
      found.push({ set, dead: segment.dead })
    }
    return uniteLive(found)
  }

  groups(path: ElementPath): readonly ElementGroup[] {
    return this.#segments.flatMap((one) =>
      groupsOf(one.reader, path).map(({ source, universe, spaces }) => ({
        segment: segmentOf(one),
        source,
        universe,
        columns: filtersOf(source, segmentOf(one)),
        within: (outer) => spaces.reduce((ids, space) => space.rowsOf(ids), outer).and(universe),
      })),
    )
  }

  /** `condition`: a cache key, different for different conditions; null disables the cache. */
  #each(
    field: FieldId,
    condition: string | null,
    answer: (reader: FieldReader, idEnd: number) => IdSet,
  ): IdSet {
    const found: Found[] = []
    for (const segment of this.#segments) {
      const { reader, dead } = segment
      const column = reader.field(field)
      if (column === null) continue
      const idEnd = reader.lastId + 1
      const key = condition === null ? null : `${field}${condition}`
      const set = this.#cached(segment, key, () => answer(column, idEnd))
      found.push({ set, dead })
    }
    return uniteLive(found)
  }

  #cached(segment: Segment, key: string | null, answer: () => IdSet): IdSet {
    const { reader } = segment
    const isCached =
      key !== null && key.length <= CACHED_KEY_UNITS_MAX && reader.docCount >= CACHED_DOCUMENTS_MIN
    return isCached ? THREAD_SETS.one(`${keyOf(segment)}${key}`, answer) : answer()
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

/** Returns the documents of one segment, or elements of one space, with an element that matches. */
function elementsIn(
  segment: Segment,
  path: ElementPath,
  match: (elements: Elements) => IdSet,
): IdSet {
  let found = IdSet.empty
  for (const { source, universe, spaces } of groupsOf(segment.reader, path)) {
    let ids = match({ universe, columns: filtersOf(source, segmentOf(segment)) }).and(universe)
    for (const space of spaces.toReversed()) ids = space.ownersOf(ids)
    found = found.or(ids)
  }
  return found
}
