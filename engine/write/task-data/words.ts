// Times, durations and sizes as text, in the public form of tasks and batches.
import type { Micros } from './types.ts'

const SECOND = 1_000_000
const DAY_SECONDS = 86_400

/**
 * Formats a time as RFC 3339 in UTC; the fraction has no trailing zeros and is omitted if zero.
 * `extraNanos` is below 1000.
 */
export function formatMicros(time: Micros, extraNanos = 0): string {
  const seconds = Math.floor(time / SECOND)
  const nanos = (time - seconds * SECOND) * 1000 + extraNanos
  const whole = new Date(seconds * 1000).toISOString().slice(0, -5)
  if (nanos === 0) return `${whole}Z`
  return `${whole}.${String(nanos).padStart(9, '0').replace(/0+$/, '')}Z`
}

/**
 * Formats microseconds as ISO 8601: days and seconds only, 3, 6 or 9 digits of fraction; null if
 * negative. `extraNanos` is below 1000.
 */
export function formatDuration(micros: number, extraNanos = 0): string | null {
  if (micros < 0) return null
  const days = Math.floor(micros / SECOND / DAY_SECONDS)
  const rest = micros - days * DAY_SECONDS * SECOND
  if (rest === 0 && extraNanos === 0) return days === 0 ? 'PT0S' : `P${days}D`
  const seconds = Math.floor(rest / SECOND)
  const nanos = (rest - seconds * SECOND) * 1000 + extraNanos
  const fraction = String(nanos)
    .padStart(9, '0')
    .replace(/(000)+$/, '')
  const digits = fraction === '' ? '' : `.${fraction}`
  return `P${days === 0 ? '' : `${days}D`}T${seconds}${digits}S`
}

/** Formats milliseconds for readers: `3.04ms`, `12.00µs`, `1.50s`. */
export function formatMillis(millis: number): string {
  if (millis >= 1000) return `${(millis / 1000).toFixed(2)}s`
  if (millis >= 1) return `${millis.toFixed(2)}ms`
  if (millis >= 0.001) return `${(millis * 1000).toFixed(2)}µs`
  return `${Math.round(millis * 1_000_000)}ns`
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/**
 * Formats bytes in the largest unit that gives at least 1, with at most two decimals: `16 KiB`,
 * `1.2 MiB`.
 */
export function formatBytes(bytes: number): string {
  let value = Math.abs(bytes)
  let unit = 0
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  return `${bytes < 0 ? '-' : ''}${Number(value.toFixed(2))} ${UNITS[unit]}`
}

/** Formats a size with its change: `16 KiB (+4 KiB)`. */
export function formatSizeChange(bytes: number, change: number): string {
  return `${formatBytes(bytes)} (${change < 0 ? '' : '+'}${formatBytes(change)})`
}
