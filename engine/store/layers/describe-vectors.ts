// Describes a segment of the vectors layer: number of vectors of each embedder.
import type { Frame } from '../../../format/frame/index.ts'
import { VectorsReader } from '../../../format/vectors/index.ts'
import type { LayerDescription, LayerTable } from './description.ts'

const COLUMNS = ['embedder', 'dimensions', 'form', 'vectors', 'bytes', 'documents', 'own']

/** Reads the tables of all embedders. @throws CorruptionError, VersionError */
export function describeVectors(frame: Frame): LayerDescription {
  const embedders = rowsOf(frame)
  return {
    content: { layer: 'vectors', embedders },
    facts: embedders.map(({ embedder, vectors, bytes }) => [
      embedder,
      { count: vectors },
      ' vectors in ',
      { bytes },
    ]),
    tables: [{ columns: COLUMNS, rows: embedders.map((embedder) => Object.values(embedder)) }],
  }
}

export const vectorsTables = (frame: Frame): LayerTable[] => [
  {
    title: 'EMBS: embedders',
    columns: COLUMNS,
    rows: rowsOf(frame).map((embedder) => Object.values(embedder)),
  },
]

const rowsOf = (frame: Frame) =>
  [...VectorsReader.open(frame).embedders].map((rows) => ({
    embedder: rows.name,
    dimensions: rows.dimensions,
    form: rows.form,
    vectors: rows.count,
    bytes: rows.count * rows.rowBytes,
    documents: rows.idsWhere((_, count) => count > 0).size,
    own: rows.idsWhere((status) => (status & 1) !== 0).size,
  }))
