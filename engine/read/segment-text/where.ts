// Restricts occurrences of a word to fields and positions.
import type { FieldId } from '../../../format/ids.ts'

/** A restriction to fields: ascending ids, or null for all fields. */
export type Scope = { readonly key: string; readonly fields: readonly FieldId[] | null }
export const EVERYWHERE: Scope = { key: '*', fields: null }

export const scopeOf = (fields: readonly FieldId[]): Scope => {
  const sorted = [...fields].sort((a, b) => a - b)
  return { key: sorted.join(','), fields: sorted }
}

/** The restriction within one segment: to fields, or to buckets of positions. */
export type Where = {
  /** A cache key, different for different restrictions. */
  readonly key: string
  /** Ascending; null for all. */
  readonly fields: readonly FieldId[] | null
  /** Position buckets, in any field; null for all. */
  readonly buckets: readonly number[] | null
}

/**
 * Scopes with the same key may differ if some fields match exactly, so the fields are the key here.
 */
export const whereOfScope = ({ fields }: Scope): Where => ({
  key: fields === null ? '*' : `f${fields.join(',')}`,
  fields,
  buckets: null,
})

export const whereOfBuckets = (buckets: readonly number[]): Where => ({
  key: `b${buckets.join(',')}`,
  fields: null,
  buckets,
})
