// A database made from a dump or a snapshot, before it serves anything: all of it, or nothing.
export { type ImportOptions, importDump } from './import-dump.ts'
export { type Fill, fromFile, importSnapshot } from './import-snapshot.ts'
export {
  databaseExists,
  fileExists,
  type ImportProgress,
  removeUnfinishedImport,
} from './imports.ts'
