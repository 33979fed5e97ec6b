// Background merging: which segments are merged, and when. Page: ./MERGING.md
export { Merger } from './merging.ts'
