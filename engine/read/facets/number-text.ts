// Numbers as facet keys: the shortest digits that parse to the same double, without an exponent, -0
// with its sign. So 1e21 is a one and 21 zeros.

/** The text of a finite number. */
export function numberText(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const text = String(value)
  const exponentAt = text.indexOf('e')
  if (exponentAt < 0) return text
  const exponent = Number(text.slice(exponentAt + 1))
  const sign = text.startsWith('-') ? '-' : ''
  const [whole, fraction = ''] = text.slice(sign.length, exponentAt).split('.') as [string, string?]
  const digits = whole + fraction
  const point = whole.length + exponent
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return sign + digits + '0'.repeat(point - digits.length)
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}
