// Sets of document ids, in memory and as bytes. Layout and shapes: ./IDSET.md
export {
  decodeIdSet,
  encodedIdsBytes,
  encodedSize,
  encodeIdSet,
  encodeIds,
  orEncoded,
  ranksOf,
  readEncoded,
} from './codec-v1.ts'
export {
  fillRange,
  gallop,
  IdSet,
  type IdSetData,
  idSetData,
  idSetOfData,
  lowerBound,
  popcount,
  trailingZeros,
} from './idset.ts'
export { idSetNotes } from './notes.ts'
export { IdUnion } from './union.ts'
