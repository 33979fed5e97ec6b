// All layers of an index, in the order in which their segments are built.
import { columnsLayer, columnsProfile } from './columns.ts'
import { documentsLayer, documentsProfile } from './documents.ts'
import type { LayerProfile, SegmentLayer } from './layer.ts'
import { textLayer, textProfile } from './text.ts'
import { vectorsLayer, vectorsProfile } from './vectors.ts'

export const PROFILES: readonly LayerProfile[] = [
  documentsProfile,
  textProfile,
  columnsProfile,
  vectorsProfile,
]

/** The same layers with their work. */
export const LAYERS: readonly SegmentLayer[] = [
  documentsLayer,
  textLayer,
  columnsLayer,
  vectorsLayer,
]
