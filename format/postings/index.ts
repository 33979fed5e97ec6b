// The text layer of a segment: terms, postings, stored prefixes, field lengths. Layout:
// ./POSTINGS.md
export { checkText, type TextCheckSummary } from './check.ts'
export { LengthsBuilder, LengthsReader } from './lengths-v1.ts'
export {
  BLOCK_DOCUMENTS,
  BUCKETS,
  FIELD_ID_MAX,
  POSITION_MAX,
  positionBucket,
  STORED_PREFIX_TERMS_MIN,
  TERM_BYTES_MAX,
} from './limits.ts'
export { type MergeProgress, mergeText, type TextMergeInput } from './merge-text.ts'
export { Occurrences } from './occurrences.ts'
export { PostingReader } from './posting-decode-v1.ts'
export { PostingEncoder } from './posting-encode-v1.ts'
export { prefixKey } from './prefixes.ts'
export { TextReader, textAnalysis } from './text-reader-v1.ts'
export { TEXT_KIND, TextWriter } from './text-writer-v1.ts'
