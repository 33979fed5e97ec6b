// The term dictionary: keys to dense ordinals and back, ranges, misspellings. Pages: ./FST.md,
// ./LEVENSHTEIN.md
export { buildFst, FstBuilder, type FstSummary } from './builder.ts'
export { FstCursor } from './cursor.ts'
export { Fst, type OrdinalRange } from './decode-v1.ts'
export { editDistance, prefixDistance } from './distance.ts'
export { FuzzyCursor } from './fuzzy.ts'
export { type FstStats, fstDot, fstNotes, fstStats, verifyFst } from './inspect.ts'
export { FST_KEY_BYTES_MAX, FST_KEYS_MAX, FST_VERSION } from './layout-v1.ts'
export { FUZZY_QUERY_BYTES_MAX, type FuzzyOptions } from './pattern.ts'
export { REGISTRY_NODES_MAX } from './registry.ts'
