// Requests about documents and fields of an index, and document bodies on their way in.

export type DocumentsRequest = {
  readonly offset: number
  readonly limit: number
  /** Fields to keep; null: all. */
  readonly fields: readonly string[] | null
  readonly retrieveVectors: boolean
  /** External ids as text; null: no restriction. */
  readonly ids: readonly string[] | null
  readonly filter: unknown
  readonly sort: readonly string[] | null
  /** Documents of these shards alone; absent: of all. */
  readonly shards?: readonly string[]
  /** Another instance merges the page: documents tell where they stand. */
  readonly isProxied?: boolean
  /** This instance merges the page with those of others. */
  readonly isPart?: boolean
}

/** Which fields of an index to list: every flag that is given must hold. */
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

/**
 * Takes a document body as it arrives and puts it on disk. `write` resolves when more may come
 * (back pressure). A malformed body makes `write` or `finish` reject with an EngineFault; `abort`
 * forgets all.
 */
export interface BodyReceiver {
  write(chunk: Uint8Array): Promise<void>
  finish(): Promise<ReceivedBody>
  abort(): Promise<void>
}

/** A well-formed body waiting for its task. Handed to `enqueueDocuments` once, or discarded. */
export type ReceivedBody = { readonly documents: number; readonly bytes: number }
