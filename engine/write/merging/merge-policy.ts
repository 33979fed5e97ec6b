// Chooses the next merge of an index. In each layer the smallest segments are merged when their
// sizes are similar (`engine/write/tiers`); a segment with many dead documents is rewritten alone.
import { GiB, KiB, MiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'
import type { SegmentNo } from '../../../format/ids.ts'
import { type Layer, SEGMENT_BYTES_MAX } from '../../../format/manifest/index.ts'
import type { IndexState, SegmentState } from '../../store/catalog/index.ts'
import { PROFILES } from '../../store/layers/index.ts'
import { INLINE_BYTES_MAX, type Offer } from '../indexer/index.ts'
import { BUSY, deadShare, IDLE, liveBytes, similarRun, type Weighed } from '../tiers/index.ts'

/** `segments`: the smallest first. `bytes`: those that the merge copies. */
export type Merge = {
  readonly layer: Layer
  readonly segments: readonly SegmentNo[]
  readonly bytes: number
}

/** Bytes that a merged segment stays below; a layer of a large index has several such segments. */
export const MERGED_BYTES_MAX = GiB
assert(MERGED_BYTES_MAX < SEGMENT_BYTES_MAX, 'a merged segment can be mapped')

/** Share of dead documents from which a segment is rewritten alone. */
const DEAD_SHARE_BUSY = 0.3
const DEAD_SHARE_IDLE = 0.1
/** Bytes below which a segment with dead documents is rewritten only when the index is idle. */
const SMALL_BYTES = 256 * KiB
/** Cost of a merge apart from its bytes, in bytes. */
const FIXED_COST_BYTES = 64 * KiB

/**
 * How much is merged: merges that pay while writes continue, merges that pay when an index is idle,
 * or all possible ones without regard to the bytes that they copy.
 */
export type MergeMode = 'busy' | 'idle' | 'whole'

const LIMITS: { readonly [mode in MergeMode]: typeof BUSY } = {
  busy: BUSY,
  idle: IDLE,
  whole: { growth: Number.POSITIVE_INFINITY, countMin: 2 },
}

/**
 * Returns the next merge of an index: the one that removes most segments for the bytes it copies;
 * null if none pays. Segments that cost searches little count less. `reserved`: segments that must
 * not be merged now; `apart`: those that must not be merged with others.
 */
export function nextMerge(
  index: IndexState,
  mode: MergeMode,
  reserved: ReadonlySet<SegmentNo> = new Set(),
  apart: ReadonlySet<SegmentNo> = new Set(),
): Merge | null {
  let best: Merge | null = null
  let most = Number.NEGATIVE_INFINITY
  for (const { name: layer, segmentCost } of PROFILES) {
    const segments = weighedOf(index, layer).filter(({ segment }) => !reserved.has(segment))
    const chosen = mergeOf(segments, mode, apart)
    if (chosen.length === 0) continue
    const bytes = chosen.reduce((sum, segment) => sum + liveBytes(segment), 0)
    // Segments removed for each copied byte.
    const relief = ((chosen.length - 1) / (FIXED_COST_BYTES + bytes)) * segmentCost
    if (relief <= most) continue
    best = { layer, segments: chosen.map(({ segment }) => segment), bytes }
    most = relief
  }
  return best
}

/** Number of segments of a layer above which batches take over larger ones. */
export const SEGMENTS_MAX = 8
/** Bytes of the segments that a batch usually takes over: the result stays inside the manifest. */
const OFFER_BYTES_MAX = INLINE_BYTES_MAX
/** The same limit if there are too many segments: 50 ms of work. */
const OFFER_BYTES_MAX_CROWDED = MiB

assert(OFFER_BYTES_MAX < OFFER_BYTES_MAX_CROWDED, 'a crowded index offers larger segments')
assert(OFFER_BYTES_MAX_CROWDED < MERGED_BYTES_MAX, 'an offered segment may be merged')

/**
 * Returns the segments that a batch of the index may take over: small ones that are not being
 * merged. Usually that needs no file.
 */
export function offerOf(index: IndexState, merging: { has(segment: SegmentNo): boolean }): Offer {
  const layers = layersOf(index)
  const bytesMax = isCrowded(layers) ? OFFER_BYTES_MAX_CROWDED : OFFER_BYTES_MAX
  const isOffered = (one: Weighed): boolean =>
    liveBytes(one) <= bytesMax && !merging.has(one.segment)
  return {
    segments: layers
      .flat()
      .filter(isOffered)
      .map(({ segment }) => segment),
    bytesMax,
  }
}

/** Returns whether merging is behind. */
export const hasTooManySegments = (index: IndexState): boolean => isCrowded(layersOf(index))

const isCrowded = (layers: readonly (readonly Weighed[])[]): boolean =>
  layers.some((segments) => segments.length > SEGMENTS_MAX)

const layersOf = (index: IndexState): readonly (readonly Weighed[])[] =>
  PROFILES.map(({ name }) => weighedOf(index, name))

/** Returns the segments of a layer with their weights. */
const weighedOf = (index: IndexState, layer: Layer): readonly Weighed[] =>
  [...index.segments.values()].filter((segment) => segment.layer === layer).map(weighed)

const weighed = ({ segment, bytes, documents, dead }: SegmentState): Weighed => {
  return { segment, bytes, documents, deadCount: dead.size }
}

function mergeOf(
  segments: readonly Weighed[],
  mode: MergeMode,
  apart: ReadonlySet<SegmentNo>,
): readonly Weighed[] {
  const joinable = segments.filter(({ segment }) => !apart.has(segment))
  const run = similarRun(joinable, { ...LIMITS[mode], bytesMax: MERGED_BYTES_MAX })
  if (run.length > 0) return run
  const worst = segments.toSorted((a, b) => deadShare(b) - deadShare(a))[0]
  return worst !== undefined && isWorthRewriting(worst, mode) ? [worst] : []
}

function isWorthRewriting(segment: Weighed, mode: MergeMode): boolean {
  if (mode === 'whole') return segment.deadCount > 0
  if (mode === 'idle') return deadShare(segment) >= DEAD_SHARE_IDLE
  return segment.bytes >= SMALL_BYTES && deadShare(segment) >= DEAD_SHARE_BUSY
}
