// Requests about documents and fields of an index, and incoming document bodies.

export type DocumentsRequest = {
  readonly offset: number
  readonly limit: number
  /** Fields to return; null means all. */
  readonly fields: readonly string[] | null
  readonly retrieveVectors: boolean
  /** External ids as text; null means no restriction. */
  readonly ids: readonly string[] | null
  readonly filter: unknown
  readonly sort: readonly string[] | null
  /** Only documents of these shards; absent means all. */
  readonly shards?: readonly string[]
  /** The instance that merges the page with those of others: documents carry their sort position. */
  readonly merger?: 'self' | 'other'
}

/** Selects fields of an index: every flag that is not null must match. */
export type FieldsFilter = {
  readonly attributePatterns: readonly string[] | null
  readonly displayed: boolean | null
  readonly searchable: boolean | null
  readonly sortable: boolean | null
  readonly distinct: boolean | null
  readonly rankingRule: boolean | null
  readonly filterable: boolean | null
}

export type FieldsRequest = {
  readonly offset: number
  readonly limit: number
  readonly filter: FieldsFilter | null
}

export type BodyFormat =
  | { readonly kind: 'json' }
  | { readonly kind: 'ndjson' }
  | { readonly kind: 'csv'; readonly delimiter: string }
