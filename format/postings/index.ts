// The text layer of a segment: terms, postings, stored prefixes, field lengths. Layout:
// ./POSTINGS.md
export { checkText } from './check.ts'
export { LengthsBuilder } from './lengths-v1.ts'
export {
  BUCKET_INDEX,
  BUCKETS,
  POSITION_MAX,
  positionBucket,
  STORED_PREFIX_BYTES_MAX,
  STORED_PREFIX_TERMS_MIN,
  TERM_BYTES_MAX,
} from './limits.ts'
export { mergeText } from './merge-text.ts'
export { Occurrences } from './occurrences.ts'
export { readTextMeta } from './text-meta-v1.ts'
export { TextReader } from './text-reader-v1.ts'
export { TEXT_KIND, TextWriter } from './text-writer-v1.ts'
