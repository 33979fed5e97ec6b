// Builds the segments of one chunk: one of each layer that its documents go into. A function of the
// chunk, the settings and the field names alone.
import {
  type BuildEnvironment,
  LAYERS,
  type LayerBuilder,
  layerBit,
  type SegmentLayer,
} from '../../store/layers/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import { type Chunk, externalIdAt, recordAt } from './chunk.ts'
import { type NewSegment, removeSegment, SegmentSink } from './segment-sink.ts'

/** Documents between two looks at whether the batch goes on. */
const PROGRESS_DOCUMENTS = 256

export type BuildContext = BuildEnvironment & {
  readonly fs: FileSystem
  /** The number of the next segment; never given twice. */
  readonly takeSegment: () => number
  /** Called now and then with how many documents more were read; throws to stop. */
  readonly progress: (documents: number) => void
}

/**
 * The segments of a chunk, in the order of the layers; a layer that nothing goes into has none.
 * What fails leaves no file behind.
 *
 * Layer by layer, not document by document: one builder is in memory at a time, and the calls to it
 * go to one class for as long as the chunk lasts.
 */
export function buildChunk(chunk: Chunk, context: BuildContext): NewSegment[] {
  const built = LAYERS.filter(({ name }) => isInto(chunk, layerBit(name)))
  const progress = new BuildProgress(built.length, context.progress)
  const segments: NewSegment[] = []
  try {
    for (const layer of built) {
      const segment = buildLayer(layer, chunk, context, progress)
      if (segment !== null) segments.push(segment)
    }
    return segments
  } catch (error) {
    for (const segment of segments) removeSegment(context.fs, segment)
    throw error
  }
}

const isInto = ({ into }: Chunk, bit: number): boolean => into.some((bits) => (bits & bit) !== 0)

function buildLayer(
  layer: SegmentLayer,
  chunk: Chunk,
  context: BuildContext,
  progress: BuildProgress,
): NewSegment | null {
  const sink = new SegmentSink(context.fs, context.takeSegment(), layer.name)
  try {
    const builder = layer.builder(context, sink.write)
    addDocuments(builder, chunk, layerBit(layer.name), progress)
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
  progress: BuildProgress,
): void {
  for (let i = 0; i < chunk.count; i++) {
    progress.step()
    if ((chunk.into[i]! & bit) === 0) continue
    builder.add(chunk.ids[i]!, externalIdAt(chunk, i), recordAt(chunk, i))
  }
}

/** Every document is read once for each layer: tells of documents as if once. */
class BuildProgress {
  readonly #layers: number
  readonly #tell: BuildContext['progress']
  #steps = 0
  #told = 0

  constructor(layers: number, tell: BuildContext['progress']) {
    this.#layers = layers
    this.#tell = tell
  }

  step(): void {
    if (this.#steps++ % PROGRESS_DOCUMENTS !== 0) return
    const documents = Math.floor((this.#steps - 1) / this.#layers)
    this.#tell(documents - this.#told)
    this.#told = documents
  }
}
