// The next merge of an index. In each layer the smallest segments are merged when they are of like
// size (`engine/write/tiers`); a segment with many dead documents is rewritten alone.
import { GiB, KiB, MiB } from '../../../format/bytes/index.ts'
import type { SegmentNo } from '../../../format/ids.ts'
import type { Layer } from '../../../format/manifest/index.ts'
import type { IndexState, SegmentState } from '../../store/catalog/index.ts'
import { PROFILES } from '../../store/layers/index.ts'
import { INLINE_BYTES_MAX, type Offer } from '../indexer/index.ts'
import { BUSY, deadShare, IDLE, likeRun, liveBytes, type Weighed } from '../tiers/index.ts'

export type Merge = { readonly layer: Layer; readonly segments: readonly SegmentNo[] }

/** A merged segment stays below this; a layer of a large index has several such segments. */
export const MERGED_BYTES_MAX = GiB
/** Dead documents of a segment that make it worth rewriting alone, as a share. */
const DEAD_SHARE_BUSY = 0.3
const DEAD_SHARE_IDLE = 0.1
/** Below this, dead weight waits for the index to rest. */
const SMALL_BYTES = 256 * KiB
/** What a merge costs apart from its bytes, as bytes. */
const FIXED_COST_BYTES = 64 * KiB

/**
 * How much is merged: what pays while writes go on, what pays when an index rests, or all that can
 * be, whatever the copying costs.
 */
export type MergeMode = 'busy' | 'idle' | 'whole'

const LIMITS: { readonly [mode in MergeMode]: typeof BUSY } = {
  busy: BUSY,
  idle: IDLE,
  whole: { growth: Number.POSITIVE_INFINITY, countMin: 2 },
}

/**
 * The next merge of an index, the one that takes away most segments for the bytes that it copies;
 * null when none is worth it. `taken`: segments that are spoken for.
 */
export function nextMerge(
  index: IndexState,
  mode: MergeMode,
  taken: ReadonlySet<SegmentNo> = new Set(),
): Merge | null {
  let best: Merge | null = null
  let most = Number.NEGATIVE_INFINITY
  for (const { name: layer } of PROFILES) {
    const segments = weighedOf(index, layer).filter(({ segment }) => !taken.has(segment))
    const chosen = mergeOf(segments, mode)
    if (chosen.length === 0) continue
    const relief = reliefOf(chosen)
    if (relief <= most) continue
    best = { layer, segments: chosen.map(({ segment }) => segment) }
    most = relief
  }
  return best
}

/** More segments of a layer than this are too many: batches take over larger ones then. */
export const SEGMENTS_MAX = 8
/** What a batch makes one segment of, at most: it stays inside the manifest. */
const TAKEN_BYTES_MAX = INLINE_BYTES_MAX
/** The same when there are too many segments: 50 ms of work. */
const PRESSED_BYTES_MAX = MiB

/**
 * What a batch of the index may take over: small segments that are not being merged. Usually what
 * takes no file and a millisecond.
 */
export function offerOf(index: IndexState, merging: ReadonlySet<SegmentNo>): Offer {
  const layers = layersOf(index)
  const bytesMax = isCrowded(layers) ? PRESSED_BYTES_MAX : TAKEN_BYTES_MAX
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

/** Whether merging is behind. */
export const hasTooManySegments = (index: IndexState): boolean => isCrowded(layersOf(index))

const isCrowded = (layers: readonly (readonly Weighed[])[]): boolean =>
  layers.some((segments) => segments.length > SEGMENTS_MAX)

const layersOf = (index: IndexState): readonly (readonly Weighed[])[] =>
  PROFILES.map(({ name }) => weighedOf(index, name))

/** The segments of a layer, as they are weighed. */
const weighedOf = (index: IndexState, layer: Layer): readonly Weighed[] =>
  [...index.segments.values()].filter((segment) => segment.layer === layer).map(weighed)

const weighed = ({ segment, bytes, documents, dead }: SegmentState): Weighed => {
  return { segment, bytes, documents, deadCount: dead.size }
}

function mergeOf(segments: readonly Weighed[], mode: MergeMode): readonly Weighed[] {
  const run = likeRun(segments, { ...LIMITS[mode], bytesMax: MERGED_BYTES_MAX })
  if (run.length > 0) return run
  const worst = segments.toSorted((a, b) => deadShare(b) - deadShare(a))[0]
  return worst !== undefined && isWorthRewriting(worst, mode) ? [worst] : []
}

function isWorthRewriting(segment: Weighed, mode: MergeMode): boolean {
  if (mode === 'whole') return segment.deadCount > 0
  if (mode === 'idle') return deadShare(segment) >= DEAD_SHARE_IDLE
  return segment.bytes >= SMALL_BYTES && deadShare(segment) >= DEAD_SHARE_BUSY
}

/** Segments that go away for each byte that is copied. */
const reliefOf = (segments: readonly Weighed[]): number =>
  (segments.length - 1) /
  (FIXED_COST_BYTES + segments.reduce((sum, segment) => sum + liveBytes(segment), 0))
