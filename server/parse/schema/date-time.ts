// Moments in query parameters: `2024-05-01`, or RFC 3339 with a `T` or a blank in the middle.

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/
const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/
const MICROS_PER_DAY = 86_400_000_000
const NANO_DIGITS = 9

/**
 * Returns a bound in microseconds since 1970, or null if the text is not a moment. Bounds exclude
 * equal times, so digits past the microsecond are cut for an `after` and rounded up for a `before`;
 * a date without time means its first midnight as a `before`, the midnight at its end as an
 * `after`.
 */
export function momentOf(text: string, side: 'after' | 'before'): number | null {
  const date = DATE.exec(text)
  if (date !== null) {
    const midnight = midnightOf(date[1]!, date[2]!, date[3]!)
    if (midnight === null) return null
    return side === 'after' ? midnight + MICROS_PER_DAY : midnight
  }
  const parts = DATE_TIME.exec(text)
  if (parts === null) return null
  const midnight = midnightOf(parts[1]!, parts[2]!, parts[3]!)
  const seconds = secondsOf(parts)
  const offset = offsetOf(parts)
  if (midnight === null || seconds === null || offset === null) return null
  return midnight + (seconds - offset) * 1_000_000 + fractionOf(parts[7] ?? '', side)
}

/** Returns the microseconds of midnight UTC, or null if the calendar has no such day. */
const midnightOf = (year: string, month: string, day: string): number | null => {
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  const real = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
  return real ? date.getTime() * 1000 : null
}

/** Returns the seconds since midnight. A leap second counts as the last second of its minute. */
const secondsOf = (parts: RegExpExecArray): number | null => {
  const hour = Number(parts[4])
  const minute = Number(parts[5])
  const second = Number(parts[6])
  if (hour > 23 || minute > 59 || second > 60) return null
  return hour * 3600 + minute * 60 + Math.min(second, 59)
}

const offsetOf = (parts: RegExpExecArray): number | null => {
  if (parts[8] === undefined) return 0
  const hour = Number(parts[9])
  const minute = Number(parts[10])
  if (hour > 23 || minute > 59) return null
  return (parts[8] === '-' ? -1 : 1) * (hour * 3600 + minute * 60)
}

const fractionOf = (digits: string, side: 'after' | 'before'): number => {
  const nanos = Number(digits.slice(0, NANO_DIGITS).padEnd(NANO_DIGITS, '0'))
  return side === 'after' ? Math.floor(nanos / 1000) : Math.ceil(nanos / 1000)
}

/** Returns the message for a text that is not a moment. */
export const momentProblem = (text: string): string =>
  `\`${text}\` is an invalid date-time. ` +
  'It should follow the YYYY-MM-DD or RFC 3339 date-time format.'
