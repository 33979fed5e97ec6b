// A follower builds no segments: it has no index threads, and requests for one are refused.
import type { EngineFault } from '../../model/index.ts'
import type { Indexing } from '../../write/indexer/index.ts'

/** `refusal`: creates the error for work that would build segments. */
export const noIndexing = (refusal: () => EngineFault): Indexing => ({
  mergesMax: 0,
  takeSegment: () => {
    throw refusal()
  },
  run: () => Promise.reject(refusal()),
  body: () => {
    throw refusal()
  },
  expectSmall: () => undefined,
  forget: () => undefined,
  close: () => Promise.resolve(),
})
