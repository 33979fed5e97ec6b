// Background merging: which segments are merged, and when. Page: ./MERGING.md
export {
  MERGED_BYTES_MAX,
  type MergeMode,
  nextMerge,
  offerOf,
  SEGMENTS_MAX,
} from './merge-policy.ts'
export { Merger } from './merging.ts'
