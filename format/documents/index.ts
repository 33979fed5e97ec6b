// Stored documents: records by document id, external ids and back · ./DOCUMENTS.md
export { BlockCache } from './block-cache.ts'
export type { Decompress } from './blocks-v1.ts'
export { checkDocuments, type DocumentsCheckOptions, type StoredDocument } from './check.ts'
export { externalIdHash } from './external-ids-v1.ts'
export { BLOCK_TARGET_BYTES, DOCUMENTS_PER_SEGMENT_MAX, EXTERNAL_ID_BYTES_MAX } from './limits.ts'
export { type DocumentsOperand, mergeDocuments } from './merge.ts'
export { documentsNotes } from './notes.ts'
export { type DocumentsCursor, DocumentsReader } from './reader-v1.ts'
export {
  encodeRecord,
  type FieldName,
  RecordFields,
  RecordWriter,
  renderFields,
  renderRecord,
} from './record-v1.ts'
export { type Compress, DOCUMENTS_KIND, DocumentsWriter } from './writer-v1.ts'
