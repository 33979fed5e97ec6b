// A follower builds no segments: it has no index threads, and asking for one is refused.
import type { EngineFault } from '../model/index.ts'
import type { Indexing } from '../write/indexer/index.ts'

/** `refusal`: what work that would build segments is refused with. */
export const noIndexing = (refusal: () => EngineFault): Indexing => ({
  takeSegment: () => {
    throw refusal()
  },
  run: () => Promise.reject(refusal()),
  body: () => {
    throw refusal()
  },
  forget: () => undefined,
  close: () => Promise.resolve(),
})
