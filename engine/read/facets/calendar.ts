// Buckets of moments: days, weeks, months, quarters and years of a time zone. Numbers are seconds
// or milliseconds since 1970.
import type { ExactNumber } from '../../../format/bytes/index.ts'
import type { CalendarUnit } from '../../model/index.ts'
import { type TimeZone, timeZone } from '../../time/index.ts'
import type { Layer, Stretch } from './layer.ts'

/**
 * Numbers from −this, inclusive, to this, exclusive, are seconds (until the year 5138), others are
 * milliseconds (from March 1973 on, or before November 1966).
 */
const SECONDS_MAX = 1e11
/** Moments whose local dates have years of four digits in every time zone. */
const FIRST_MS = Date.parse('0001-01-02T00:00:00Z')
const LAST_MS = Date.parse('9999-12-31T00:00:00Z')

const DAY_MS = 86_400_000
const WEEK_DAYS = 7
const QUARTER_MONTHS = 3

export class Calendar implements Layer {
  readonly #unit: CalendarUnit
  readonly #zone: TimeZone

  constructor(unit: CalendarUnit, zone: string) {
    this.#unit = unit
    this.#zone = timeZone(zone)
  }

  stretchAt(value: ExactNumber): Stretch {
    if (value < -SECONDS_MAX) return this.#stretch(value, 1, -SECONDS_MAX)
    if (value < SECONDS_MAX) return this.#stretch(value, 1000, SECONDS_MAX)
    return this.#stretch(value, 1, Number.POSITIVE_INFINITY)
  }

  /** `scale`: milliseconds of the number 1. `endMax`: the first number with another scale. */
  #stretch(value: ExactNumber, scale: number, endMax: number): Stretch {
    const ms = Math.floor(Number(value) * scale)
    if (ms < FIRST_MS) return { key: null, end: FIRST_MS / scale }
    if (ms >= LAST_MS) return { key: null, end: endMax }
    const offset = this.#zone.offsetAt(ms)
    const [start, next] = period(this.#unit, ms + offset)
    // A date may come back when clocks are set back at midnight, so a stretch ends at each change.
    const end = this.#zone.sameUntil(ms, Math.min(next - offset, LAST_MS))
    const key = new Date(start).toISOString().slice(0, 10)
    return { key, end: Math.min(end / scale, endMax) }
  }
}

/** Returns the begin of the period that contains a local time, and that of the next one. */
function period(unit: CalendarUnit, local: number): readonly [number, number] {
  const day = Math.floor(local / DAY_MS)
  if (unit === 'day') return [day * DAY_MS, (day + 1) * DAY_MS]
  const date = new Date(local)
  if (unit === 'week') {
    // Weeks begin on Monday; getUTCDay is 0 for Sunday.
    const monday = day - ((date.getUTCDay() + WEEK_DAYS - 1) % WEEK_DAYS)
    return [monday * DAY_MS, (monday + WEEK_DAYS) * DAY_MS]
  }
  const year = date.getUTCFullYear()
  if (unit === 'year') return [monthStart(year, 0), monthStart(year + 1, 0)]
  const month = date.getUTCMonth()
  if (unit === 'month') return [monthStart(year, month), monthStart(year, month + 1)]
  const first = month - (month % QUARTER_MONTHS)
  return [monthStart(year, first), monthStart(year, first + QUARTER_MONTHS)]
}

/** `Date.UTC` would take the years 0 to 99 as 1900 to 1999. */
const monthStart = (year: number, month: number): number =>
  new Date(0).setUTCFullYear(year, month, 1)
