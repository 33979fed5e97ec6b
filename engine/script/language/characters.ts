// The characters of which tokens consist.

const isBetween = (c: string, low: string, high: string): boolean => c >= low && c <= high

export const isDigit = (c: string): boolean => isBetween(c, '0', '9')

export const startsName = (c: string): boolean =>
  isBetween(c, 'a', 'z') || isBetween(c, 'A', 'Z') || c === '_'

export const continuesName = (c: string): boolean => startsName(c) || isDigit(c)

export const isSpace = (c: string): boolean =>
  c === ' ' || c === '\t' || c === '\n' || c === '\r' || c === '\f' || c === '\v'
