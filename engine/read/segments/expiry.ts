// The documents that have expired: the attribute that the setting `expiresAtAttribute` names has a
// moment in the past (docs/search-semantics.md#documents-that-expire). Nothing is stored for it: the
// set follows from the columns of the field and the time.
import type { ColumnsReader, FieldReader } from '../../../format/columns/index.ts'
import type { FieldId } from '../../../format/ids.ts'
import { type IdSet, IdUnion } from '../../../format/idset/index.ts'
import { type Found, uniteLive } from '../segment-text/index.ts'
import { OrdinalRanges } from './ordinal-ranges.ts'

/** A segment of columns with the dead documents of a view. */
type Segment = { readonly reader: ColumnsReader; readonly dead: IdSet }

/**
 * Smaller numbers are seconds since 1970 (until the year 5138), others milliseconds (from March
 * 1973 on).
 */
const MILLISECONDS_MIN = 100_000_000_000

/** Returns the seconds since 1970 that a number stands for. */
export const secondsOf = (value: number): number =>
  value < MILLISECONDS_MIN ? value : value / 1000

/** The live documents of a view that have not expired; computed again when the next one expires. */
export class Expiry {
  readonly #segments: () => readonly Segment[]
  readonly #field: FieldId
  readonly #now: () => number
  #lasting: IdSet | null = null
  /** The set is right from this moment on, and until the other one. */
  #from = 0
  #until = 0

  /** `now`: milliseconds since 1970. */
  constructor(segments: () => readonly Segment[], field: FieldId, now: () => number) {
    this.#segments = segments
    this.#field = field
    this.#now = now
  }

  /** Returns `live` without expired documents: the same object while no document has expired. */
  lasting(live: IdSet): IdSet {
    const now = this.#now()
    if (this.#lasting !== null && now >= this.#from && now < this.#until) return this.#lasting
    const { ids, next } = expiredAt(this.#segments(), this.#field, now)
    this.#lasting = ids.isEmpty ? live : live.andNot(ids)
    this.#from = now
    this.#until = next
    return this.#lasting
  }
}

/** Documents that have expired, and the moment at which the next one will. */
export type Expired = { readonly ids: IdSet; readonly next: number }

/** Returns the live documents that have expired at `now`, in milliseconds since 1970. */
export function expiredAt(segments: readonly Segment[], field: FieldId, now: number): Expired {
  const found: Found[] = []
  let next = Number.POSITIVE_INFINITY
  for (const { reader, dead } of segments) {
    const column = reader.field(field)
    if (column === null) continue
    const union = new IdUnion(reader.lastId + 1)
    next = Math.min(next, addNumbers(column, now, union), addTexts(column, now, union))
    found.push({ set: union.take(), dead })
  }
  return { ids: uniteLive(found), next }
}

/** Adds the documents with a number in the past; returns the next number's moment. */
function addNumbers(column: FieldReader, now: number, union: IdUnion): number {
  const border = column.numberLowerBound(MILLISECONDS_MIN)
  const seconds = Math.min(column.numberUpperBound(now / 1000), border)
  const milliseconds = Math.max(column.numberUpperBound(now), border)
  column.addNumbers(0, seconds, union)
  column.addNumbers(border, milliseconds, union)
  let next = Number.POSITIVE_INFINITY
  if (seconds < border) next = Number(column.numberAt(seconds)) * 1000
  if (milliseconds < column.numberCount) {
    next = Math.min(next, Number(column.numberAt(milliseconds)))
  }
  return next
}

/** Adds the documents with a text in the past; returns the next text's moment. */
function addTexts(column: FieldReader, now: number, union: IdUnion): number {
  const { moments, ordinals } = datesOf(column)
  const ranges = new OrdinalRanges()
  let at = 0
  for (; at < moments.length && moments[at]! <= now; at++)
    ranges.add(ordinals[at]!, ordinals[at]! + 1)
  ranges.merged((from, to) => column.addStrings(from, to, union))
  return moments[at] ?? Number.POSITIVE_INFINITY
}

/** The texts of a field that are dates, earliest first. */
type Dates = { readonly moments: Float64Array; readonly ordinals: Uint32Array }

/** A segment never changes, so its texts are read once: about a second for a million. */
const datesByColumn = new WeakMap<FieldReader, Dates>()

function datesOf(column: FieldReader): Dates {
  const cached = datesByColumn.get(column)
  if (cached !== undefined) return cached
  const found: (readonly [moment: number, ordinal: number])[] = []
  const walk = column.walkStrings()
  for (let ordinal = 0; walk?.next() === true; ordinal++) {
    const { bytes, length } = walk
    if (length < DATE_BYTES_MIN || length > DATE_BYTES_MAX) continue
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('latin1')
    const moment = momentOf(text)
    if (moment !== null) found.push([moment, ordinal])
  }
  found.sort(([a, i], [b, j]) => a - b || i - j)
  const dates = {
    moments: Float64Array.from(found, ([moment]) => moment),
    ordinals: Uint32Array.from(found, ([, ordinal]) => ordinal),
  }
  datesByColumn.set(column, dates)
  return dates
}

const DATE_BYTES_MIN = '2000-01-01t00:00:00z'.length
/** With nine digits of fraction and an offset. */
const DATE_BYTES_MAX = '2000-01-01t00:00:00.000000000+00:00'.length
/** RFC 3339 in the form in which columns store texts: in lower case. */
const DATE = /^(\d{4})-(\d\d)-(\d\d)[t ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:z|([+-])(\d\d):(\d\d))$/

/** Returns milliseconds since 1970, rounded up, or null if the text is no date. */
export function momentOf(text: string): number | null {
  const parts = DATE.exec(text)
  if (parts === null) return null
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as number[]
  const date = new Date(0)
  date.setUTCFullYear(year!, month! - 1, day!)
  const isDay = date.getUTCMonth() === month! - 1 && date.getUTCDate() === day
  const offsetHours = Number(parts[9] ?? 0)
  const offsetMinutes = Number(parts[10] ?? 0)
  // A leap second is second 60.
  const isTime = hour! <= 23 && minute! <= 59 && second! <= 60
  if (!isDay || !isTime || offsetHours > 23 || offsetMinutes > 59) return null
  const offset = (parts[8] === '-' ? -1 : 1) * (offsetHours * 60 + offsetMinutes)
  const minutes = hour! * 60 + minute! - offset
  const fraction = Math.ceil(Number(`0.${parts[7] ?? '0'}`) * 1000)
  return date.getTime() + (minutes * 60 + second!) * 1000 + fraction
}
