// Builds the segment of one layer from a chunk. A function of the chunk, the settings and the field
// names alone, so any thread may do it.
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

/** Documents between two looks at whether the batch goes on. */
const PROGRESS_DOCUMENTS = 256

/** A segment to be built. */
export type SegmentPlan = {
  readonly layer: SegmentLayer['name']
  /** Its number. */
  readonly segment: number
}

export type BuildContext = BuildEnvironment & {
  readonly fs: FileSystem
  /** Called now and then with how many documents more were read; throws to stop. */
  readonly progress: (documents: number) => void
}

/**
 * A segment for each layer that documents of a chunk go into, in the order in which they are built.
 * Derived layers come first: they take longest, so they are the first to be given to other threads.
 * `takeSegments` gives the first of so many new numbers.
 */
export function segmentPlans(
  chunk: Chunk,
  takeSegments: (count: number) => number,
): readonly SegmentPlan[] {
  const layers = LAYERS.filter(({ name }) => isInto(chunk, layerBit(name)))
  const first = takeSegments(layers.length)
  const plans = layers.map(({ name, isDerived }, i) => {
    return { layer: name, segment: first + i, isDerived }
  })
  return plans.toSorted((a, b) => Number(b.isDerived) - Number(a.isDerived))
}

const isInto = ({ into }: Chunk, bit: number): boolean => into.some((bits) => (bits & bit) !== 0)

/**
 * The segment, or null if the layer holds nothing of the documents. What fails leaves no file
 * behind. @throws EngineFault, StorageError, and what `progress` throws
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
