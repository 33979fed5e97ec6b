// Which segments of a layer are worth merging. Segments of like size are merged together, so that a
// byte is copied a logarithmic number of times; dead weight is rewritten once it is large enough to
// be worth the copy.
//
// While writes go on, many segments have to come together before they are merged: copying what will
// soon be copied again is wasted. When an index rests, few are enough: every segment costs each
// search a look.
import type { SegmentNo } from '../../../format/ids.ts'
import type { Layer } from '../../../format/manifest/index.ts'
import type { IndexState, SegmentState } from '../../store/catalog/index.ts'
import { PROFILES } from '../../store/layers/index.ts'

export type Merge = { readonly layer: Layer; readonly segments: readonly SegmentNo[] }

/** How many like segments come together while writes go on, and at rest. */
const FAN_IN_BUSY = 8
const FAN_IN_IDLE = 2
/** While writes go on, segments that are merged in a few milliseconds wait for fewer others. */
const FAN_IN_SMALL = 4
const SMALL_MERGE_BYTES = 4 * 1024 * 1024
/** A segment joins smaller ones that together are at least a third of it. */
const GROWTH_MAX = 3
/** A merged segment stays below this; a layer of a large index has several such segments. */
export const MERGED_BYTES_MAX = 1024 * 1024 * 1024
/** Dead documents of a segment that make it worth rewriting alone, as a share. */
const DEAD_SHARE_BUSY = 0.3
const DEAD_SHARE_IDLE = 0.1
/** Below this, dead weight waits for the index to rest. */
const SMALL_BYTES = 256 * 1024

/**
 * How much is merged: what pays while writes go on, what pays when an index rests, or all that can
 * be, whatever the copying costs.
 */
export type MergeMode = 'busy' | 'idle' | 'whole'

/** The next merge of an index, the one that helps most; null when all is well. */
export function nextMerge(index: IndexState, mode: MergeMode): Merge | null {
  for (const { name: layer } of PROFILES) {
    const segments = [...index.segments.values()].filter((segment) => segment.layer === layer)
    const chosen = mergeOf(segments, mode)
    if (chosen !== null) return { layer, segments: chosen.map(({ segment }) => segment) }
  }
  return null
}

function mergeOf(segments: readonly SegmentState[], mode: MergeMode): SegmentState[] | null {
  const bySize = segments.toSorted((a, b) => liveBytes(a) - liveBytes(b) || a.segment - b.segment)
  const like: SegmentState[] = []
  let sum = 0
  for (const segment of bySize) {
    const bytes = liveBytes(segment)
    if (mode !== 'whole' && like.length > 0 && bytes > GROWTH_MAX * sum) {
      // A lone small one waits for company; a new run may begin behind it.
      if (isEnough(like.length, sum, mode)) break
      if (mode === 'idle') like.splice(0)
    }
    if (sum + bytes > MERGED_BYTES_MAX) break
    like.push(segment)
    sum += bytes
  }
  if (isEnough(like.length, sum, mode)) return like
  const worst = bySize.toSorted((a, b) => deadShare(b) - deadShare(a))[0]
  return worst !== undefined && isWorthRewriting(worst, mode) ? [worst] : null
}

/** Whether so many like segments, which weigh `bytes` together, are worth a merge. */
function isEnough(count: number, bytes: number, mode: MergeMode): boolean {
  if (mode !== 'busy') return count >= FAN_IN_IDLE
  return count >= (bytes <= SMALL_MERGE_BYTES ? FAN_IN_SMALL : FAN_IN_BUSY)
}

function isWorthRewriting(segment: SegmentState, mode: MergeMode): boolean {
  if (mode === 'whole') return segment.dead.size > 0
  if (mode === 'idle') return deadShare(segment) >= DEAD_SHARE_IDLE
  return segment.bytes >= SMALL_BYTES && deadShare(segment) >= DEAD_SHARE_BUSY
}

const deadShare = ({ dead, documents }: SegmentState): number => dead.size / documents

/** What a segment will weigh when its dead are gone, roughly. */
const liveBytes = (segment: SegmentState): number =>
  Math.ceil(segment.bytes * (1 - deadShare(segment)))
