// Builds the segment of one layer from a chunk. The result depends only on the chunk, the settings
// and the field names, so any thread may build it.
import { asSegmentNo, type SegmentNo } from '../../../format/ids.ts'
import {
  type BuildEnvironment,
  LAYERS,
  type LayerBuilder,
  layerBit,
  layerNamed,
  type SegmentLayer,
} from '../../store/layers/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import { type Chunk, externalIdAt, recordAt, vectorsAt } from './chunk.ts'
import { type NewSegment, SegmentSink } from './segment-sink.ts'

/** Documents between two checks whether the batch continues. */
const PROGRESS_DOCUMENTS = 256

/** A segment to be built. */
export type SegmentPlan = {
  readonly layer: SegmentLayer['name']
  /** The segment's number. */
  readonly segment: SegmentNo
}

export type BuildContext = BuildEnvironment & {
  readonly fs: FileSystem
  /** Called regularly with the number of documents read since the last call; throws to stop. */
  readonly progress: (documents: number) => void
}

/**
 * Returns a plan for each layer that documents of a chunk go into, in build order. Derived layers
 * come first: they take longest, so they are offered to other threads first. `takeSegments`
 * reserves that many numbers and returns the first.
 */
export function segmentPlans(
  chunk: Chunk,
  takeSegments: (count: number) => SegmentNo,
): readonly SegmentPlan[] {
  const layers = LAYERS.filter(({ name }) => isInto(chunk, layerBit(name)))
  const first = takeSegments(layers.length)
  const plans = layers.map(({ name, isDerived }, i) => {
    return { layer: name, segment: asSegmentNo(first + i), isDerived }
  })
  return plans.toSorted((a, b) => Number(b.isDerived) - Number(a.isDerived))
}

const isInto = ({ into }: Chunk, bit: number): boolean => into.some((bits) => (bits & bit) !== 0)

/**
 * Builds a segment; returns null if the layer holds nothing of the documents. On failure no file is
 * left. @throws EngineFault, StorageError, and errors of `progress`
 */
export function buildLayer(
  { layer, segment }: SegmentPlan,
  chunk: Chunk,
  context: BuildContext,
): NewSegment | null {
  const sink = new SegmentSink(context.fs, segment, layer)
  try {
    const builder = layerNamed(layer).builder(context, sink.write)
    addDocuments(builder, chunk, layerBit(layer), context.progress)
    const written = builder.finish()
    return written === null ? null : sink.finish(written)
  } catch (error) {
    sink.abandon()
    throw error
  }
}

function addDocuments(
  builder: LayerBuilder,
  chunk: Chunk,
  bit: number,
  progress: BuildContext['progress'],
): void {
  for (let i = 0; i < chunk.count; i++) {
    if (i % PROGRESS_DOCUMENTS === 0) progress(i === 0 ? 0 : PROGRESS_DOCUMENTS)
    if ((chunk.into[i]! & bit) === 0) continue
    const [externalId, record] = [externalIdAt(chunk, i), recordAt(chunk, i)]
    builder.add(chunk.ids[i]!, externalId, record, vectorsAt(chunk, i))
  }
}
