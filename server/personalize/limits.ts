// Limits of personalization, each with its reason.
import { MiB } from '../../format/bytes/index.ts'
import { assert } from '../../format/errors.ts'

/** Documents of one request: the provider refuses more. */
export const DOCUMENTS_MAX = 1000
/** Bytes of the documents of one request: they are held as strings, and written as JSON in 5 ms. */
export const DOCUMENTS_BYTES_MAX = MiB
/** How long ranking may take if the index sets no `searchCutoffMs`: as long as a search. */
export const TOTAL_MS = 1500
/** The share of it that one request may take, so that there is time for a retry. */
export const REQUEST_SHARE = 2 / 3
/** Bytes of an answer of the provider: a thousand numbers with their scores fit. */
export const ANSWER_BYTES_MAX = MiB
/** Bytes of an answer that are quoted in an error. */
export const QUOTED_BYTES_MAX = 1024

assert(REQUEST_SHARE > 1 / 2 && REQUEST_SHARE < 1, 'a retry has less time than the first request')
