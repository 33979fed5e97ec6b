// How settings name fields: a name covers fields nested in it; patterns contain `*`.

/** Returns whether `name` is the field itself, an object that contains `field`, or `*` for all. */
export const covers = (name: string, field: string): boolean =>
  name === '*' ||
  (field.startsWith(name) && (field.length === name.length || field[name.length] === '.'))

/** Returns whether `name` is, or may be, nested in `field`. */
export const namesInside = (field: string, name: string): boolean =>
  name === '*' || name.startsWith(`${field}.`)

/**
 * Returns whether a pattern matches a field. `*` is a wildcard at the beginning, at the end, or
 * both; elsewhere it is literal. A pattern without a star matches only this name, not fields nested
 * in it.
 */
export function matchesPattern(pattern: string, field: string): boolean {
  const first = pattern.startsWith('*')
  const last = pattern.endsWith('*')
  if (pattern === '*') return true
  if (first && last) return field.includes(pattern.slice(1, -1))
  if (first) return field.endsWith(pattern.slice(1))
  if (last) return field.startsWith(pattern.slice(0, -1))
  return pattern === field
}
