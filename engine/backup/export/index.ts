// Another server is to have these indexes: which requests does it take?
export {
  type OutgoingAnswer,
  OutgoingFault,
  type OutgoingRequest,
  type Send,
} from './outgoing.ts'
export { ExportCanceled, Remote, type RemoteOptions } from './remote.ts'
export {
  type Exported,
  type ExportedIndex,
  type ExportOptions,
  type ExportPattern,
  type ExportRequest,
  runExport,
} from './run-export.ts'
export { sizeOfText, sizeText } from './size-text.ts'
