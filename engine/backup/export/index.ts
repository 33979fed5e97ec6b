// Exports: the requests that copy indexes to another server.
export { Remote } from './remote.ts'
export {
  type ExportedIndex,
  runExport,
} from './run-export.ts'
export { sizeText } from './size-text.ts'
