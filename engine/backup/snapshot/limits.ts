// Limits of snapshots and their reasons.
import { MiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'
import { ARCHIVE_LIMITS, type ArchiveLimits } from '../archive/index.ts'

/** Bytes of a file that are read, packed and written in one step: 1 to 2 ms of a thread. */
export const BLOCK_BYTES = MiB

/**
 * Bytes after which a snapshot's file is synced, so that the disk never has a backlog that delays
 * the task log. Measured on a disk of 250 MB/s, with a snapshot of 1.4 GB: in 4.4 to 6.3 s, writes
 * are acknowledged within 16 to 44 ms (p99), at most 53 to 99 ms; right before it, within 12 to 23
 * ms and 48 to 69 ms. With a sync every MiB, a snapshot takes 13 s.
 */
export const SYNC_BYTES = 4 * MiB

/** Logs and bodies are mostly text: they shrink to a fifth. */
export const SMALL_FILES_LEVEL = 6
/**
 * Segments hold compressed data already. Measured: level 1 saves a third of text, a quarter of
 * columns, nothing of documents, at 50 MB/s per core; storing runs at 500 MB/s and more.
 */
export const SEGMENTS_LEVEL = 0

/**
 * A snapshot may have any ratio: the bodies of waiting tasks come from clients, and the head has
 * announced every byte.
 */
export const SNAPSHOT_LIMITS: ArchiveLimits = {
  ...ARCHIVE_LIMITS,
  ratioMax: Number.POSITIVE_INFINITY,
}

/** A list of a million files has 100 MB: a larger one is not ours. */
export const HEAD_BYTES_MAX = 256 * MiB
/** Files of a snapshot. */
export const FILES_MAX = 1_000_000
/** A segment is mapped as a whole, a log is read as a whole: none is larger. */
export const FILE_BYTES_MAX = 0x7fffffff

/** Attempts to take a cut while the task log is being rewritten; an attempt takes a millisecond. */
export const CUT_TRIES_MAX = 100_000

/** Pieces per file: 64 GiB in pieces of the usual size. */
export const PIECES_MAX = 131_072

assert(SYNC_BYTES % BLOCK_BYTES === 0, 'a sync follows whole blocks')
assert(FILES_MAX <= SNAPSHOT_LIMITS.entriesMax, 'an archive holds the files of a snapshot')
assert(FILE_BYTES_MAX <= SNAPSHOT_LIMITS.entryBytesMax, 'an archive holds each file of a snapshot')
assert(HEAD_BYTES_MAX <= FILE_BYTES_MAX, 'a head is a file')
