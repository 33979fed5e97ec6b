// Where occurrences of a word count: in which fields, and at which positions.

/** Where occurrences count. `fields` null: everywhere; else ascending field ids. */
export type Scope = { readonly key: string; readonly fields: readonly number[] | null }
export const EVERYWHERE: Scope = { key: '*', fields: null }

export const scopeOf = (fields: readonly number[]): Scope => {
  const sorted = [...fields].sort((a, b) => a - b)
  return { key: sorted.join(','), fields: sorted }
}

/** The same for words of one segment: in some fields, or at positions of some buckets. */
export type Where = {
  /** Not the same for any two that differ. */
  readonly key: string
  /** Ascending; null: all. */
  readonly fields: readonly number[] | null
  /** Of positions, in any field; null: all. */
  readonly buckets: readonly number[] | null
}

/** Scopes of one key may differ where some fields are exact: the fields are the key here. */
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
