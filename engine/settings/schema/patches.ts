// Merging of changes: members that may be absent, sets, and shared helpers.
import { compareText } from '../../../format/bytes/index.ts'

/** Every member may be absent (unchanged) or null (reset to its default). */
export type Partly<T> = { readonly [K in keyof T]?: T[K] | null }

/** Returns the new value of one member: unchanged, reset to its default, or as sent. */
export const mergeMember = <T>(given: T | null | undefined, current: T, byDefault: T): T => {
  if (given === undefined) return current
  return given === null ? byDefault : given
}

/** The merge of a setting that a change replaces completely. */
export const replace = <T>(_current: unknown, patch: T): T => patch

/** The merge of a setting that is a set: distinct texts in byte order. */
export const replaceSet = (_current: unknown, patch: readonly string[]): readonly string[] =>
  sortedSet(patch)

export const sortedSet = (texts: readonly string[]): readonly string[] =>
  [...new Set(texts)].sort(compareText)

/**
 * Returns whether two values of a setting are equal: both are normalised, so their JSON is equal
 * too.
 */
export const sameSetting = (a: unknown, b: unknown): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b)
