// Requests about documents of other indexes that foreign keys name, when documents are divided
// between instances: each instance answers for its own documents.
import type { IndexUid } from '../../format/ids.ts'

export type ForeignRequest =
  /** Returns `{conditions}`: the `_foreign` conditions of a filter, as `ForeignCondition`. */
  | { readonly step: 'conditions'; readonly endpoint: ForeignEndpoint; readonly filter: unknown }
  /** Returns `{filter}`: the filter with these ids, by condition, in place of its conditions. */
  | {
      readonly step: 'filter'
      readonly endpoint: ForeignEndpoint
      readonly filter: unknown
      readonly ids: readonly (readonly string[])[]
    }
  /** Returns `{ids}`: the external ids of documents that match a condition. */
  | (Within & { readonly step: 'match'; readonly condition: string })
  /** Returns `{documents}`: pairs of an external id and a document with its displayed fields. */
  | (Within & { readonly step: 'documents'; readonly ids: readonly string[] })

export type ForeignEndpoint = 'search' | 'documents' | 'similar'

/** The documents of a foreign index that the request may see. */
type Within = {
  /** The filter of the caller's token; null for all documents. */
  readonly within: unknown
  /** Only documents of these shards; null for all. */
  readonly shards: readonly string[] | null
}

/** A condition on documents of the foreign indexes `uids`. */
export type ForeignCondition = { readonly condition: string; readonly uids: readonly IndexUid[] }

/**
 * An answer whose hits name foreign documents. Without `found`, the ids are returned, by uid of the
 * foreign index; with it, the answer with documents in their place.
 */
export type Hydration = {
  readonly answer: Uint8Array
  /** The index of hits without `_federation`. */
  readonly indexUid: IndexUid
  /** Foreign indexes that the caller may not see; ids of their documents stay. */
  readonly hidden: readonly string[]
  readonly found: {
    /** By uid of the foreign index: documents as JSON, by external id. */
    readonly documents: ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>
    /** Errors of instances that may have further documents, by instance. */
    readonly errors: { readonly [remote: string]: unknown }
  } | null
}
