// Limits of snapshots and their reasons.
import { MiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'
import { ARCHIVE_LIMITS, type ArchiveLimits } from '../archive/index.ts'

/** Bytes of a file that are read, packed and written in one step: 1 to 2 ms of a thread. */
export const BLOCK_BYTES = MiB

/**
 * Bytes after which a snapshot's file is synced, so that the disk never has a backlog that delays
 * the task log. Smaller steps make the snapshot slower, because each sync waits for the disk.
 */
export const SYNC_BYTES = 4 * MiB

/** Logs and bodies are mostly text: they shrink to a fifth. */
export const SMALL_FILES_LEVEL = 6
/**
 * Segments hold compressed data already. Another compression would take longer than writing what it
 * saves.
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

/** Attempts to take a cut while the task log is being rewritten. */
export const CUT_TRIES_MAX = 100_000

/** Pieces per file: 64 GiB in pieces of the usual size. */
export const PIECES_MAX = 131_072

assert(SYNC_BYTES % BLOCK_BYTES === 0, 'a sync follows whole blocks')
assert(FILES_MAX <= SNAPSHOT_LIMITS.entriesMax, 'an archive holds the files of a snapshot')
assert(FILE_BYTES_MAX <= SNAPSHOT_LIMITS.entryBytesMax, 'an archive holds each file of a snapshot')
assert(HEAD_BYTES_MAX <= FILE_BYTES_MAX, 'a head is a file')
