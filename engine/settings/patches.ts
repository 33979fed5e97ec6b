// How changes meet values: members that may be left out, sets, and what both have in common.
import { compareText } from '../../format/bytes/index.ts'

/** Every member may be left out (untouched) or null (back to its default). */
export type Partly<T> = { readonly [K in keyof T]?: T[K] | null }

/** The new value of one member: untouched, back to its default, or as given. */
export const mergeMember = <T>(given: T | null | undefined, current: T, byDefault: T): T => {
  if (given === undefined) return current
  return given === null ? byDefault : given
}

/** The merge of a setting that a change replaces as it is. */
export const replace = <T>(_current: unknown, patch: T): T => patch

/** The merge of a setting that is a set: distinct texts in byte order. */
export const replaceSet = (_current: unknown, patch: readonly string[]): readonly string[] =>
  sortedSet(patch)

export const sortedSet = (texts: readonly string[]): readonly string[] =>
  [...new Set(texts)].sort(compareText)

/** Whether two values of a setting say the same: both are normalised, so their texts do as well. */
export const sameSetting = (a: unknown, b: unknown): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b)
