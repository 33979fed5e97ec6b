// Builds the segments of one chunk: documents, text and columns, whichever its documents go into. A
// function of the chunk, the settings and the field names alone.
import { ColumnsBuilder } from '../../format/columns/index.ts'
import { DocumentsWriter, RecordFields } from '../../format/documents/index.ts'
import type { IndexSettings } from '../settings/index.ts'
import { compress, type FileSystem } from '../storage/index.ts'
import { ANALYSIS_VERSION, Analyzer, normalizeFacet } from '../text/index.ts'
import {
  type Chunk,
  externalIdAt,
  INTO_COLUMNS,
  INTO_DOCUMENTS,
  INTO_TEXT,
  recordAt,
} from './chunk.ts'
import { Extractor } from './extract.ts'
import type { FieldNames } from './field-names.ts'
import { FieldPlan } from './field-plan.ts'
import { type NewSegment, removeSegment, SegmentSink } from './segment-sink.ts'
import { TextBuilder } from './text-builder.ts'

/**
 * zstd level for stored documents: measured on 8 KiB blocks, level 3 gives 4 % for twice the time.
 */
export const COMPRESSION_LEVEL = 1
/** Documents between two looks at whether the batch goes on. */
const PROGRESS_DOCUMENTS = 256

export type BuildContext = {
  readonly fs: FileSystem
  readonly settings: IndexSettings
  readonly names: FieldNames
  /** The number of the next segment; never given twice. */
  readonly takeSegment: () => number
  /** Told now and then how many documents more were read; throws to stop. */
  readonly progress: (documents: number) => void
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The normalised form of a facet value, for `ColumnsBuilder`. */
export const normaliseBytes = (bytes: Uint8Array, from: number, to: number): Uint8Array =>
  encoder.encode(normalizeFacet(decoder.decode(bytes.subarray(from, to))))

/**
 * The segments of a chunk, in layer order; a layer that nothing goes into has none. What fails
 * leaves no file behind.
 */
export function buildChunk(chunk: Chunk, context: BuildContext): NewSegment[] {
  const segments: NewSegment[] = []
  try {
    const documents = buildDocuments(chunk, context)
    if (documents !== null) segments.push(documents)
    buildIndexes(chunk, context, segments)
    return segments
  } catch (error) {
    for (const segment of segments) removeSegment(context.fs, segment)
    throw error
  }
}

function buildDocuments(chunk: Chunk, context: BuildContext): NewSegment | null {
  if (!chunk.into.some((into) => (into & INTO_DOCUMENTS) !== 0)) return null
  const sink = new SegmentSink(context.fs, context.takeSegment(), 'documents')
  return finishing(sink, () => {
    const writer = new DocumentsWriter(sink.write, (bytes) => compress(bytes, COMPRESSION_LEVEL))
    let first = -1
    let last = -1
    for (let i = 0; i < chunk.count; i++) {
      if ((chunk.into[i]! & INTO_DOCUMENTS) === 0) continue
      last = chunk.ids[i]!
      if (first < 0) first = last
      writer.add(last, externalIdAt(chunk, i), recordAt(chunk, i))
    }
    writer.finish()
    return sink.finish(writer.count, first, last)
  })
}

function buildIndexes(chunk: Chunk, context: BuildContext, segments: NewSegment[]): void {
  const analyzer = new Analyzer(context.settings)
  const text = new TextBuilder(analyzer)
  const columns = new ColumnsBuilder(normaliseBytes, ANALYSIS_VERSION)
  const plan = new FieldPlan(context.settings, context.names)
  const both = new Extractor(plan, { text, columns })
  const textOnly = new Extractor(plan, { text, columns: null })
  const columnsOnly = new Extractor(plan, { text: null, columns })
  const fields = new RecordFields()
  for (let i = 0; i < chunk.count; i++) {
    if (i % PROGRESS_DOCUMENTS === 0) context.progress(i === 0 ? 0 : PROGRESS_DOCUMENTS)
    const into = chunk.into[i]!
    const intoText = (into & INTO_TEXT) !== 0
    const intoColumns = (into & INTO_COLUMNS) !== 0
    if (!intoText && !intoColumns) continue
    if (intoText) text.begin(chunk.ids[i]!)
    if (intoColumns) columns.begin(chunk.ids[i]!)
    const extractor = intoText && intoColumns ? both : intoText ? textOnly : columnsOnly
    const record = recordAt(chunk, i)
    const externalId = extractor === textOnly ? '' : decoder.decode(externalIdAt(chunk, i))
    fields.read(record)
    for (let f = 0; f < fields.count; f++) {
      extractor.field(fields.ids[f]!, record, fields.starts[f]!, fields.starts[f + 1]!, externalId)
    }
  }
  if (text.hasDocuments) segments.push(finishText(text, context))
  if (columns.docCount > 0) {
    const sink = new SegmentSink(context.fs, context.takeSegment(), 'columns')
    segments.push(finishing(sink, () => finishColumns(columns, chunk, sink)))
  }
}

function finishText(text: TextBuilder, context: BuildContext): NewSegment {
  const sink = new SegmentSink(context.fs, context.takeSegment(), 'text')
  return finishing(sink, () => {
    const { ids } = text.finish(sink.write)
    return sink.finish(ids.length, ids[0]!, ids[ids.length - 1]!)
  })
}

function finishColumns(columns: ColumnsBuilder, chunk: Chunk, sink: SegmentSink): NewSegment {
  const summary = columns.finish(sink.write)
  let first = -1
  let last = -1
  for (let i = 0; i < chunk.count; i++) {
    if ((chunk.into[i]! & INTO_COLUMNS) === 0) continue
    last = chunk.ids[i]!
    if (first < 0) first = last
  }
  return sink.finish(summary.docCount, first, last)
}

/** Writes a segment; what fails leaves no file behind. */
function finishing(sink: SegmentSink, write: () => NewSegment): NewSegment {
  try {
    return write()
  } catch (error) {
    sink.abandon()
    throw error
  }
}
