// What an archive may hold. Nobody knows who made it: it is unpacked piece by piece, and given up
// at the first thing that no archive of ours would have.
import { KiB, MiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'

export type ArchiveLimits = {
  readonly entriesMax: number
  /** Bytes of one file. */
  readonly entryBytesMax: number
  /** Bytes of everything unpacked, the tar layer included. */
  readonly unpackedBytesMax: number
  /** Unpacked bytes for one packed byte, looked at past `RATIO_FROM_BYTES`. */
  readonly ratioMax: number
}

const TIB = 2 ** 40

export const ARCHIVE_LIMITS: ArchiveLimits = {
  // A waiting task has a file of its own, and a queue holds some hundred thousand of them.
  entriesMax: 1_000_000,
  entryBytesMax: 4 * TIB,
  unpackedBytesMax: 8 * TIB,
  // JSON compresses 5 to 60 times; zeros, of which bombs are made, 1,030 times.
  ratioMax: 400,
}

/** Small archives may compress as they like: they do no harm. */
export const RATIO_FROM_BYTES = 64 * MiB

/** What decompression hands on at once. */
export const CHUNK_BYTES = 256 * KiB

/** As file systems have it. */
export const NAME_BYTES_MAX = 255
export const PATH_BYTES_MAX = 2048
export const DEPTH_MAX = 100

assert(NAME_BYTES_MAX < PATH_BYTES_MAX, 'a name fits into a path')
