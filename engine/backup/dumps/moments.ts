// Moments as dumps write them: RFC 3339, with up to nine digits of fraction.
import { corrupted, textOf } from './dump-error.ts'

const PATTERN =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:([Zz])|([+-])(\d\d):?(\d\d))$/

export type Moment = {
  /** Microseconds since 1970. */
  readonly micros: number
  /** The remainder below a microsecond, in nanoseconds. */
  readonly nanos: number
}

/** Returns null for other texts and for times before 1970. */
export function readMoment(text: string): Moment | null {
  const parts = PATTERN.exec(text)
  if (parts === null) return null
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number)
  const date = new Date(0)
  date.setUTCFullYear(year!, month! - 1, day!)
  date.setUTCHours(hour!, minute!, second!)
  const minutes = parts[8] === undefined ? Number(parts[10]) * 60 + Number(parts[11]) : 0
  const offset = parts[9] === '-' ? -minutes : minutes
  const digits = (parts[7] ?? '').slice(0, 9).padEnd(9, '0')
  const millis = date.getTime() - offset * 60_000
  if (!(millis >= 0)) return null
  const nanos = Number(digits)
  return { micros: millis * 1000 + Math.floor(nanos / 1000), nanos: nanos % 1000 }
}

/** @throws DumpError */
export function microsOf(value: unknown, place: string): number {
  const moment = readMoment(textOf(value, place))
  return moment === null ? corrupted(place, 'a date is expected') : moment.micros
}

/** Returns the nanoseconds of a moment beyond its microseconds; 0 for other values. */
export const nanosOf = (value: unknown): number =>
  typeof value === 'string' ? (readMoment(value)?.nanos ?? 0) : 0

export const microsOrNull = (value: unknown, place: string): number | null =>
  value === undefined || value === null ? null : microsOf(value, place)
