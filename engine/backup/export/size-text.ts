// Sizes of chunks as tasks store and show them: in the largest binary unit that gives at least 1,
// with all digits, so that the bytes can be read back from the text.

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const

/** `24 MiB`, `1.9073486328125 MiB`. */
export function sizeText(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  return `${value} ${UNITS[unit]}`
}

/** Returns the bytes of a text that `sizeText` wrote, or null for other texts. */
export function sizeOfText(text: string): number | null {
  const [digits = '', name = ''] = text.split(' ')
  const unit = (UNITS as readonly string[]).indexOf(name)
  const value = Number(digits)
  if (unit < 0 || digits === '' || !(value >= 0)) return null
  return Math.round(value * 1024 ** unit)
}
