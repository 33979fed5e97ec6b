// The vectors layer: vectors that documents brought for embedders, or that embedders computed.
// Vectors are removed from the stored documents, so the layer cannot be built from those again.

import type { ByteSink } from '../../../format/frame/index.ts'
import type { DocId } from '../../../format/ids.ts'
import {
  checkVectors,
  decodeEntries,
  mergeVectors,
  NO_ENTRIES,
  VECTORS_KIND,
  VectorsBuilder,
  VectorsReader,
} from '../../../format/vectors/index.ts'
import { embedderSpecs, vectorInputsOf } from '../../settings/embedders/index.ts'
import type { IndexSettings } from '../../settings/index.ts'
import { searchableNames } from '../../settings/values/index.ts'
import { describeVectors, vectorsTables } from './describe-vectors.ts'
import {
  type LayerBuilder,
  type LayerProfile,
  layerOf,
  type SegmentLayer,
  type Written,
} from './layer.ts'

export const vectorsProfile: LayerProfile = {
  segmentCost: 1,
  name: 'vectors',
  kind: VECTORS_KIND,
  extension: 'vecs',
  isDerived: false,
  sections: {
    ROWS: 'vectors',
    EMBS: 'embedders',
    DOCS: 'ids',
    STAT: 'vectors by document',
    FRAG: 'fragments of vectors',
    CODE: 'codes of vectors',
    LIST: 'codes of vectors in lists',
  },
  // No field of a stored document holds vectors; a batch says which documents change.
  use: () => ({ checkedAs: null, holds: () => false, holdsBelow: () => false }),
  affectedBy: (before, after) => (formsOf(before) === formsOf(after) ? 'no' : 'rebuild'),
  analysis: null,
}

/** Returns all properties of the embedders that decide which rows exist and how they are stored. */
const formsOf = ({ embedders, searchableAttributes }: IndexSettings): string =>
  JSON.stringify(
    embedderSpecs(embedders).map(({ name, dimensions, binaryQuantized, source, embedder }) => [
      name,
      source === 'userProvided' ? dimensions : null,
      binaryQuantized,
      vectorInputsOf(embedder, searchableNames(searchableAttributes)),
    ]),
  )

export const vectorsLayer: SegmentLayer<VectorsReader> = /* @__PURE__ */ layerOf(vectorsProfile, {
  open: (frame, { sharedAs }) => VectorsReader.open(frame, sharedAs ?? null),
  close: (reader) => reader.close(),
  ids: (reader) => reader.ids,
  builder: (_env, sink) => new Builder(sink),
  merge: (inputs, sink, { progress }) => mergeVectors(inputs, sink, progress),
  check(frame) {
    checkVectors(frame)
    return { fieldMax: -1 }
  },
  describe: describeVectors,
  tables: vectorsTables,
})

class Builder implements LayerBuilder {
  readonly #vectors = new VectorsBuilder()
  readonly #sink: ByteSink

  constructor(sink: ByteSink) {
    this.#sink = sink
  }

  add(id: DocId, _externalId: Uint8Array, _record: Uint8Array, vectors = NO_ENTRIES): void {
    this.#vectors.add(id, decodeEntries(vectors))
  }

  finish(): Written | null {
    return this.#vectors.finish(this.#sink)
  }
}
