// The documents layer: every document as it was sent, and its external id. The other layers are
// built from it.

import {
  checkDocuments,
  DOCUMENTS_KIND,
  DocumentsReader,
  DocumentsWriter,
  mergeDocuments,
} from '../../../format/documents/index.ts'
import type { ByteSink } from '../../../format/frame/index.ts'
import type { DocId } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { IndexSettings } from '../../settings/index.ts'
import { compress, decompress } from '../storage/index.ts'
import { blocksTable, describeDocuments } from './describe-documents.ts'
import {
  type LayerBuilder,
  type LayerProfile,
  layerOf,
  type SegmentLayer,
  type Written,
} from './layer.ts'

/** zstd level for stored documents: higher levels gain little on blocks of 8 KiB. */
const COMPRESSION_LEVEL = 1

export const documentsProfile: LayerProfile = {
  // Searches read the documents of their pages alone.
  segmentCost: 0.25,
  name: 'documents',
  kind: DOCUMENTS_KIND,
  extension: 'docs',
  isDerived: false,
  sections: {
    BLKS: 'stored documents',
    BIDX: 'block index',
    RUNS: 'ids',
    XIDS: 'external ids',
    XEND: 'external ids',
    XHSH: 'external ids',
  },
  use: () => null,
  // When embedders are added or removed, vectors move between documents and the vectors layer.
  affectedBy: (before, after, fields) =>
    embedderNames(before) === embedderNames(after) || !movesVectors(before, after, fields)
      ? 'no'
      : 'rebuild',
  analysis: null,
}

const embedderNames = ({ embedders }: IndexSettings): string =>
  JSON.stringify(Object.keys(embedders).sort())

/**
 * Vectors may return to the documents, or may have been sent before an embedder of their name
 * existed.
 */
const movesVectors = (
  before: IndexSettings,
  after: IndexSettings,
  fields: readonly string[],
): boolean =>
  fields.includes('_vectors') ||
  Object.keys(before.embedders).some((name) => !Object.hasOwn(after.embedders, name))

export const documentsLayer: SegmentLayer<DocumentsReader> = /* @__PURE__ */ layerOf(
  documentsProfile,
  {
    open: (frame, { blocks }) => DocumentsReader.open(frame, decompress, blocks),
    close: (reader) => reader.close(),
    ids: (reader) => reader.idSet(),
    builder: (_env, sink) => new DocumentsBuilder(sink),
    merge(inputs, sink) {
      const ids = inputs.reduce(
        (all, { reader, dead }) => all.or(reader.idSet().andNot(dead)),
        IdSet.empty,
      )
      if (ids.isEmpty) return null
      const writer = documentsWriter(sink)
      mergeDocuments(inputs, writer)
      writer.finish()
      return { documents: ids.size, idMin: ids.min, idMax: ids.max }
    },
    check(frame, { progress, visit }) {
      let fieldMax = -1
      checkDocuments(frame, decompress, {
        progress,
        visit: (document) => {
          const { count, ids } = document.fields
          if (count > 0) fieldMax = Math.max(fieldMax, ids[count - 1]!)
          visit(document)
        },
      })
      return { fieldMax }
    },
    describe: describeDocuments,
    tables: (frame) => [blocksTable(frame)],
  },
)

/** Returns a writer of stored documents with the compression of the database; ids must ascend. */
export const documentsWriter = (sink: ByteSink): DocumentsWriter =>
  new DocumentsWriter(sink, (bytes) => compress(bytes, COMPRESSION_LEVEL))

class DocumentsBuilder implements LayerBuilder {
  readonly #sink: ByteSink
  /** Null before the first document, because a writer begins with the header of the frame. */
  #writer: DocumentsWriter | null = null
  #first = -1
  #last = -1

  constructor(sink: ByteSink) {
    this.#sink = sink
  }

  add(id: DocId, externalId: Uint8Array, record: Uint8Array): void {
    if (this.#first < 0) this.#first = id
    this.#last = id
    this.#writer ??= documentsWriter(this.#sink)
    this.#writer.add(id, externalId, record)
  }

  finish(): Written | null {
    if (this.#writer === null) return null
    this.#writer.finish()
    return { documents: this.#writer.count, idMin: this.#first, idMax: this.#last }
  }
}
