// Limits of the Model Context Protocol, each with its reason.
import { MiB } from '../../format/bytes/index.ts'

/**
 * Bytes of the answer of a tool. It is sent twice, as text and as a value, and written on the main
 * thread in some 5 ms; a model reads a tenth of it at best.
 */
export const TOOL_ANSWER_BYTES_MAX = MiB
/** Documents that describe an index. */
export const SAMPLE_DOCUMENTS = 5
/** Milliseconds for which clients may cache what a release alone determines. */
export const CACHE_MS = 3_600_000
