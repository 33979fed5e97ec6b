// The term dictionary: keys to dense ordinals and back, ranges, misspelt words. Pages: ./FST.md,
// ./LEVENSHTEIN.md
export { buildFst, FstBuilder } from './builder.ts'
export { FstCursor } from './cursor.ts'
export { Fst } from './decode-v1.ts'
export { editDistance } from './distance.ts'
export { FuzzyCursor } from './fuzzy.ts'
export { fstDot, fstStats, verifyFst } from './inspect.ts'
export { KernelFst } from './kernel-fst.ts'
export { hashOf, KeyWalk } from './key-walk.ts'

export { FUZZY_QUERY_BYTES_MAX, type FuzzyOptions } from './pattern.ts'
