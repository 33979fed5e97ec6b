// Many files in one: a tar compressed by gzip, written and read as streams.
export { ArchiveError, type ArchiveErrorCode } from './archive-error.ts'
export { ARCHIVE_LIMITS, type ArchiveLimits } from './limits.ts'
export { type NewEntry, type PackOptions, packArchive } from './pack.ts'
export { readArchive } from './read.ts'
export { unpackArchive } from './unpack.ts'
