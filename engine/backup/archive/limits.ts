// Limits of archives. An archive may come from an untrusted source: it is unpacked as a stream and
// refused at the first excess that none of our archives would have.
import { KiB, MiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'

export type ArchiveLimits = {
  readonly entriesMax: number
  /** Bytes of one file. */
  readonly entryBytesMax: number
  /** Bytes of everything unpacked, tar headers included. */
  readonly unpackedBytesMax: number
  /** Unpacked bytes per packed byte, checked beyond `RATIO_FROM_BYTES`. */
  readonly ratioMax: number
}

const TIB = 2 ** 40

export const ARCHIVE_LIMITS: ArchiveLimits = {
  // A waiting task has a separate file, and a queue holds some hundred thousand of them.
  entriesMax: 1_000_000,
  entryBytesMax: 4 * TIB,
  unpackedBytesMax: 8 * TIB,
  // JSON compresses 5 to 60 times; zeros, of which bombs are made, 1,030 times.
  ratioMax: 400,
}

/** Small archives may have any ratio: they are harmless. */
export const RATIO_FROM_BYTES = 64 * MiB

/** Size of the chunks of decompression. */
export const CHUNK_BYTES = 256 * KiB

/** The limit of file systems. */
export const NAME_BYTES_MAX = 255
export const PATH_BYTES_MAX = 2048
export const DEPTH_MAX = 100

assert(NAME_BYTES_MAX < PATH_BYTES_MAX, 'a name fits into a path')

assert(CHUNK_BYTES < RATIO_FROM_BYTES, 'the ratio is checked between chunks')
assert(
  ARCHIVE_LIMITS.entryBytesMax <= ARCHIVE_LIMITS.unpackedBytesMax,
  'a file fits into an archive',
)
