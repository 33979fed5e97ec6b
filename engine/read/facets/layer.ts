// Layers of buckets: disjoint buckets, so that a number belongs to one at most.
import type { ExactNumber } from '../../../format/bytes/index.ts'

/** Consecutive numbers of one bucket, or of none. */
export type Stretch = {
  /** Null for numbers without a bucket. */
  readonly key: string | null
  /** The stretch ends before this number. */
  readonly end: number
}

/** Disjoint buckets. */
export interface Layer {
  /** Returns the stretch of a number, or null if buckets are too small to be told apart there. */
  stretchAt(value: ExactNumber): Stretch | null
}
