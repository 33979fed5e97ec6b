// Small segments that a batch takes over: the segment that it has built for a layer and the
// smallest present ones are merged into one, in the edit of the batch. However small the batches
// are, a layer has only a few small segments, without a merge before.
import type { SegmentNo } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { OpenView, SegmentCache } from '../../read/segments/index.ts'
import { SEGMENTS } from '../../store/catalog/index.ts'
import { LAYERS, type SegmentLayer } from '../../store/layers/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import { similarRun, TAKE_OVER, type Weighed } from '../tiers/index.ts'
import { discardSegment, type NewSegment, SegmentSink } from './segment-sink.ts'

/** The segments that a batch may take over. */
export type Offer = {
  /** Reserved for the batch until it has ended. */
  readonly segments: readonly SegmentNo[]
  /** Segments of a layer that become one have at most this many live bytes together. */
  readonly bytesMax: number
}

export const NO_OFFER: Offer = { segments: [], bytesMax: 0 }

export type TakeOverContext = {
  readonly view: OpenView
  /** By segment: the ids that die with the batch. */
  readonly tombstones: ReadonlyMap<SegmentNo, IdSet>
  readonly offer: Offer
  readonly fs: FileSystem
  readonly cache: SegmentCache
  /** Reserves that many numbers and returns the first. */
  readonly takeSegments: (count: number) => SegmentNo
  /** @throws Canceled */
  readonly progress: () => void
}

export type TakeOverResult = {
  /** The segments that the batch adds. */
  readonly segments: readonly NewSegment[]
  /** Segments of the view whose live documents are in `segments`. */
  readonly replaced: readonly SegmentNo[]
}

type Candidate = Weighed & {
  readonly reader: unknown
  readonly dead: IdSet
  /** The segment that the batch has built, or null for a segment of the view. */
  readonly built: NewSegment | null
}

/**
 * Merges built segments with offered ones. `built`: ascending by number. On failure no merged file
 * is left; the caller then removes `built`.
 */
export function takeOver(built: readonly NewSegment[], context: TakeOverContext): TakeOverResult {
  const merged: NewSegment[] = []
  const replaced: SegmentNo[] = []
  const obsolete: NewSegment[] = []
  try {
    for (const layer of LAYERS) {
      const run = runOf(layer, built, context)
      if (run.length === 0) continue
      const segment = mergeRun(layer, run, context)
      if (segment !== null) merged.push(segment)
      for (const { segment: number, built: own } of run) {
        if (own === null) replaced.push(number)
        else obsolete.push(own)
      }
    }
    if (merged.some(({ location }) => location.kind === 'file')) {
      context.fs.syncDirectory(SEGMENTS)
    }
  } catch (error) {
    for (const segment of merged) discardSegment(context.fs, segment)
    throw error
  } finally {
    context.cache.drop(built.map(({ segment }) => segment))
  }
  for (const segment of obsolete) discardSegment(context.fs, segment)
  const left = built.filter((segment) => !obsolete.includes(segment))
  return { segments: [...left, ...merged], replaced }
}

/**
 * Returns the segments of a layer to merge into one; none if the batch has built nothing for it.
 */
function runOf(
  layer: SegmentLayer,
  built: readonly NewSegment[],
  { view, tombstones, offer, cache }: TakeOverContext,
): readonly Candidate[] {
  const own = built.filter((segment) => segment.layer === layer.name)
  if (own.length === 0 || offer.segments.length === 0) return []
  if (own.some(({ bytes }) => bytes > offer.bytesMax)) return []
  const candidates: Candidate[] = own.map((segment) => {
    const { bytes, documents } = segment
    const reader = cache.open(layer, { ...segment, generation: 0, dead: null })
    const counts = { bytes, documents, deadCount: 0 }
    return { ...counts, segment: segment.segment, reader, dead: IdSet.empty, built: segment }
  })
  const offered = new Set(offer.segments)
  for (const { ref, reader, dead } of view.layer(layer)) {
    if (!offered.has(ref.segment)) continue
    const died = tombstones.get(ref.segment)
    const now = died === undefined ? dead : dead.or(died)
    const { segment, bytes, documents } = ref
    // A segment without live documents is removed with its tombstones.
    if (now.size === documents) continue
    const counts = { bytes, documents, deadCount: now.size }
    candidates.push({ ...counts, segment, reader, dead: now, built: null })
  }
  const run = similarRun(candidates, { ...TAKE_OVER, bytesMax: offer.bytesMax })
  return layer.fits?.(run.map(({ reader }) => reader)) === false ? [] : run
}

function mergeRun(
  layer: SegmentLayer,
  run: readonly Candidate[],
  { fs, takeSegments, progress, view }: TakeOverContext,
): NewSegment | null {
  const sink = new SegmentSink(fs, takeSegments(1), layer.name)
  try {
    const inOrder = run.toSorted((a, b) => a.segment - b.segment)
    const written = layer.merge(inOrder, sink.write, {
      progress,
      names: view.ref.fields,
    })
    if (written !== null) return sink.finish(written)
    sink.abandon()
    return null
  } catch (error) {
    sink.abandon()
    throw error
  }
}
