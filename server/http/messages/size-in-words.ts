// Sizes as messages and reports print them.
const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const
const DECIMAL = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const

/**
 * Formats a size exactly, in the largest unit that gives at least 1: binary if the size is a
 * multiple of 1024, else decimal.
 */
export function sizeInWords(bytes: number): string {
  const isBinary = bytes !== 0 && bytes % 1024 === 0
  const base = isBinary ? 1024 : 1000
  const units = isBinary ? BINARY : DECIMAL
  let power = 0
  while (power < units.length - 1 && bytes >= base ** (power + 1)) power++
  return `${bytes / base ** power} ${units[power]}`
}

/**
 * Formats a size in the largest binary unit that gives at least 1, with two decimals: `1.20 MiB`.
 */
export function sizeForPeople(bytes: number): string {
  let power = 0
  while (power < BINARY.length - 1 && bytes >= 1024 ** (power + 1)) power++
  return `${(bytes / 1024 ** power).toFixed(2)} ${BINARY[power]}`
}
