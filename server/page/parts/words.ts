// Formats numbers, sizes and times as text.

const whole = new Intl.NumberFormat('en')

/** Formats a count: `12,345`. */
export const countText = (count: number): string => whole.format(count)

/** Formats a count with its noun: `1 document`, `2 documents`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

export function bytesText(bytes: number): string {
  let unit = 0
  let value = bytes
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`
}

const DURATION = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/

/** Formats an ISO 8601 duration: `34 ms`, `1.2 s`, `3 min 4 s`. */
export function durationText(duration: string | null): string {
  const match = DURATION.exec(duration ?? '')
  if (match === null) return ''
  const [hours, minutes, seconds] = [1, 2, 3].map((group) => Number(match[group] ?? 0))
  return millisText(((hours! * 60 + minutes!) * 60 + seconds!) * 1000)
}

function millisText(millis: number): string {
  if (millis < 1000) return `${millis < 10 ? millis.toFixed(1) : Math.round(millis)} ms`
  if (millis < 60_000) return `${(millis / 1000).toFixed(1)} s`
  const seconds = Math.round(millis / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}

/** Formats the approximate time since a date. */
export function agoText(date: string | null, nowMs: number): string {
  if (date === null) return 'never'
  const seconds = Math.max(0, (nowMs - Date.parse(date)) / 1000)
  if (!Number.isFinite(seconds)) return date
  if (seconds < 5) return 'just now'
  if (seconds < 60) return `${Math.floor(seconds)} s ago`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`
  return `${plural(Math.floor(seconds / 86_400), 'day')} ago`
}

/**
 * Splits a camel-case name into words: `documentAdditionOrUpdate` → `document addition or update`.
 */
export const camelText = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim()
