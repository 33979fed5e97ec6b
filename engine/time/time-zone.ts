// Local time of the zones of the IANA database, from the platform's `Intl`. A zone is set up when
// it is first used: that takes up to a millisecond.

/** Zones kept by a thread, some 10 KB each; when full, all are dropped. */
const ZONES_MAX = 50
const SECOND_MS = 1000
/** Clocks are not changed and changed back within this time. */
const STEP_MS = 7 * 86_400_000

export class TimeZone {
  readonly #format: Intl.DateTimeFormat

  /** @throws RangeError for an unknown zone */
  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  }

  /** Returns local time minus UTC in milliseconds, whole seconds. For years from 1 on. */
  offsetAt(ms: number): number {
    const second = Math.floor(ms / SECOND_MS) * SECOND_MS
    const [month, day, year, hour, minute, seconds] = this.#format
      .format(second)
      .match(/\d+/g)!
      .map(Number) as [number, number, number, number, number, number]
    const local = new Date(0)
    local.setUTCFullYear(year, month - 1, day)
    return local.setUTCHours(hour, minute, seconds) - second
  }

  /** Returns the first moment after `ms` at which the offset changes, or `until` if none is before. */
  sameUntil(ms: number, until: number): number {
    const offset = this.offsetAt(ms)
    let same = ms
    while (same < until) {
      const next = Math.min(same + STEP_MS, until)
      if (this.offsetAt(next) !== offset) return Math.min(this.#change(same, next, offset), until)
      same = next
    }
    return until
  }

  /** Returns the first second after `same` with another offset; `other` has one. */
  #change(same: number, other: number, offset: number): number {
    let low = Math.floor(same / SECOND_MS)
    let high = Math.ceil(other / SECOND_MS)
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (this.offsetAt(middle * SECOND_MS) === offset) low = middle
      else high = middle
    }
    return high * SECOND_MS
  }
}

const zones = new Map<string, TimeZone>()

/** @throws RangeError for an unknown zone */
export function timeZone(name: string): TimeZone {
  const known = zones.get(name)
  if (known !== undefined) return known
  const zone = new TimeZone(name)
  if (zones.size >= ZONES_MAX) zones.clear()
  zones.set(name, zone)
  return zone
}

/** Returns true if the platform knows the zone. */
export function isTimeZone(name: string): boolean {
  try {
    timeZone(name)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
