// How settings name fields: names that cover what is nested in them, patterns with `*`.

/** Whether `name` is the field itself or an object that `field` is nested in. */
export const covers = (name: string, field: string): boolean =>
  field.startsWith(name) && (field.length === name.length || field[name.length] === '.')

/** Whether `name` names something nested in `field`. */
export const namesInside = (field: string, name: string): boolean => name.startsWith(`${field}.`)

/**
 * Whether a pattern stands for a field. `*` counts first, last, or both; anywhere else it is
 * itself. A pattern without a star is the very name: what is nested in it is another field.
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
