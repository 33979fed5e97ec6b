// Ceilings of dumps and their reasons.
import { KiB, MiB } from '../../../format/bytes/index.ts'

/** What lines gather to before they are written. */
export const SPOOL_CHUNK_BYTES = 256 * KiB

/** Of documents read at a time: some tens of milliseconds of a search thread. */
export const DOCUMENTS_CHUNK_BYTES = MiB

/** A line of tasks, keys or batches, and a small file: it has to fit into memory as a whole. */
export const LINE_BYTES_MAX = 512 * MiB
export const SMALL_FILE_BYTES_MAX = 256 * MiB

/** As the library of the format has it by default; level 9 gains little and costs twice as much. */
export const GZIP_LEVEL = 6

/** Names of indexes, as routes take them. */
export const INDEX_UID = /^[a-zA-Z0-9_-]{1,400}$/
