// The exchange format: the content of a database as JSON files in one archive. Layout: ./DUMPS.md
export {
  corrupted,
  countOf,
  DumpError,
  indexUidOrNull,
  listOf,
  type Members,
  membersOf,
  readAs,
  textOf,
  textOrNull,
  textsOf,
} from './dump-error.ts'
export type { DumpedKind, DumpForm } from './dump-form.ts'
export type { DumpReader, ReadIndex, ReadTask } from './dump-reader.ts'
export { keyLine } from './key-lines.ts'
export { dumpFile, dumpUidOf, isDumpUid, unfinishedDumpFile } from './layout.ts'
export { DOCUMENTS_CHUNK_BYTES, GZIP_LEVEL } from './limits.ts'
export { type DumpFiles, inDump } from './lines.ts'
export { openDump } from './open-dump.ts'
export { roaringBytes, setOfRoaringBytes } from './roaring-bytes.ts'
export { settingsPatch } from './settings-file.ts'
export { Spool } from './spool.ts'
export { camelMembers, snakeMembers, versionParts, versionText } from './task-details.ts'
export type { DescribeError } from './task-lines.ts'
export {
  type DumpedIndex,
  type DumpSource,
  type ReportStep,
  spoolDump,
  stepOf,
} from './write-dump.ts'
