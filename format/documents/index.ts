// Stored documents: records by document id, external ids and back · ./DOCUMENTS.md
export { BlockCache } from './block-cache.ts'

export { checkDocuments, type StoredDocument } from './check.ts'
export { externalIdHash } from './external-ids-v1.ts'
export { DOCUMENTS_PER_SEGMENT_MAX, EXTERNAL_ID_BYTES_MAX } from './limits.ts'
export { mergeDocuments } from './merge.ts'
export { DocumentsReader } from './reader-v1.ts'
export {
  encodeRecord,
  RecordFields,
  RecordWriter,
  renderRecord,
} from './record-v1.ts'
export { DOCUMENTS_KIND, DocumentsWriter } from './writer-v1.ts'
