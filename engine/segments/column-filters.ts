// What filters ask, answered from the columns of a view's segments: the union over segments, each
// without its dead documents.
import {
  type ColumnsReader,
  type FieldReader,
  STRING_BYTES_MAX,
} from '../../format/columns/index.ts'
import { IdSet, IdUnion } from '../../format/idset/index.ts'
import type { FilterColumns } from '../filter/index.ts'
import type { LayerSegment } from './open-view.ts'

type Segment = LayerSegment<ColumnsReader>
/** Answers a radius; `engine/facets` has the geometry. */
export type GeoRadius = (latitude: number, longitude: number, metres: number) => IdSet

const encoder = new TextEncoder()

export class ColumnFilters implements FilterColumns {
  readonly #segments: readonly Segment[]
  readonly #radius: GeoRadius

  constructor(segments: readonly Segment[], radius: GeoRadius) {
    this.#segments = segments
    this.#radius = radius
  }

  exists(field: number): IdSet {
    return this.#each(field, (reader) => reader.exists())
  }

  nulls(field: number): IdSet {
    return this.#each(field, (reader) => reader.nulls())
  }

  empties(field: number): IdSet {
    return this.#each(field, (reader) => reader.empties())
  }

  numberEquals(field: number, value: number): IdSet {
    return this.#each(field, (reader) => {
      const ordinal = reader.findNumber(value)
      return ordinal < 0 ? IdSet.empty : reader.numberPosting(ordinal)
    })
  }

  numberRange(
    field: number,
    low: number,
    lowInclusive: boolean,
    high: number,
    highInclusive: boolean,
  ): IdSet {
    return this.#ranges(field, (reader, union) => {
      const from = lowInclusive ? reader.numberLowerBound(low) : reader.numberUpperBound(low)
      const to = highInclusive ? reader.numberUpperBound(high) : reader.numberLowerBound(high)
      reader.addNumbers(from, to, union)
    })
  }

  stringEquals(field: number, text: string): IdSet {
    const key = encoder.encode(text)
    if (key.length === 0 || key.length > STRING_BYTES_MAX) return IdSet.empty
    return this.#each(field, (reader) => {
      const ordinal = reader.findString(key)
      return ordinal < 0 ? IdSet.empty : reader.stringPosting(ordinal)
    })
  }

  stringRange(
    field: number,
    low: string,
    lowInclusive: boolean,
    high: string | null,
    highInclusive: boolean,
  ): IdSet {
    const first = encoder.encode(low)
    const last = high === null ? null : encoder.encode(high)
    return this.#ranges(field, (reader, union) => {
      const from = lowInclusive ? reader.stringLowerBound(first) : reader.stringUpperBound(first)
      let to = reader.stringCount
      if (last !== null) {
        to = highInclusive ? reader.stringUpperBound(last) : reader.stringLowerBound(last)
      }
      reader.addStrings(from, to, union)
    })
  }

  stringPrefix(field: number, prefix: string): IdSet {
    const key = encoder.encode(prefix)
    return this.#ranges(field, (reader, union) => {
      reader.addStrings(reader.stringLowerBound(key), reader.stringPrefixEnd(key), union)
    })
  }

  stringContains(field: number, part: string): IdSet {
    const needle = Buffer.from(part)
    return this.#ranges(field, (reader, union) => {
      if (needle.length === 0) {
        reader.addStrings(0, reader.stringCount, union)
        return
      }
      const walk = reader.walkStrings()
      if (walk === null) return
      for (let ordinal = 0; walk.next(); ordinal++) {
        const { bytes, length } = walk
        const text = Buffer.from(bytes.buffer, bytes.byteOffset, length)
        if (text.includes(needle)) reader.addStrings(ordinal, ordinal + 1, union)
      }
    })
  }

  geoRadius(latitude: number, longitude: number, metres: number): IdSet {
    return this.#radius(latitude, longitude, metres)
  }

  #each(field: number, answer: (reader: FieldReader) => IdSet): IdSet {
    let all = IdSet.empty
    for (const { reader, dead } of this.#segments) {
      const column = reader.field(field)
      if (column !== null) all = all.or(answer(column).andNot(dead))
    }
    return all
  }

  #ranges(field: number, add: (reader: FieldReader, union: IdUnion) => void): IdSet {
    let all = IdSet.empty
    for (const { reader, dead } of this.#segments) {
      const column = reader.field(field)
      if (column === null) continue
      const union = new IdUnion(reader.lastId + 1)
      add(column, union)
      all = all.or(union.take().andNot(dead))
    }
    return all
  }
}
