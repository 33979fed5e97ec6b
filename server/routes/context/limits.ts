// Limits of the work of routes besides reading and answering, each with its reason.
import { KiB, MiB } from '../../../format/bytes/index.ts'

/** Values of each field that are described to a model, as recorded. */
export const FACET_VALUES_MAX = 10
/** Indexes whose facets are described to a model: each is counted anew for each conversation. */
export const DESCRIBED_INDEXES_MAX = 100
/**
 * Characters of the description of indexes and facets for a model: longer ones cost more than they
 * help.
 */
export const DESCRIPTION_LENGTH_MAX = 256 * KiB
/**
 * Bytes of documents that one search returns to a model: some hundred pages. They are held as text
 * several times, for the model and for the client.
 */
export const FOUND_BYTES_MAX = MiB
