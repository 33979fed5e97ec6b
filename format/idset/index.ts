// Sets of document ids, in memory and as bytes. Layout and representations: ./IDSET.md
export { gallop, lowerBound } from './algebra.ts'
export {
  decodeIdSet,
  encodedIdsBytes,
  encodeIdSet,
  encodeIds,
  encodeIdsInto,
} from './codec-v1.ts'
export { orEncoded, ranksOf, readEncoded } from './encoded-v1.ts'
export {
  fillRange,
  IdSet,
  type IdSetData,
  idSetData,
  idSetOfData,
  trailingZeros,
} from './idset.ts'
export {
  ARRAY_IDS_MAX,
  BITMAP_BYTES,
  HEADER_BYTES as SET_HEADER_BYTES,
  WORDS as BITMAP_WORDS,
} from './limits.ts'
export { membersAmong } from './members-v1.ts'
export { IdUnion } from './union.ts'
export { popcount } from './words.ts'
