// Creates a database from a dump or a snapshot before it is served, completely or not at all.
export { importDump } from './import-dump.ts'
export { type Fill, fromFile, importSnapshot } from './import-snapshot.ts'
export {
  databaseExists,
  fileExists,
  type ImportProgress,
  removeUnfinishedImport,
} from './imports.ts'
