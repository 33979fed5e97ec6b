// The expiry of a key: reads the text of clients, formats it, compares it with the time.
import type { Expiry } from '../../../format/keys/index.ts'

const DATE = String.raw`(\d{4})-(\d\d)-(\d\d)`
const TIME = String.raw`(\d\d):(\d\d):(\d\d)`
const BARE = new RegExp(`^${DATE}(?:[T ]${TIME})?$`)
const WITH_OFFSET = new RegExp(
  String.raw`^${DATE}[Tt ]${TIME}(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$`,
)
const NANO_DIGITS = 9
const MICROS_PER_SECOND = 1_000_000

/**
 * Reads `YYYY-MM-DD`, the same with a time (both in UTC), or RFC 3339 with an offset. Returns null
 * for other texts and for times before 1970.
 */
export function readExpiry(text: string): Expiry | null {
  const parts = BARE.exec(text) ?? WITH_OFFSET.exec(text)
  if (parts === null) return null
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = ''] = parts
  const offsetMinutes = offsetOf(parts)
  const midnight = midnightOf(Number(year), Number(month), Number(day))
  if (midnight === null || offsetMinutes === null) return null
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null
  const local = midnight + Number(hour) * 3600 + Number(minute) * 60 + Number(second)
  const seconds = local - offsetMinutes * 60
  if (seconds < 0) return null
  const nanos = Number(fraction.slice(0, NANO_DIGITS).padEnd(NANO_DIGITS, '0'))
  return { seconds, nanos, offsetMinutes }
}

/** Returns seconds since 1970 at midnight UTC, or null if the calendar has no such day. */
function midnightOf(year: number, month: number, day: number): number | null {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isReal ? date.getTime() / 1000 : null
}

function offsetOf(parts: RegExpExecArray): number | null {
  if (parts[8] === undefined) return 0
  const hours = Number(parts[9])
  const minutes = Number(parts[10])
  if (hours > 23 || minutes > 59) return null
  const total = hours * 60 + minutes
  return parts[8] === '-' && total !== 0 ? -total : total
}

/** Formats RFC 3339 with the original offset; the fraction has no trailing zeros. */
export function expiryText({ seconds, nanos, offsetMinutes }: Expiry): string {
  const local = new Date((seconds + offsetMinutes * 60) * 1000).toISOString().slice(0, -5)
  const digits = String(nanos).padStart(NANO_DIGITS, '0').replace(/0+$/, '')
  const fraction = digits === '' ? '' : `.${digits}`
  return `${local}${fraction}${offsetText(offsetMinutes)}`
}

function offsetText(minutes: number): string {
  if (minutes === 0) return 'Z'
  const total = Math.abs(minutes)
  const hour = String(Math.floor(total / 60)).padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${hour}:${String(total % 60).padStart(2, '0')}`
}

/** Returns whether the expiry has passed. `now`: microseconds since 1970. */
export const isOver = ({ seconds, nanos }: Expiry, now: number): boolean =>
  seconds * MICROS_PER_SECOND + nanos / 1000 <= now
