// Ceilings of snapshots and their reasons.
import { MiB } from '../../../format/bytes/index.ts'
import { ARCHIVE_LIMITS, type ArchiveLimits } from '../archive/index.ts'

/** What is read of a file, packed and written at once: a millisecond or two of a thread. */
export const BLOCK_BYTES = MiB

/**
 * Bytes after which a snapshot's file is synced: a disk that has no more than this to catch up with
 * does not keep the task log waiting. Measured on a disk of 250 MB/s, with a snapshot of 1.4 GB:
 * in 4.4 to 6.3 s, writes are acknowledged within 16 to 44 ms (p99), at most 53 to 99 ms; right
 * before it, within 12 to 23 ms and 48 to 69 ms. Every MiB, a snapshot takes 13 s.
 */
export const SYNC_BYTES = 4 * MiB

/** Logs and bodies are text for the most part: they become a fifth. */
export const SMALL_FILES_LEVEL = 6
/**
 * Segments hold what is compressed already. Measured: level 1 makes a third less of text and a
 * quarter less of columns, nothing less of documents, at 50 MB/s of a core; storing does 500 MB/s
 * and more.
 */
export const SEGMENTS_LEVEL = 0

/**
 * A snapshot may compress as it likes: the bodies of waiting tasks are whatever clients send, and
 * the head has announced every byte.
 */
export const SNAPSHOT_LIMITS: ArchiveLimits = {
  ...ARCHIVE_LIMITS,
  ratioMax: Number.POSITIVE_INFINITY,
}

/** A list of a million files is 100 MB: more is not one of ours. */
export const HEAD_BYTES_MAX = 256 * MiB
/** Files of a snapshot. */
export const FILES_MAX = 1_000_000
/** A segment is mapped as a whole, a log read as a whole: none is larger. */
export const FILE_BYTES_MAX = 0x7fffffff

/** How often a cut is tried while the task log is being rewritten; a turn takes a millisecond. */
export const CUT_TRIES_MAX = 100_000

/** Of a file: 64 GiB in pieces of the usual size. */
export const PIECES_MAX = 131_072
