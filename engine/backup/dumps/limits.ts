// Limits of dumps and their reasons.
import { KiB, MiB } from '../../../format/bytes/index.ts'

/** Lines are collected up to this size before they are written. */
export const SPOOL_CHUNK_BYTES = 256 * KiB

/** Bytes of documents per read: some tens of milliseconds of a search thread. */
export const DOCUMENTS_CHUNK_BYTES = MiB

/** A line of tasks, keys or batches, and a small file: each must fit into memory as a whole. */
export const LINE_BYTES_MAX = 512 * MiB
export const SMALL_FILE_BYTES_MAX = 256 * MiB

/** The default of the format's usual library; higher levels save little for their time. */
export const GZIP_LEVEL = 6

/** Names of indexes, as routes accept them. */
export const INDEX_UID = /^[a-zA-Z0-9_-]{1,400}$/
