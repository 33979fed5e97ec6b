// Formats numbers and tables as text for people.
import { formatBytes, formatMicros } from '../../engine/index.ts'
import { UNPRINTABLE } from './printable.ts'

/** `16 KiB`, `1.2 MiB`. */
export const bytesText = (bytes: number): string => formatBytes(bytes)

/** A time in microseconds since 1970: `2025-11-21T13:30:00Z`. */
export const microsText = (micros: number): string => formatMicros(micros)

/** `25,068` */
export const countText = (count: number): string => count.toLocaleString('en-US')

/** `1 document`, `25,068 documents` */
export const countOf = (count: number, noun: string, plural = `${noun}s`): string =>
  `${countText(count)} ${count === 1 ? noun : plural}`

/** `41.2 %` */
export const shareText = (part: number, whole: number): string =>
  `${(whole === 0 ? 0 : (part / whole) * 100).toFixed(1)} %`

const onOneLine = (text: string): string => text.replace(/[\t\n]/g, '�').replace(UNPRINTABLE, '�')

/** Cuts a text to `length` characters on one line. */
export function shorten(text: string, length: number): string {
  const line = onOneLine(text)
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`
}

export type Column = { readonly title: string; readonly align?: 'right' }

/**
 * Formats rows under titles, with columns as wide as necessary, each line indented. Returns an
 * empty string without rows.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  indent = '  ',
): string {
  if (rows.length === 0) return ''
  const lines = rows.map((row) => row.map(onOneLine))
  const widths = columns.map(({ title }, c) =>
    lines.reduce((width, row) => Math.max(width, row[c]!.length), title.length),
  )
  const line = (cells: readonly string[]): string => {
    const padded = cells.map((cell, c) => {
      const width = widths[c]!
      return columns[c]!.align === 'right' ? cell.padStart(width) : cell.padEnd(width)
    })
    return `${indent}${padded.join('  ')}`.trimEnd()
  }
  const titles = columns.map(({ title }) => title)
  const head = titles.every((title) => title === '') ? [] : [line(titles)]
  return `${[...head, ...lines.map(line)].join('\n')}\n`
}

/** Returns a message of several lines as one line. */
export const oneLine = (message: string): string => message.replaceAll(/\s*\n\s*/g, ' · ')
