// All layers of an index, in the order in which their segments are built.
import { columnsLayer } from './columns.ts'
import { documentsLayer } from './documents.ts'
import type { SegmentLayer } from './layer.ts'
import { textLayer } from './text.ts'

export const LAYERS: readonly SegmentLayer[] = [documentsLayer, textLayer, columnsLayer]
