// Limits of what routes do besides reading and answering, each with its reason.
import { KiB, MiB } from '../../format/bytes/index.ts'

/** Values of each field that a model is told of, as recorded. */
export const FACET_VALUES_MAX = 10
/** Indexes whose facets a model is told of: each is counted anew for each conversation. */
export const DESCRIBED_INDEXES_MAX = 100
/** Characters that a model is told of indexes and facets: more cost more than they help. */
export const DESCRIPTION_LENGTH_MAX = 256 * KiB
/**
 * Bytes of documents that one search gives a model: some hundred pages. They are held as text
 * several times, for the model and for the client.
 */
export const FOUND_BYTES_MAX = MiB
