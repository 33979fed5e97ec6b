// Another server is to have these indexes: which requests does it take?
export { Remote } from './remote.ts'
export {
  type ExportedIndex,
  runExport,
} from './run-export.ts'
export { sizeOfText, sizeText } from './size-text.ts'
