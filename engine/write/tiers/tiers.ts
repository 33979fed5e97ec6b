// Decides which segments of a layer become one, from their sizes alone. Both batches and the merger
// use it: batches for the smallest segments, the merger for all.
//
// Segments are ordered by weight. A segment joins all smaller ones if it weighs at most `growth`
// times as much as they do together. A segment that does not join weighs more than `growth` times
// all smaller ones together, so weights grow at least by the factor 1 + growth: a layer of n bytes
// has at most countMin + log(n / WEIGHT_MIN) / log(1 + growth) segments. Conversely, a segment is
// copied only when at least 1 / growth of its weight is added: a byte is copied a logarithmic
// number of times.
//
// At least `countMin` segments are merged together: of three batches, two have nothing to merge.
// Simulated with batches of 20 random documents of 25,000:
//
//   growth, countMin         2, 2   3, 2   2, 4   3, 4
//   copies of a byte         10.3   11.0    9.2    9.8
//   segments, mean            4.2    3.7    4.7    4.3
//   segments at most            6      5      7      7
import { KiB } from '../../../format/bytes/index.ts'
import { DOCUMENTS_PER_SEGMENT_MAX } from '../../../format/documents/index.ts'
import type { SegmentNo } from '../../../format/ids.ts'

export type Weighed = {
  readonly segment: SegmentNo
  readonly bytes: number
  readonly documents: number
  /** Number of dead documents. */
  readonly deadCount: number
}

type RunLimits = {
  /**
   * A segment joins smaller ones if it weighs at most this many times as much as they do together.
   */
  readonly growth: number
  /** Fewest segments that join. */
  readonly countMin: number
  /** Live bytes of all joining segments together are at most this. */
  readonly bytesMax: number
}

/**
 * Limits while documents change, and for an idle index, where a copy is less likely to be copied
 * again soon.
 */
export const BUSY = { growth: 3, countMin: 4 }
export const IDLE = { growth: 3, countMin: 2 }
/** Limits of a batch, which waits for its merges: it merges only if the merger had no time to. */
export const TAKE_OVER = { growth: 3, countMin: 6 }
/** Copying fewer bytes than this costs as much as copying this many. */
const WEIGHT_MIN = 4 * KiB

export const deadShare = ({ deadCount, documents }: Weighed): number => deadCount / documents

/** Returns the estimated bytes of a segment after its dead documents are removed. */
export const liveBytes = (segment: Weighed): number =>
  Math.ceil(segment.bytes * (1 - deadShare(segment)))

const weight = (segment: Weighed): number => Math.max(liveBytes(segment), WEIGHT_MIN)

/**
 * Returns the smallest segments if they should become one, ascending: at least `countMin` of them,
 * or none. They have no more documents than a segment may hold.
 */
export function similarRun<T extends Weighed>(
  segments: readonly T[],
  { growth, countMin, bytesMax }: RunLimits,
): readonly T[] {
  const ascending = segments.toSorted((a, b) => weight(a) - weight(b) || a.segment - b.segment)
  let length = 0
  let bytes = 0
  let documents = 0
  let smaller = 0
  for (const [i, segment] of ascending.entries()) {
    bytes += liveBytes(segment)
    documents += segment.documents - segment.deadCount
    if (bytes > bytesMax || documents > DOCUMENTS_PER_SEGMENT_MAX) break
    if (weight(segment) <= growth * smaller) length = i + 1
    smaller += weight(segment)
  }
  return length < countMin ? [] : ascending.slice(0, length)
}
