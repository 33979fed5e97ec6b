// Copies indexes to another server: which requests are necessary?
export { Remote } from './remote.ts'
export {
  type ExportedIndex,
  runExport,
} from './run-export.ts'
export { sizeText } from './size-text.ts'
