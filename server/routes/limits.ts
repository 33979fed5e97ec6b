// Limits of what routes do besides reading and answering, each with its reason.

/** Values of each field that a model is told of, as recorded. */
export const FACET_VALUES_MAX = 10
/** Indexes whose facets a model is told of: each is counted anew for each conversation. */
export const DESCRIBED_INDEXES_MAX = 100
/** Characters that a model is told of indexes and facets: more cost more than they help. */
export const DESCRIPTION_LENGTH_MAX = 256 * 1024
/**
 * Bytes of documents that one search gives a model: some hundred pages. They are held as text
 * several times, for the model and for the client.
 */
export const FOUND_BYTES_MAX = 1024 * 1024
